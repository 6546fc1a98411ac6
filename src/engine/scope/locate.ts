/**
 * From a folder to the work tree it lies in and to the one store file that belongs to it.
 *
 * The repository's layout is read from its files and not asked of the git program: agents set its environment variables
 * (`GIT_DIR` would move the boundary), it refuses folders of other owners, and it may not be there.
 */
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { sha256 } from '../domain/canonical';
import { noFolder } from '../errors';

export interface Place {
  /** The canonical folder that stored paths are relative to. */
  readonly workTree: string;
  /** What the store belongs to: the repository's common directory, or the folder itself where there is no repository. */
  readonly identity: string;
  /** The work tree's own git directory; undefined without a repository. */
  readonly gitDirectory: string | undefined;
}

/**
 * The work tree and identity of a folder. Work trees of one repository share their identity.
 * @throws `no_folder` when the folder does not exist.
 */
export function locate(folder: string): Place {
  const start = canonicalFolder(folder);
  for (let at = start; ; at = dirname(at)) {
    const repository = repositoryOf(at);
    if (repository !== undefined) return { workTree: at, ...repository };
    if (dirname(at) === at) return { workTree: start, identity: start, gitDirectory: undefined };
  }
}

/**
 * The place of a folder, if the store that was made for `identity` is for it: the same repository, or a folder inside one that has no
 * repository, or the same folder that has become one or is none any more.
 */
export function placeWithin(identity: string, folder: string): Place | undefined {
  const place = locate(folder);
  if (place.identity === identity || place.workTree === identity || identity === join(place.workTree, '.git')) return place;
  const inside = place.gitDirectory === undefined && !relative(identity, place.workTree).startsWith('..') && isFolder(identity);
  return inside ? { workTree: identity, identity, gitDirectory: undefined } : undefined;
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

/**
 * The repository whose work tree's root this folder is. A `.git` that leads elsewhere counts only where that place says the same of
 * this folder: anybody can write a file that names somebody else's repository. One that does not hold makes the folder its own.
 */
function repositoryOf(folder: string): Pick<Place, 'identity' | 'gitDirectory'> | undefined {
  const dotGit = join(folder, '.git');
  const kind = lstatSync(dotGit, { throwIfNoEntry: false });
  if (kind === undefined) return undefined;
  if (kind.isDirectory()) return isFolder(join(dotGit, 'objects')) ? { identity: dotGit, gitDirectory: dotGit } : undefined;
  return linkedRepository(folder, dotGit) ?? { identity: folder, gitDirectory: undefined };
}

/** A linked work tree names its common directory and is named by it; a submodule's directory names its work tree. */
function linkedRepository(folder: string, dotGit: string): Pick<Place, 'identity' | 'gitDirectory'> | undefined {
  const target = /^gitdir: (.+)$/.exec(firstLine(dotGit) ?? '')?.[1];
  const directory = canonicalOr(target === undefined ? undefined : resolve(folder, target));
  if (directory === undefined) return undefined;
  const back = firstLine(join(directory, 'gitdir'));
  const common = firstLine(join(directory, 'commondir'));
  if (back !== undefined && common !== undefined) {
    const identity = canonicalOr(resolve(directory, common));
    const belongs =
      canonicalOr(dirname(resolve(directory, back))) === folder &&
      identity !== undefined &&
      dirname(directory) === join(identity, 'worktrees');
    return belongs ? { identity, gitDirectory: directory } : undefined;
  }
  const workTree = /^\s*worktree\s*=\s*(.+)$/m.exec(textOf(join(directory, 'config')) ?? '')?.[1];
  const isItsOwn = workTree !== undefined && canonicalOr(resolve(directory, workTree)) === folder;
  return isItsOwn ? { identity: directory, gitDirectory: directory } : undefined;
}

function canonicalOr(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync.native(path);
  } catch {
    return undefined; // it leads nowhere
  }
}

const firstLine = (file: string): string | undefined => textOf(file)?.split(/\r?\n/, 1)[0];

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
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
