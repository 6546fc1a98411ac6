/**
 * From a folder to the work tree it lies in and to the one store file that belongs to it.
 *
 * The repository's layout is read from its files and not asked of the git program: agents set its environment variables
 * (`GIT_DIR` would move the boundary), it refuses folders of other owners, and it may not be there.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sha256 } from '../domain/canonical';
import { noFolder } from '../errors';

export interface Place {
  /** The canonical folder that stored paths are relative to. */
  readonly workTree: string;
  /** What the store belongs to: the repository's common directory, or the folder itself where there is no repository. */
  readonly identity: string;
}

/**
 * The work tree and identity of a folder. Work trees of one repository share their identity.
 * @throws `no_folder` when the folder does not exist.
 */
export function locate(folder: string): Place {
  const start = canonicalFolder(folder);
  for (let at = start; ; at = dirname(at)) {
    const commonDirectory = commonDirectoryOf(at);
    if (commonDirectory !== undefined) return { workTree: at, identity: commonDirectory };
    if (dirname(at) === at) return { workTree: start, identity: start };
  }
}

/** The store's file below the folder that holds all stores. Two different identities never meet, however alike their names. */
export const storeFile = (storesFolder: string, place: Place): string =>
  join(storesFolder, sha256(place.identity).slice(0, 32), 'memory.db');

function canonicalFolder(folder: string): string {
  try {
    const canonical = realpathSync.native(folder); // native: also the true letter case where the file system folds it
    if (statSync(canonical).isDirectory()) return canonical;
  } catch {
    // told below: for the caller a missing folder and one that is no folder are the same
  }
  throw noFolder();
}

/** The common git directory of a work tree's root (`.git` itself, or where a `.git` file leads), if this is one. */
function commonDirectoryOf(folder: string): string | undefined {
  const dotGit = join(folder, '.git');
  const directory = isFolder(dotGit) ? dotGit : linkedDirectory(folder, dotGit);
  if (directory === undefined || !isFolder(directory)) return undefined;
  const common = firstLine(join(directory, 'commondir'));
  const found = common === undefined ? directory : resolve(directory, common);
  return isFolder(join(found, 'objects')) ? realpathSync.native(found) : undefined;
}

function linkedDirectory(folder: string, dotGit: string): string | undefined {
  const target = /^gitdir: (.+)$/.exec(firstLine(dotGit) ?? '')?.[1];
  return target === undefined ? undefined : resolve(folder, target);
}

function firstLine(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0];
  } catch {
    return undefined; // no such file, the ordinary case
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or not to be seen by this user, which is the same here
  }
}
