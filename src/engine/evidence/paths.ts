/** A caller's path to one that is stored: relative to the work tree's root, with `/`, and never outside the session's folder. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import { globPrefix, globProblem } from '../domain/globs';
import { evidenceUnresolved, invalidInput, outsideRoot, pathRefused } from '../errors';
import { isMissing } from './read';

/** Where a session runs. Both are canonical and absolute; `root` is `workTree` or a folder in it. */
export interface WorkPlace {
  readonly workTree: string;
  readonly root: string;
  /** The root as it was named, perhaps by a link: what clients put before the paths they give. */
  readonly named: string;
}

/** The session's folder relative to the work tree, `''` for the work tree itself. */
export const folderOf = (place: WorkPlace): string => relative(place.workTree, place.root).split(sep).join('/');

/**
 * The stored form of a file's or folder's path. Only the path is looked at, not the disk.
 * @param path relative to the session's root, or absolute inside it; on Windows with either slash.
 * @param field the caller's name of it, for the error.
 * @throws `outside_root` when it leads out of the session's root.
 */
export function storedPath(place: WorkPlace, path: string, field: string): string {
  const plain = sep === '\\' ? path.replaceAll('\\', '/') : path;
  const inRoot = isAbsolute(path) ? fromRoot(place, path) : plain;
  const joined = posix.normalize(inRoot === '' ? '.' : inRoot).replace(/\/+$/, '');
  if (leadsOut(joined)) throw outsideRoot(field);
  const folder = folderOf(place);
  // NFC: macOS and some tools hand out decomposed letters for the same file
  return (joined === '.' ? folder : posix.join(folder, joined)).normalize('NFC');
}

/** An absolute path from the root, by whichever of the root's names it starts with. */
function fromRoot(place: WorkPlace, path: string): string {
  const [canonical, named] = [place.root, place.named].map((root) => relative(root, path).split(sep).join('/'));
  return canonical !== undefined && !leadsOut(canonical) ? canonical : (named ?? '..');
}

const leadsOut = (path: string) => path === '..' || path.startsWith('../') || posix.isAbsolute(path) || isAbsolute(path);

/**
 * A stored path as the session's client would name it: from its root, so that it can be given back as an argument.
 * What lies outside the root stays a path from it.
 */
export const shownPath = (place: WorkPlace, stored: string): string => posix.relative(folderOf(place), stored) || '.';

/**
 * The stored form of a glob, below the session's root.
 * @throws `outside_root` or `invalid_input` for one that leads out or may not be used.
 */
export function storedGlob(place: WorkPlace, glob: string, field: string): string {
  const plain = sep === '\\' ? glob.replaceAll('\\', '/') : glob;
  if (plain.startsWith('/') || plain.split('/').includes('..') || /^[a-zA-Z]:/.test(plain)) throw outsideRoot(field);
  const problem = globProblem(plain);
  if (problem !== undefined) throw invalidInput(`${field}: a glob ${problem}.`);
  return posix.join(globPrefix(folderOf(place)), plain.replace(/^(\.\/)+/, '')).normalize('NFC');
}

/** File names that hold secrets by convention. Their contents must not become the basis of a memory. */
const secretNames = picomatch(
  [
    '.env',
    '.env.*',
    '*.env',
    '*.pem',
    '*.key',
    '*.p12',
    '*.pfx',
    '*.jks',
    '*.keystore',
    '*.kdbx',
    'id_rsa*',
    'id_dsa*',
    'id_ecdsa*',
    'id_ed25519*',
    '.netrc',
    '.npmrc',
    '.pypirc',
    '.pgpass',
    '.htpasswd',
    'credentials',
    'credentials.*',
    '*.secret',
    '*.secrets',
    'secrets.*',
    'secret.*',
    '.envrc',
    '.env~',
    '.git-credentials',
    '*.tfvars',
    'service-account*.json',
    '.vault-token',
    '*.ppk',
    '*.gpg',
    '*.pem.*',
    '*.key.*',
  ],
  { dot: true, nocase: true, basename: true },
);
const publicExamples = picomatch(['.env.example', '.env.sample', '.env.template', '*.example', '*.pub'], {
  dot: true,
  nocase: true,
  basename: true,
});

/** A file that may be read as evidence: where it is, and where it really is, both relative to the work tree. */
export interface Readable {
  readonly absolute: string;
  readonly real: string;
  readonly realStored: string;
}

/**
 * Where a stored path leads.
 * @returns undefined when there is no such file.
 * @throws `path_refused` by name: git's own files, secrets by name, links that lead outside the session's folder;
 *   `evidence_unresolved` when the way there cannot be followed: links in a ring, a folder closed to this user.
 */
export async function readablePath(place: WorkPlace, stored: string): Promise<Readable | undefined> {
  const parts = stored.split('/');
  if (parts.includes('.git')) throw pathRefused(`${quoted(stored)} belongs to git itself.`);
  if (isSecretByName(stored)) throw pathRefused(`${quoted(stored)} is a file that holds secrets by its name.`);
  const absolute = join(place.workTree, ...parts);
  const real = await realpath(absolute).catch((cause: unknown) => {
    if (isMissing(cause)) return undefined; // an ordinary answer
    throw evidenceUnresolved(`The file ${quoted(stored)} cannot be read.`, cause);
  });
  if (real === undefined) return undefined;
  if (leadsOut(relative(place.root, real).split(sep).join('/')))
    throw pathRefused(`${quoted(stored)} is a link that leads outside the folder.`);
  const realStored = relative(place.workTree, real).split(sep).join('/');
  if (isSecretByName(realStored) || realStored.split('/').includes('.git'))
    throw pathRefused(`${quoted(stored)} is a link to a file that is refused.`);
  return { absolute, real, realStored };
}

const isSecretByName = (path: string) => secretNames(path) && !publicExamples(path);

/** A path in a sentence, shortened. */
export const quoted = (path: string): string => JSON.stringify(path.length > 120 ? `…${path.slice(-119)}` : path);
