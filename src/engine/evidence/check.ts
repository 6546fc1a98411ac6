/** Evidence is checked when it is used: what a memory rests on, as stored, against what is in the work tree now. */
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { saltedHash } from '../domain/canonical';
import type { Evidence } from '../domain/memory';
import { StetError } from '../errors';
import { excerptOf, linesOf, namedLines, type Lines } from './lines';
import { folderOf, readablePath, type Readable, type WorkPlace } from './paths';
import { isMissing, kindOf, readFound, stampOf } from './read';
import type { Repository } from './repository';

/**
 * What became of one pointer. A digest is the salted hash of the named lines as they are now (of whole files: of the file), so that a
 * person's "still right" can be remembered for exactly that text.
 *
 * - `intact`: the same text at the same place, or the commit is there.
 * - `moved`: the same lines elsewhere in the file, at the place nearest to the old one.
 * - `changed`: the lines are not in the file any more; or are neither at their place nor among the `farthest` windows looked at.
 * - `missing`: no such file any more (a folder in its place is none), or no such commit.
 * - `unverifiable`: something is there and is not looked at (a link that leads outside, a secret by name, a pipe, over 4 MB, closed to
 *   this user), or git cannot say.
 *
 * Undefined where no check was made: of pointers to anything else, of files outside the session's folder, beyond the reply's budget.
 */
export type EvidenceState =
  | { readonly state: 'intact'; readonly digest?: string }
  | { readonly state: 'moved'; readonly startLine: number; readonly endLine: number; readonly digest: string }
  | { readonly state: 'changed'; readonly digest: string }
  | { readonly state: 'missing' }
  | { readonly state: 'unverifiable' }
  | undefined;

/** The parts of a memory that a check needs. */
export interface Checked {
  readonly id: string;
  /** The memory's salt, hex. */
  readonly salt: string;
  readonly evidence: readonly Evidence[];
}

export interface EvidenceChecker {
  /**
   * The states of a memory's evidence, one for each pointer, in their order. No text of a file leaves this function.
   * @param budget shared by all items of one reply; on its own, a check has one for itself.
   */
  check(memory: Checked, budget?: CheckBudget): Promise<readonly EvidenceState[]>;
  /** Drops what is remembered of a memory, also by checks that are still running. */
  forget(memoryId: string): void;
}

/** What the checks of one reply may cost. */
export interface CheckLimits {
  /** Paths asked about, each once. */
  readonly paths: number;
  /** Files read, each once. */
  readonly files: number;
  /** Bytes read and hashed. */
  readonly bytes: number;
  /** Hashes made. */
  readonly hashes: number;
  /** Times that git is asked about a commit. */
  readonly commits: number;
}

/** Room for one pointer of the costliest kind beside ordinary ones: so what is left out is reached by a later reply, the rest being remembered. */
const usualLimits: CheckLimits = { paths: 64, files: 24, bytes: 24 * 2 ** 20, hashes: 24_000, commits: 4 };

/** The budget of one reply, and the files it looked at, which are held for as long as this is: let go of it with the reply. */
export class CheckBudget {
  /** By stored path. */
  readonly files = new Map<string, Promise<FileNow | undefined>>();
  /** By their ids. */
  readonly commits = new Map<string, Promise<EvidenceState>>();
  readonly #left: Record<keyof CheckLimits, number>;

  constructor(limits: Partial<CheckLimits> = {}) {
    this.#left = { ...usualLimits, ...limits };
  }

  /** Takes all of it or nothing. @returns whether there was enough. */
  take(what: keyof CheckLimits, amount = 1): boolean {
    if (this.#left[what] < amount) return false;
    this.#left[what] -= amount;
    return true;
  }
}

/** A file as a reply found it. */
type FileNow =
  | { readonly is: 'missing' | 'unverifiable' }
  | { readonly is: 'file'; readonly stamp: string; readonly content: () => Promise<Content | 'missing' | 'unverifiable' | undefined> };
interface Content {
  readonly lines: Lines;
  /** Undefined while the file has not settled: then nothing about it is remembered. */
  readonly stamp: string | undefined;
}
type FilePointer = Extract<Evidence, { kind: 'file' }>;

/** One call of `check`. */
interface Check {
  readonly salt: string;
  readonly budget: CheckBudget;
  /** How often something had been forgotten when it began: what it finds out is not remembered once that is out of date. */
  readonly begun: number;
}

/** What is remembered of one pointer: hashes and numbers, no words and no paths. */
interface Remembered {
  readonly stamp: string;
  readonly excerptHash: string;
  readonly state: EvidenceState;
}
const mostRemembered = 8_192;
/** Commits that were there are remembered to be, up to so many. */
const mostPresent = 4_096;

/** Checks evidence in one work tree, within the session's folder, and remembers the outcome for as long as a file's stamp stays the same. */
export function evidenceChecker(place: WorkPlace, repository: Repository): EvidenceChecker {
  const remembered = new Map<string, Remembered>();
  const present = new Set<string>();
  let forgets = 0;

  async function stateOf(pointer: Evidence, key: string, check: Check): Promise<EvidenceState> {
    switch (pointer.kind) {
      case 'file':
        return isBelow(folderOf(place), pointer.path) ? fileState(pointer, key, check) : undefined;
      case 'commit':
        return once(check.budget.commits, pointer.sha, () => commitState(pointer.sha, check.budget));
      case 'url':
      case 'issue':
      case 'quote':
      case 'memory':
        return undefined;
    }
  }

  async function fileState(pointer: FilePointer, key: string, { salt, budget, begun }: Check): Promise<EvidenceState> {
    const file = await once(budget.files, pointer.path, () => look(place, pointer.path, budget));
    if (file === undefined) return undefined;
    if (file.is !== 'file') return { state: file.is };
    const earlier = remembered.get(key);
    if (earlier?.stamp === file.stamp && earlier.excerptHash === pointer.excerptHash) return earlier.state;
    const content = await file.content();
    if (content === undefined) return undefined;
    if (typeof content === 'string') return { state: content };
    const state = await compare(pointer, content.lines, salt, budget);
    if (state !== undefined && content.stamp !== undefined && begun === forgets)
      remember(key, { stamp: content.stamp, excerptHash: pointer.excerptHash, state });
    return state;
  }

  async function commitState(sha: string, budget: CheckBudget): Promise<EvidenceState> {
    if (present.has(sha)) return { state: 'intact' };
    if (!budget.take('commits')) return undefined;
    const isPresent = await repository.has(sha);
    if (isPresent === undefined) return { state: 'unverifiable' };
    if (!isPresent) return { state: 'missing' };
    if (present.size >= mostPresent) present.clear();
    present.add(sha);
    return { state: 'intact' };
  }

  function remember(key: string, outcome: Remembered): void {
    remembered.delete(key);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= mostRemembered) remembered.delete(oldest);
    remembered.set(key, outcome);
  }

  return {
    check: async ({ id, salt, evidence }, budget = new CheckBudget()) => {
      const states: EvidenceState[] = [];
      const check = { salt, budget, begun: forgets };
      for (const [index, pointer] of evidence.entries()) states.push(await stateOf(pointer, `${id} ${index}`, check));
      return states;
    },
    forget: (memoryId) => {
      forgets += 1;
      for (const key of remembered.keys()) if (key.startsWith(`${memoryId} `)) remembered.delete(key);
    },
  };
}

const isBelow = (folder: string, path: string) => folder === '' || path.startsWith(`${folder}/`);

/** What was found out under this name, finding it out at the first time it is asked. */
function once<T>(found: Map<string, Promise<T>>, name: string, find: () => Promise<T>): Promise<T> {
  const earlier = found.get(name);
  if (earlier !== undefined) return earlier;
  const finding = find();
  found.set(name, finding);
  return finding;
}

/** Looks at a file without opening it. Whether git ignores it is not asked: it was not when it became evidence. */
async function look(place: WorkPlace, path: string, budget: CheckBudget): Promise<FileNow | undefined> {
  if (!budget.take('paths')) return undefined;
  const found = await readablePath(place, path).catch(refusedOrThrow);
  if (found === 'refused') return { is: 'unverifiable' };
  const now = found && (await stat(found.real, { bigint: true }).catch(missingOrClosed));
  // A whole work tree that is away (a drive not mounted) says nothing of its files.
  if (found === undefined || now === undefined || now === 'missing')
    return { is: (await isThere(place.root)) ? 'missing' : 'unverifiable' };
  if (now === 'closed') return { is: 'unverifiable' };
  if (now.isDirectory()) return { is: 'missing' };
  if (kindOf(now) !== 'readable') return { is: 'unverifiable' };
  let content: ReturnType<typeof contentOf> | undefined;
  return { is: 'file', stamp: stampOf(now).value, content: () => (content ??= contentOf(found, now, budget)) };
}

function refusedOrThrow(error: unknown): 'refused' {
  if (error instanceof StetError) return 'refused';
  throw error;
}

const missingOrClosed = (cause: unknown) => (isMissing(cause) ? 'missing' : 'closed');

const isThere = (folder: string) =>
  stat(folder).then(
    () => true,
    () => false,
  );

/** Reads a file that was looked at; undefined when that is over the budget. */
async function contentOf(
  found: Readable,
  now: BigIntStats,
  budget: CheckBudget,
): Promise<Content | 'missing' | 'unverifiable' | undefined> {
  if (!budget.take('bytes', Number(now.size)) || !budget.take('files')) return undefined;
  const read = await readFound(found);
  if (read.as !== 'read') return read.as === 'missing' ? 'missing' : 'unverifiable';
  return { lines: linesOf(read.bytes), stamp: read.stamp.isYoung ? undefined : read.stamp.value };
}

/** Whether the lines a pointer names are where they were, or elsewhere; undefined when finding out is over the budget. */
async function compare(pointer: FilePointer, lines: Lines, salt: string, budget: CheckBudget): Promise<EvidenceState> {
  const named = namedLines(pointer);
  const { first, last } = named ?? { first: 1, last: lines.count };
  const excerpt = excerptOf(lines, first, last);
  if (!takeHash(budget, excerpt)) return undefined;
  const digest = saltedHash(salt, excerpt);
  // Of a line beyond the end nothing is left, which is not the empty line that was there.
  if (digest === pointer.excerptHash && (last <= lines.count || named === undefined)) return { state: 'intact', digest };
  if (named === undefined) return { state: 'changed', digest };
  const start = await placeOf(pointer.excerptHash, first, last - first + 1, lines, salt, budget);
  if (start === 'over budget') return undefined;
  if (start === undefined) return { state: 'changed', digest };
  return { state: 'moved', startLine: start, endLine: start + last - first, digest: pointer.excerptHash };
}

const takeHash = (budget: CheckBudget, excerpt: Buffer) => budget.take('hashes') && budget.take('bytes', excerpt.length);

/**
 * How far a moved excerpt is looked for, from its old place outwards. Only its salted hash is kept, so every window has to be hashed.
 * What is farther counts as changed, not as unverifiable: it is certain that the place named does not hold it any more, and that is
 * for a person to look at.
 */
const farthest = { windows: 20_000, bytes: 16 * 2 ** 20 };
/** About three milliseconds of hashing, after which others have their turn. */
const windowsAtOnce = 2_000;

/** The first line of the window nearest to the old place that hashes to this, the later one of two at the same distance. */
async function placeOf(
  hash: string,
  old: number,
  length: number,
  lines: Lines,
  salt: string,
  budget: CheckBudget,
): Promise<number | 'over budget' | undefined> {
  const lastStart = lines.count - length + 1;
  let [windows, bytes] = [0, 0];
  for (let distance = Math.max(1, old - lastStart); distance <= Math.max(old - 1, lastStart - old); distance += 1) {
    for (const start of [old + distance, old - distance]) {
      if (start < 1 || start > lastStart) continue;
      const excerpt = excerptOf(lines, start, start + length - 1);
      windows += 1;
      bytes += excerpt.length;
      if (windows > farthest.windows || bytes > farthest.bytes) return undefined;
      if (!takeHash(budget, excerpt)) return 'over budget';
      if (saltedHash(salt, excerpt) === hash) return start;
      if (windows % windowsAtOnce === 0) await setImmediate();
    }
  }
  return undefined;
}
