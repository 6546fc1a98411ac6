/** A folder that has moved is offered its old store, and a person adopts it. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openStore } from './engine';
import { otherFolder } from './errors';
import { repositoryAt } from './evidence/repository';
import { personAccess } from './person';
import type { Clock, Ids, Signer } from './ports';
import { grantFor } from './scope/grant';
import { locate } from './scope/locate';
import { storesBelow, type StoreFace } from './store/moved';

/** A store whose folder is gone. */
export interface MovedStore extends Pick<StoreFace, 'file' | 'storeId' | 'memories'> {
  /** The folder that it belonged to. */
  readonly folder: string;
  /** Whether a commit that its memories rest on is in the repository of the folder that asks. */
  readonly sameHistory: boolean;
  /** Whether the folder had the same name. */
  readonly sameName: boolean;
}

/**
 * The stores below the folder of all stores whose own folder is gone: those that fit the folder that asks come first. Opens none of
 * them for writing. A folder on a drive that is not mounted is gone, too, so only a person can say which is the one.
 * @throws `no_folder`.
 */
export async function findMovedStores(storesFolder: string, root: string): Promise<MovedStore[]> {
  const { workTree } = locate(root);
  const repository = repositoryAt(workTree);
  const found: MovedStore[] = [];
  for (const { file, storeId, identity, memories, commits } of await storesBelow(storesFolder)) {
    if (existsSync(identity) || identity === 'user') continue;
    const folder = basename(identity) === '.git' ? dirname(identity) : identity;
    let sameHistory = false;
    for (const sha of commits) sameHistory ||= (await repository.has(sha)) === true;
    found.push({ file, storeId, memories, folder, sameHistory, sameName: basename(folder) === basename(workTree) });
  }
  const fit = ({ sameHistory, sameName }: MovedStore) => (sameHistory ? 2 : 0) + (sameName ? 1 : 0);
  return found.sort((a, b) => fit(b) - fit(a) || b.memories - a.memories || a.folder.localeCompare(b.folder));
}

export interface AdoptOptions {
  /** The store's file, at the place that belongs to the folder: see `moveStore`. */
  readonly storeFile: string;
  readonly root: string;
  readonly keysFile: string;
  readonly signer: Signer;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/**
 * Makes a store that belonged to a folder that is gone the store of this folder, by a signed rule. It can be opened as any other then.
 * @throws `other_folder` while the folder it belongs to is still there: that one was copied and not moved.
 */
export async function adoptStore(options: AdoptOptions): Promise<void> {
  const { identity, workTree } = locate(options.root);
  const store = await openStore(options.storeFile, identity, options, undefined, (belongsTo) => {
    if (belongsTo !== identity && existsSync(belongsTo)) throw otherFolder();
    return { workTree, root: workTree, named: workTree };
  });
  try {
    const { reader, parts } = store.source;
    const whole = { ...store, source: { parts, reader: { ...reader, grant: grantFor(parts.store.id, '') } } };
    await personAccess(whole).adopt(identity, options.signer);
  } finally {
    await store.close();
  }
}
