/** Search Memory: what stands, found while typing. Choosing an entry opens it and no more. */
import * as vscode from 'vscode';
import type { Reviewed } from '../engine';
import { showError } from './commands';
import { kindNames, withoutIcons } from './present';
import type { Target } from './review-queue';
import { shownLine } from './shown-text';
import type { Stores } from './stores';

const mostResults = 30;

interface Entry extends vscode.QuickPickItem {
  /** None where it only says that there is nothing. */
  readonly target?: Target;
}

export interface Question {
  readonly title: string;
  readonly placeholder: string;
}

/** Asks for one of the memories that stand. @returns undefined when the person closes the picker. */
export async function pickStanding(
  stores: Stores,
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
      const found = await results(stores, query);
      if (mine !== asked) return;
      picker.items = found.length === 0 ? [nothing(query)] : found;
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

async function results(stores: Stores, query: string): Promise<Entry[]> {
  const open = stores.all.filter(({ opening }) => opening.is === 'open');
  const found = await Promise.all(
    open.map(async (store) => {
      const memories =
        query.trim() === ''
          ? (await store.person.list({ states: ['active'], limit: mostResults, offset: 0 })).filter(
              ({ tampering }) => tampering === undefined,
            )
          : await store.person.search(query, mostResults);
      return memories.map((memory): Entry => entry({ store, memory }, open.length > 1));
    }),
  );
  return found.flat();
}

/** What the box says in place of entries. */
const nothing = (query: string): Entry =>
  query.trim() === ''
    ? { label: 'Nothing stands yet.', alwaysShow: true }
    : {
        label: withoutIcons(`Nothing that stands matches “${shownLine(query)}”.`),
        detail: 'What waits or was retired is not searched.',
        alwaysShow: true,
      };

function entry(target: Target, several: boolean): Entry {
  const { memory, store } = target;
  const content = memory.memory?.content;
  return {
    target,
    label: withoutIcons(shownLine(memory.title)),
    description: withoutIcons([content && kindNames[content.kind].one, several ? store.name : undefined].filter(isGiven).join(' · ')),
    detail: withoutIcons(firstWords(content)),
    // The engine has found it; the picker must not ask whether the letters fit.
    alwaysShow: true,
  };
}

const firstWords = (content: NonNullable<Reviewed['memory']>['content'] | undefined) => shownLine(content?.statement.slice(0, 300) ?? '');
const isGiven = (part: string | undefined): part is string => part !== undefined;
