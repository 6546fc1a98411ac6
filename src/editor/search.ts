/** Finding a memory while typing: what stands, or what an act could be done to. Choosing an entry opens it and no more. */
import * as vscode from 'vscode';
import type { Reviewed, State } from '../engine';
import { showError } from './commands';
import { kindNames, stateNames, withoutIcons } from './present';
import type { Target } from './review-queue';
import { shownLine } from './shown-text';
import type { Store, Stores } from './stores';
import { titleOf } from './tree-items';

const mostResults = 30;

/** So many of the newest are looked through where there is no index to search. */
const mostLookedThrough = 500;

interface Entry extends vscode.QuickPickItem {
  /** None where it only says that there is nothing. */
  readonly target?: Target;
}

export interface Question {
  readonly title: string;
  readonly placeholder: string;
}

/** Which memories are meant. */
export interface Among {
  readonly states: readonly State[];
  readonly fits: (memory: Reviewed) => boolean;
  /** What is said where there are none. */
  readonly none: string;
}

const standing: Among = {
  states: ['active', 'contested'],
  fits: ({ tampering }) => tampering === undefined,
  none: 'Nothing stands yet.',
};

/** Asks for one of the memories that stand. @returns undefined when the person closes the picker. */
export const pickStanding = (stores: Stores, question: Question, log: vscode.LogOutputChannel): Promise<Target | undefined> =>
  pickAmong(stores, standing, question, log);

/** Asks for one of the memories that are meant. @returns undefined when the person closes the picker. */
export async function pickAmong(
  stores: Stores,
  among: Among,
  { title, placeholder }: Question,
  log: vscode.LogOutputChannel,
): Promise<Target | undefined> {
  const picker = vscode.window.createQuickPick<Entry>();
  picker.title = title;
  picker.placeholder = placeholder;
  let asked = 0;
  let timer: NodeJS.Timeout | undefined;
  const find = async (query: string) => {
    const mine = (asked += 1);
    picker.busy = true;
    try {
      const found = await results(stores, among, query);
      if (mine !== asked) return;
      picker.items = found.length === 0 ? [nothing(among, query)] : found;
      picker.busy = false;
    } catch (error) {
      if (mine === asked) picker.hide();
      await showError(error, log);
    }
  };
  try {
    return await new Promise<Target | undefined>((resolve) => {
      picker.onDidChangeValue((query) => {
        clearTimeout(timer);
        timer = setTimeout(() => void find(query), 80);
      });
      picker.onDidAccept(() => {
        const [chosen] = picker.selectedItems;
        if (chosen?.target !== undefined) resolve(chosen.target);
      });
      picker.onDidHide(() => {
        resolve(undefined);
      });
      picker.show();
      void find('');
    });
  } finally {
    asked += 1;
    clearTimeout(timer);
    picker.dispose();
  }
}

async function results(stores: Stores, among: Among, query: string): Promise<Entry[]> {
  const used = await stores.inUse();
  const found = await Promise.all(
    used.map(async (store) => (await matching(store, among, query)).map((memory) => entry({ store, memory }, among, used.length > 1))),
  );
  return found.flat();
}

async function matching({ person }: Store, among: Among, query: string): Promise<Reviewed[]> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const stands = (state: State) => standing.states.includes(state);
  const searched = words.length > 0 && among.states.some(stands) ? (await person.search(query, mostResults)).filter(among.fits) : [];
  const listed = among.states.filter((state) => words.length === 0 || !stands(state));
  if (listed.length === 0) return searched;
  const page = await person.list({ states: listed, limit: words.length === 0 ? 2 * mostResults : mostLookedThrough, offset: 0 });
  return [...searched, ...page.filter((memory) => among.fits(memory) && holds(memory, words))].slice(0, mostResults);
}

function holds(memory: Reviewed, words: readonly string[]): boolean {
  const text = `${titleOf(memory)} ${memory.memory?.content.statement ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What the box says in place of entries. */
function nothing(among: Among, query: string): Entry {
  if (query.trim() === '') return { label: among.none, alwaysShow: true };
  return among === standing
    ? {
        label: withoutIcons(`Nothing that stands matches “${shownLine(query)}”.`),
        detail: 'What waits or was retired is not searched.',
        alwaysShow: true,
      }
    : { label: withoutIcons(`None of them matches “${shownLine(query)}”.`), alwaysShow: true };
}

function entry(target: Target, among: Among, several: boolean): Entry {
  const { memory, store } = target;
  const content = memory.memory?.content;
  const parts = [
    content && kindNames[content.kind].one,
    among === standing || memory.state === 'forgotten' ? undefined : stateNames[memory.state].toLowerCase(),
    several ? store.name : undefined,
  ];
  return {
    target,
    label: withoutIcons(titleOf(memory)),
    description: withoutIcons(parts.filter(isGiven).join(' · ')),
    detail: withoutIcons(shownLine(content?.statement.slice(0, 300) ?? '')),
    // The engine has found it; the picker must not ask whether the letters fit.
    alwaysShow: true,
  };
}

const isGiven = (part: string | undefined): part is string => part !== undefined;
