/**
 * The commands about a store as a whole. What changes something asks in a modal question first: a command can be run by anybody, and
 * none can press its button.
 */
import * as vscode from 'vscode';
import type { CommandTable } from './commands';
import { hasMemory } from './missing';
import type { Notices } from './notices';
import { pickStore } from './pick-store';
import { when } from './present';
import type { PersonsKey } from './signer';
import type { Soundness } from './soundness';
import { rootOf, type Store, type Stores } from './stores';
import { carriedWords, rebuiltWords, type Verdict } from './store-words';
import { theEngine } from './the-engine';

export interface StoreCommandParts {
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly soundness: Soundness;
  readonly notices: Notices;
  readonly log: vscode.LogOutputChannel;
}

type StoreCommands = Pick<
  CommandTable,
  'verifyStore' | 'rebuildIndexes' | 'restoreFromBackup' | 'startAnew' | 'pauseMemory' | 'resumeMemory'
>;

export function storeCommands(parts: StoreCommandParts): StoreCommands {
  const { stores, notices } = parts;
  const pause = async (paused: boolean, words: PauseWords) => {
    if (!(await hasMemory(stores))) return;
    await notices.now();
    const open = stores.all.filter(({ opening }) => opening.is === 'open');
    const fitting = open.filter((store) => notices.paused.includes(store) !== paused);
    if (fitting.length === 0) {
      void vscode.window.showInformationMessage(words.already);
      return;
    }
    const store = await pickStore(fitting, words);
    if (store === undefined || !(await confirms(`${words.title} for ${store.name}?`, words.detail, words.button))) return;
    await store.person.pause(paused, await parts.key.signer());
    parts.log.info(`${words.done} in ${store.name}.`);
    void vscode.window.showInformationMessage(`${words.done} in ${store.name}.`);
  };
  return {
    verifyStore: async () => {
      if (!(await hasMemory(stores))) return;
      const verdicts: { store: Store; verdict: Verdict }[] = [];
      for (const store of await stores.inUse()) verdicts.push({ store, verdict: await verified(store, parts.soundness) });
      const unsound = verdicts.find(({ verdict }) => !verdict.sound);
      if (unsound === undefined) {
        // Not waited for: the command is done when the answer is on the screen.
        void vscode.window.showInformationMessage(verdicts.map(({ verdict }) => verdict.text).join(' '));
        return;
      }
      await offerNextStep(unsound.store, unsound.verdict, parts);
    },
    rebuildIndexes: async () => {
      if (!(await hasMemory(stores))) return;
      const store = await pickStore(await stores.inUse(), { title: 'Rebuild Indexes', placeholder: 'Of which memory?' });
      if (store !== undefined) await rebuild(store, parts);
    },
    restoreFromBackup: async () => {
      await stores.settled();
      const store = await pickStore(await restorable(stores), {
        title: 'Restore from Backup',
        placeholder: 'Which memory shall be put back?',
      });
      if (store === undefined) await hasMemory(stores);
      else await restore(store, parts);
    },
    startAnew: async () => {
      await stores.settled();
      const gone = [...stores.all, stores.everywhere].filter(
        ({ opening }) => opening.is === 'failed' && opening.error.code === 'store_missing',
      );
      const store = await pickStore(gone, { title: 'Start Anew', placeholder: 'Whose memory shall begin anew?' });
      if (store === undefined) return;
      const detail =
        'What was remembered here is not in the new store, and neither is what was rejected or forgotten: agents may propose it again. Backups stay where they are.';
      if (!(await confirms(`Make a new and empty memory for ${store.name}?`, detail, 'Start Anew'))) return;
      await stores.startAnew(store, await parts.key.signer());
    },
    pauseMemory: () => pause(true, pausing),
    resumeMemory: () => pause(false, resuming),
  };
}

interface PauseWords {
  readonly title: string;
  readonly placeholder: string;
  readonly detail: string;
  readonly button: string;
  readonly done: string;
  readonly already: string;
}

const pausing: PauseWords = {
  title: 'Pause memory',
  placeholder: 'Whose memory shall agents go without?',
  detail:
    'Agents are served nothing and can propose nothing here until you resume it. What is remembered stays as it is, and you still see it.',
  button: 'Pause Memory',
  done: 'Memory is paused',
  already: 'Memory is paused here already.',
};

const resuming: PauseWords = {
  title: 'Resume memory',
  placeholder: 'Whose memory shall agents have again?',
  detail: 'Agents are served what stands, and can propose again.',
  button: 'Resume Memory',
  done: 'Memory is on again',
  already: 'Memory is not paused here.',
};

/** Looks through a store in the foreground, where the person can watch it and stop it. */
async function verified(store: Store, soundness: Soundness): Promise<Verdict> {
  const options = { location: vscode.ProgressLocation.Notification, title: `Verifying ${store.name}`, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => {
      stop.abort();
    });
    return soundness.lookAt(store, { signal: stop.signal, progress: steps(progress, 'entries') });
  });
}

/** Says what is wrong with a store in a modal question, and what can be done about it. */
async function offerNextStep(store: Store, { text, next, mayAccept, mayRebuild }: Verdict, parts: StoreCommandParts): Promise<void> {
  const { key, soundness, log } = parts;
  const [accept, rebuilding, restoring] = ['Accept as It Is…', 'Rebuild Indexes…', 'Restore from Backup…'];
  const chosen = await vscode.window.showWarningMessage(
    text,
    { modal: true, detail: next },
    ...(mayRebuild ? [rebuilding] : [restoring]),
    ...(mayAccept ? [accept] : []),
  );
  if (chosen === rebuilding) return rebuild(store, parts);
  if (chosen === restoring) return restore(store, parts);
  if (chosen !== accept) return;
  const detail =
    'What is missing stays missing: decisions and proposals after the last entry that is here, and with them perhaps what you rejected or forgot. Agents are served what is here from now on.';
  if (!(await confirms(`Go on with ${store.name} as it is?`, detail, 'Accept as It Is'))) return;
  await store.person.acceptAsItIs(await key.signer());
  log.info(`A person accepted ${store.name} as it is.`);
  const verdict = await soundness.lookAt(store);
  void vscode.window.showInformationMessage(verdict.sound ? `Accepted. ${verdict.text}` : verdict.text);
}

async function rebuild(store: Store, { soundness, log }: StoreCommandParts): Promise<void> {
  const detail =
    'States, search indexes and the values that are kept out are made anew from what the record says. No word and no decision changes. Agents wait meanwhile.';
  if (!(await confirms(`Rebuild the indexes of ${store.name}?`, detail, 'Rebuild Indexes'))) return;
  const options = { location: vscode.ProgressLocation.Notification, title: `Rebuilding ${store.name}` };
  const rebuilt = await vscode.window.withProgress(options, (progress) => {
    const report = steps(progress, 'looks at memories');
    return store.person.rebuild(report);
  });
  log.info(`Rebuilt ${store.name}: ${JSON.stringify(rebuilt)}`);
  await soundness.lookAt(store);
  void vscode.window.showInformationMessage(rebuiltWords(rebuilt, store.name));
}

/** The stores that have backups, whether they can be opened or not. */
async function restorable(stores: Stores): Promise<readonly Store[]> {
  const { listBackups } = await theEngine();
  const all = [...stores.all, stores.everywhere];
  const backups = await Promise.all(all.map(({ file }) => listBackups(file)));
  return all.filter((_, index) => (backups[index] ?? []).length > 0);
}

/** Asks which backup is meant, and whether it shall really take the store's place, and puts it there. */
async function restore(store: Store, { stores, key, log }: StoreCommandParts): Promise<void> {
  const { listBackups, restoreBackup } = await theEngine();
  const backups = await listBackups(store.file);
  if (backups.length === 0) {
    void vscode.window.showInformationMessage(`${store.name} has no backup yet. Stet makes one each day on which something has changed.`);
    return;
  }
  const items = backups.map((backup) => ({
    label: when(backup.takenAt.toISOString()),
    description: `${Math.ceil(backup.bytes / 1024).toLocaleString(vscode.env.language)} KB${backup.schema === undefined ? ', cannot be read' : ''}`,
    backup,
  }));
  const asked = { title: `Restore ${store.name}`, placeHolder: 'Which backup shall be put back?' };
  const chosen = await vscode.window.showQuickPick(items, asked);
  if (chosen === undefined) return;
  const detail =
    'What is here now is set aside, whole, in a folder beside it. What you rejected or forgot since the backup stays so; everything else that happened since is not in it.';
  if (!(await confirms(`Put back ${store.name} as it was on ${chosen.label}?`, detail, 'Restore'))) return;
  const signer = await key.signer();
  const root = store.isEverywhere ? undefined : rootOf(store);
  const restored = await stores.whileShut(store, () =>
    restoreBackup({ storeFile: store.file, root, keysFile: stores.keysFile, backupFile: chosen.backup.file, signer }),
  );
  log.info(`Restored ${store.name} from the backup of ${chosen.backup.takenAt.toISOString()}; ${JSON.stringify(restored)}`);
  const held =
    restored.erased === 'held' ? ' Forgotten words are still in a journal or another backup; Stet finishes as soon as it can.' : '';
  void vscode.window.showInformationMessage(`${store.name} is as it was on ${chosen.label}. ${carriedWords(restored.carriedOver)}${held}`);
}

/** Turns "so many of so many" into what a progress message is told. */
function steps(progress: vscode.Progress<{ message?: string; increment?: number }>, what: string): (done: number, total: number) => void {
  let before = 0;
  return (done, total) => {
    const percent = total === 0 ? 100 : Math.min(100, (100 * done) / total);
    progress.report({ increment: percent - before, message: `${String(done)} of ${String(total)} ${what}` });
    before = percent;
  };
}

async function confirms(question: string, detail: string, button: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button;
}
