/**
 * The signed heads: for each store the newest event that the person's key has vouched for, kept beside the pinned keys and so outside
 * the store's file. A store that was cut off, or replaced by an older copy of itself, does not hold that event.
 */
import { mkdir, open, readdir, readFile, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { canonicalJson, sha256 } from '../domain/canonical';
import { chainStart } from '../domain/events';
import { headUnreadable, storeBehind, storeUnusable } from '../errors';
import type { Signer } from '../ports';
import { takeLock, type Statements } from '../store/database';
import type { Keys } from './keyring';

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
const storeName = /^[0-9A-Za-z-]{1,64}$/; // it names a file, and comes from a store that anybody may have written

const headStatement = z.strictObject({
  version: z.literal(1),
  store: z.string().regex(storeName),
  /** The event's sequence number; 0, with a hash of zeros, for a store without events. */
  seq: z.int().min(0),
  hash: hex64,
  at: z.iso.datetime(),
  /** Where the store's file lies, as {@link placeOf} says it: a hash, so that the head tells no path. */
  place: hex64,
});
const headFile = z.strictObject({ ...headStatement.shape, key: hex64, signature: z.base64() });

type HeadStatement = z.infer<typeof headStatement>;
export type Head = Readonly<z.infer<typeof headFile>>;

/** The bytes that a head's signature covers. */
const headBytes = (statement: HeadStatement): Uint8Array => Buffer.from(`stet-head-1\n${canonicalJson(statement)}`, 'utf8');

/** What a new head is made of. */
export interface HeadedStore {
  readonly read: Pick<Statements, 'get'>;
  readonly storeFile: string;
  /** The present time, ISO 8601 in UTC. */
  readonly at: string;
}

export interface HeadKeeper {
  /**
   * The head as it is signed now; undefined when there never was one. Costs one look at the file's times while it stays the same.
   * @throws `head_unreadable` for a file that is there and is not this store's head, signed by a trusted key: never taken for none.
   */
  read(keys: Keys): Promise<Head | undefined>;
  /**
   * Signs the store's newest event, unless the head is there already. Several windows may do so at once: each looks at the head and
   * then at the store while the others wait, so that the head never moves backwards.
   * @throws `store_behind` when the store does not hold the present head, `head_unreadable`, `store_busy` or `store_unusable`.
   */
  advance(store: HeadedStore, signer: Signer, keys: Keys): Promise<Head>;
}

/**
 * @param keysFile the file of trusted keys, which the heads lie beside.
 * @throws `store_unusable` when the store's id is none that Stet gives.
 */
export function headKeeper(keysFile: string, storeId: string): HeadKeeper {
  const file = headFileOf(keysFile, storeId);
  let seen: { readonly stamp: string; readonly keys: Keys; readonly head: Head } | undefined;
  return {
    read: async (keys) => {
      const stamp = await stampOf(file);
      if (stamp === undefined) return undefined;
      if (seen?.stamp !== stamp || seen.keys !== keys) seen = { stamp, keys, head: await readHead(file, storeId, keys) };
      return seen.head;
    },
    advance: (store, signer, keys) =>
      alone(file, async () => {
        const head = (await stampOf(file)) === undefined ? undefined : await readHead(file, storeId, keys);
        if (head !== undefined && (await standing(store.read, head)) !== 'ahead') throw storeBehind();
        const next = await newestOf(store, storeId);
        if (head?.seq === next.seq && head.place === next.place) return head;
        return writeHead(file, next, signer);
      }),
  };
}

/**
 * Signs a store's newest event whatever was signed before, also where that cannot be read: for a backup that is put back and for a
 * store that a person has looked at and wants to go on with. Anything else is {@link HeadKeeper.advance}.
 * @throws `store_busy` or `store_unusable`.
 */
export function replaceHead(keysFile: string, storeId: string, store: HeadedStore, signer: Signer): Promise<Head> {
  const file = headFileOf(keysFile, storeId);
  return alone(file, async () => writeHead(file, await newestOf(store, storeId), signer));
}

/**
 * Numbers the next event after the last one that is here. SQLite remembers the numbers of events that were cut off, and would leave a
 * gap that no chain has; once a person goes on without them, there is none to tell of.
 */
export async function closeGap(tx: Pick<Statements, 'run'>): Promise<void> {
  await tx.run(`UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(seq), 0) FROM events) WHERE name = 'events'`);
}

/**
 * Where a store stands to its head: `ahead` of it or at it; `behind`, without the head's event; or `forked`, with another in its place.
 * Asked anew for each answer, for the price of one lookup by key: whoever cuts the file off does not wait for servers to end.
 */
export async function standing(read: Pick<Statements, 'get'>, head: Head): Promise<'ahead' | 'behind' | 'forked'> {
  if (head.seq === 0) return 'ahead';
  const found = await read.get('SELECT hash FROM events WHERE seq = ?', head.seq);
  if (found === undefined) return 'behind';
  return found['hash'] === head.hash ? 'ahead' : 'forked';
}

/**
 * The store that was last known at a file's place, whether the file is there or not: where one was, an empty one must not be made
 * without a person's word. Signatures are not asked for, since a false head can only hold a new store back; files that are no heads
 * are passed over, since they cannot be told whose they were and would hold back the stores of all folders.
 */
export async function knownStore(keysFile: string, storeFile: string): Promise<{ readonly storeId: string } | undefined> {
  const place = await placeOf(storeFile);
  const folder = headsFolder(keysFile);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw headUnreadable(error);
  });
  const heads = await Promise.all(
    names.map(async (name) => {
      const head = await parsedHead(join(folder, name)).catch(() => undefined);
      return head?.place === place && name === `${head.store}.json` ? head : undefined;
    }),
  );
  const newest = heads
    .filter((head) => head !== undefined)
    .sort((a, b) => a.at.localeCompare(b.at))
    .at(-1);
  return newest && { storeId: newest.store };
}

/** A store file's place: the hash of its canonical path, of which the end may be gone. */
export async function placeOf(storeFile: string): Promise<string> {
  const canonical = async (path: string): Promise<string> => {
    try {
      return await realpath(path);
    } catch (error) {
      if (!isMissing(error) || dirname(path) === path) throw storeUnusable('The place of the memory store cannot be read.', error);
      return join(await canonical(dirname(path)), basename(path));
    }
  };
  return sha256(`stet-place-1\n${await canonical(resolve(storeFile))}`);
}

const headsFolder = (keysFile: string): string => join(dirname(keysFile), 'heads');

function headFileOf(keysFile: string, storeId: string): string {
  if (!storeName.test(storeId)) throw storeUnusable('The memory store has a name that Stet does not give.');
  return join(headsFolder(keysFile), `${storeId}.json`);
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** What changes when the file does; undefined only when there is none. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return `${mtimeMs}:${ctimeMs}:${size}:${ino}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw headUnreadable(error);
  }
}

async function readHead(file: string, storeId: string, keys: Keys): Promise<Head> {
  try {
    const head = await parsedHead(file);
    const { key, signature, ...statement } = head;
    if (statement.store !== storeId) throw new Error('the head of another store');
    keys.verifyBytes(headBytes(statement), { key, signature, at: statement.at });
    return head;
  } catch (cause) {
    throw headUnreadable(cause);
  }
}

async function parsedHead(file: string): Promise<Head> {
  const found = await stat(file);
  if (!found.isFile() || found.size > 4_096) throw new Error('not a head'); // a pipe would never end
  return headFile.parse(JSON.parse(await readFile(file, 'utf8')));
}

async function newestOf(store: HeadedStore, storeId: string): Promise<HeadStatement> {
  const last = await store.read.get('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1');
  return {
    version: 1,
    store: storeId,
    seq: last === undefined ? 0 : Number(last['seq']),
    hash: last === undefined ? chainStart : String(last['hash']),
    at: store.at,
    place: await placeOf(store.storeFile),
  };
}

/** Other processes meet the old head or the new one and never a part, also after a power cut. */
async function writeHead(file: string, statement: HeadStatement, signer: Signer): Promise<Head> {
  const signature = Buffer.from(await signer.sign(headBytes(statement))).toString('base64');
  const head: Head = { ...statement, key: signer.keyId, signature };
  const draft = `${file}.new`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(head)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (cause) {
    throw storeUnusable('The newest signed event of the memory store cannot be noted beside the keys.', cause);
  }
  return head;
}

/** How long one window waits for the others. */
const lockWaitMs = 10_000;

/** One window at a time. */
async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true }).catch((cause: unknown) => {
    throw storeUnusable('The folder of the signed heads cannot be made.', cause);
  });
  // Not a file that is there or not: a window that is killed must not keep the others from signing.
  const release = await takeLock(`${file}.lock`, lockWaitMs);
  try {
    return await work();
  } finally {
    await release();
  }
}
