/**
 * The commands about a store as a whole. What changes something asks in a modal question first: a command can be run by anybody, and
 * none can press its button.
 */
import * as vscode from 'vscode';
import type { CommandTable } from './commands';
import { hasMemory } from './missing';
import type { Notices } from './notices';
import { pickStore } from './pick-store';
import type { PersonsKey } from './signer';
import type { Soundness } from './soundness';
import type { Store, Stores } from './stores';
import type { Verdict } from './store-words';

export interface StoreCommandParts {
  readonly stores: Stores;
  readonly key: PersonsKey;
  readonly soundness: Soundness;
  readonly notices: Notices;
  readonly log: vscode.LogOutputChannel;
}

type StoreCommands = Pick<CommandTable, 'verifyStore' | 'startAnew' | 'pauseMemory' | 'resumeMemory'>;

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
    startAnew: async () => {
      await stores.settled();
      const gone = stores.all.filter(({ opening }) => opening.is === 'failed' && opening.error.code === 'store_missing');
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
    let before = 0;
    return soundness.lookAt(store, {
      signal: stop.signal,
      progress: (done, total) => {
        const percent = total === 0 ? 100 : Math.min(100, (100 * done) / total);
        progress.report({ increment: percent - before, message: `${String(done)} of ${String(total)} entries` });
        before = percent;
      },
    });
  });
}

/** Says what is wrong with a store in a modal question, and what can be done about it. */
async function offerNextStep(store: Store, { text, next, mayAccept }: Verdict, { key, soundness, log }: StoreCommandParts): Promise<void> {
  const accept = 'Accept as It Is…';
  const chosen = await vscode.window.showWarningMessage(text, { modal: true, detail: next }, ...(mayAccept ? [accept] : []));
  if (chosen !== accept) return;
  const detail =
    'What is missing stays missing: decisions and proposals after the last entry that is here, and with them perhaps what you rejected or forgot. Agents are served what is here from now on.';
  if (!(await confirms(`Go on with ${store.name} as it is?`, detail, 'Accept as It Is'))) return;
  await store.person.acceptAsItIs(await key.signer());
  log.info(`A person accepted ${store.name} as it is.`);
  const verdict = await soundness.lookAt(store);
  void vscode.window.showInformationMessage(verdict.sound ? `Accepted. ${verdict.text}` : verdict.text);
}

async function confirms(question: string, detail: string, button: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button;
}
