/** A new and empty store where one was before: only on a person's word, and nothing of the former one is removed. */
import { openStore } from './engine';
import { replaceHead } from './ledger/heads';
import type { Clock, Ids, Signer } from './ports';
import { locate } from './scope/locate';
import { setStoreAside } from './store/backup';
import { systemClock } from './system';

export interface StartAnewOptions {
  readonly storeFile: string;
  readonly root: string;
  readonly keysFile: string;
  readonly signer: Signer;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/**
 * Sets aside what lies in the store's place, makes a new store there and signs it as the one that belongs there. Backups and what was
 * set aside stay. What was rejected or forgotten in the former store is not known to the new one: its keys are salted differently.
 * @returns the folder that the former store was moved to; undefined when nothing was there.
 * @throws `store_busy`, `store_unusable` or `no_folder`.
 */
export async function startAnew(options: StartAnewOptions): Promise<{ readonly setAside: string | undefined }> {
  const { storeFile, keysFile, signer, clock = systemClock } = options;
  const { identity, workTree } = locate(options.root);
  const setAside = await setStoreAside(storeFile, clock);
  const store = await openStore(storeFile, identity, { ...options, startAnew: true }, undefined, () => ({
    workTree,
    root: workTree,
    named: workTree,
  }));
  try {
    const { database, store: made } = store.source.parts;
    await replaceHead(keysFile, made.id, { read: database.read, storeFile, at: clock.now().toISOString() }, signer);
  } finally {
    await store.close();
  }
  return { setAside };
}
