/** The commands that begin an act on memories. They choose what the page shows; only the page decides. */
import * as vscode from 'vscode';
import type { PersonAct, Reviewed, State } from '../engine';
import type { CommandTable } from './commands';
import type { Drift } from './drift';
import { hasMemory } from './missing';
import { pickStore } from './pick-store';
import { pointedAt } from './pointed-at';
import { timeOrDay, withoutIcons } from './present';
import type { Target } from './review-queue';
import { isGroupRow, isMemoryRow } from './rows';
import { pickAmong, type Question } from './search';
import { shownLine } from './shown-text';
import type { Store, Stores } from './stores';

/** The pages on which the acts are decided. */
export interface ActPages {
  show(target: Target, asks?: AskedAct): Promise<void>;
  showSeveral(targets: readonly Target[], act: 'approve' | 'forget'): Promise<void>;
  /** @param ids the members of a contest. */
  resolve(store: Store, ids: readonly string[]): Promise<void>;
}

type AskedAct = 'forget' | 'lift' | 'restore' | 'supersede' | 'contest' | 'stillRight';

export interface ActParts {
  readonly stores: Stores;
  readonly pages: ActPages;
  readonly drift: Drift;
  /** Approves one memory, or what comes first. */
  readonly approveOne: (target: unknown) => unknown;
  readonly log: vscode.LogOutputChannel;
}

type ActCommands = Pick<
  CommandTable,
  | 'approve'
  | 'forget'
  | 'allowAgain'
  | 'restore'
  | 'supersede'
  | 'contest'
  | 'resolveContested'
  | 'goToDrifted'
  | 'forgetSession'
  | 'forgetAllHere'
>;

export function actCommands(parts: ActParts): ActCommands {
  const { stores, pages, drift, approveOne } = parts;
  const one = (act: AskedAct & PersonAct['act'], states: readonly State[], question: Question & { readonly none: string }) => {
    const fits = ({ acts }: Reviewed) => acts.includes(act);
    return async (argument: unknown) => {
      if (!(await hasMemory(stores))) return;
      const target =
        argument === undefined
          ? await pickAmong(stores, { states, fits, none: question.none }, question, parts.log)
          : await pointedAt(argument, stores);
      if (target !== undefined) await pages.show(target, act);
    };
  };
  const forgetOne = one('forget', remembered, {
    title: 'Forget a Memory',
    placeholder: 'Whose words shall be erased?',
    none: 'There is nothing to forget.',
  });
  return {
    approve: async (argument, selection) => {
      const several = await selected(selection);
      await (several.length > 1 ? pages.showSeveral(several, 'approve') : approveOne(argument));
    },
    forget: async (argument, selection) => {
      const several = await selected(selection);
      await (several.length > 1 ? pages.showSeveral(several, 'forget') : forgetOne(argument));
    },
    allowAgain: one('lift', ['rejected', 'forgotten'], {
      title: 'Allow Again',
      placeholder: 'Which value may be proposed again?',
      none: 'Nothing was rejected or forgotten.',
    }),
    restore: one('restore', ['retired', 'superseded'], {
      title: 'Restore a Memory',
      placeholder: 'Which memory holds again?',
      none: 'Nothing was retired or replaced.',
    }),
    supersede: one('supersede', standing, {
      title: 'Supersede a Memory',
      placeholder: 'Which memory is replaced by another?',
      none: 'Nothing stands yet.',
    }),
    contest: one('contest', standing, {
      title: 'Mark as Contested With…',
      placeholder: 'Which memory is contradicted?',
      none: 'Nothing stands yet.',
    }),
    resolveContested: async (argument) => {
      if (!(await hasMemory(stores))) return;
      const contest = isGroupRow(argument) && argument.of?.is === 'contest' ? { store: argument.store, ids: argument.of.ids } : undefined;
      const found =
        contest ?? (await contestAround(argument === undefined ? await pickContested(parts) : await pointedAt(argument, stores)));
      if (found !== undefined) await pages.resolve(found.store, found.ids);
    },
    goToDrifted: async () => {
      if (!(await hasMemory(stores))) return;
      await drift.now();
      const target = await pickDrifted(parts);
      if (target !== undefined) await pages.show(target, 'stillRight');
    },
    forgetSession: async (argument) => {
      if (!(await hasMemory(stores))) return;
      const session =
        isGroupRow(argument) && argument.of?.is === 'session' ? { store: argument.store, id: argument.of.id } : await pickSession(stores);
      if (session !== undefined) await pages.showSeveral(await everything(session.store, session.id), 'forget');
    },
    forgetAllHere: async () => {
      if (!(await hasMemory(stores))) return;
      const store = await pickStore(await stores.inUse(), { title: 'Forget All Here', placeholder: 'Whose memory shall be erased?' });
      if (store === undefined) return;
      const all = await everything(store);
      if (all.length === 0) void vscode.window.showInformationMessage(`${store.name} has no memory to forget.`);
      else await pages.showSeveral(all, 'forget');
    },
  };
}

const standing: readonly State[] = ['active', 'contested'];

/** Every state in which there are words to forget. */
const remembered: readonly State[] = [...standing, 'pending', 'superseded', 'retired', 'rejected', 'amended', 'expired'];

/** The rows of a selection, as the stores hold their memories now. Anything that is no row of a tree is no part of it. */
async function selected(selection: unknown): Promise<Target[]> {
  if (!Array.isArray(selection)) return [];
  const found = await Promise.all(
    (selection as readonly unknown[]).filter(isMemoryRow).map(async ({ store, memory }): Promise<Target[]> => {
      const now = await store.person.one(memory.id);
      return now === undefined ? [] : [{ store, memory: now }];
    }),
  );
  return found.flat();
}

const pickContested = ({ stores, log }: ActParts) =>
  pickAmong(
    stores,
    { states: ['contested'], fits: ({ acts }) => acts.includes('resolve'), none: 'Nothing is contested.' },
    { title: 'Resolve Contested', placeholder: 'Which contradiction shall end?' },
    log,
  );

/** A contested memory with all that it is contested with, directly or through a third. */
async function contestAround(target: Target | undefined): Promise<{ store: Store; ids: readonly string[] } | undefined> {
  if (target === undefined) return undefined;
  const { store, memory } = target;
  const members = new Map([[memory.id, memory]]);
  for (const member of members.values())
    for (const other of await store.person.several(member.memory?.others ?? []))
      if (other.state === 'contested' && !members.has(other.id)) members.set(other.id, other);
  return { store, ids: [...members.keys()].sort() };
}

async function pickDrifted({ stores, drift }: ActParts): Promise<Target | undefined> {
  const found = stores.all.flatMap((store) => drift.in(store).map((memory): Target => ({ store, memory })));
  if (found.length === 0) {
    void vscode.window.showInformationMessage('The evidence of everything that stands is as it was.');
    return undefined;
  }
  const items = found.map((target) => ({
    label: withoutIcons(shownLine(target.memory.title)),
    description: stores.all.length > 1 ? target.store.name : '',
    detail: withoutIcons(shownLine(target.memory.memory?.content.statement.slice(0, 300) ?? '')),
    target,
  }));
  return (
    await vscode.window.showQuickPick(items, { title: 'What Drifted', placeHolder: 'Their evidence has changed: which one to look at?' })
  )?.target;
}

async function pickSession(stores: Stores): Promise<{ store: Store; id: string } | undefined> {
  const used = await stores.inUse();
  const found = await Promise.all(used.map(async (store) => (await store.person.sessions(200)).map((session) => ({ store, session }))));
  const items = found.flat().map(({ store, session }) => ({
    label: withoutIcons(shownLine(`${session.client} ${session.clientVersion}`)),
    description: [timeOrDay(session.startedAt, new Date()), ...(used.length > 1 ? [store.name] : [])].join(' · '),
    detail: session.memories === 1 ? '1 memory' : `${String(session.memories)} memories`,
    session: { store, id: session.id },
  }));
  if (items.length === 0) void vscode.window.showInformationMessage('No agent has proposed anything that is still here.');
  const options = { title: 'Forget a Session’s Memories', placeHolder: 'Everything of which session shall be erased?' };
  return items.length === 0 ? undefined : (await vscode.window.showQuickPick(items, options))?.session;
}

/** All that a store remembers, or all of it that came in one session. */
async function everything(store: Store, session?: string): Promise<Target[]> {
  const limit = 500;
  const all: Target[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await store.person.list({ states: remembered, ...(session !== undefined && { session }), limit, offset });
    all.push(...page.map((memory) => ({ store, memory })));
    if (page.length < limit) return all;
  }
}
