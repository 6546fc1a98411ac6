/** Stores as files that can be asked what they belong to, and that can move to another place with all that lies beside them. */
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storeBusy, storeUnusable } from '../errors';
import type { Clock } from '../ports';
import { grantFor, readPredicate } from '../scope/grant';
import { onUnopened } from './database';
import { bytesOf, freeName, namesIn, setAsideFolder } from './places';

/** What a store says of itself. */
export interface StoreFace {
  readonly file: string;
  readonly storeId: string;
  /** The repository's common directory, or the folder, that it belongs to. */
  readonly identity: string;
  readonly memories: number;
  readonly events: number;
  /** Commits that its evidence names: a few, by which a repository can be known again. */
  readonly commits: readonly string[];
}

/** How many commits are enough to know a repository by. */
const mostCommits = 20;

/** The stores below the folder that holds all of them; files that cannot be read as one are passed over. */
export async function storesBelow(storesFolder: string): Promise<StoreFace[]> {
  const found: StoreFace[] = [];
  for (const name of await namesIn(storesFolder)) {
    const file = join(storesFolder, name, 'memory.db');
    if (((await bytesOf(file)) ?? 0) === 0) continue;
    const face = await faceOf(file).catch(() => undefined); // damaged, or of another program: nothing to offer
    if (face !== undefined) found.push(face);
  }
  return found;
}

/** @throws `store_damaged` or `store_unusable` for what is no store. */
export function faceOf(file: string): Promise<StoreFace> {
  return onUnopened(file, async (read) => {
    const row = await read.get('SELECT id, identity FROM store');
    if (row === undefined) throw storeUnusable('The memory store has lost its name.');
    const storeId = String(row['id']);
    const within = readPredicate(grantFor(storeId, ''), 'm.scope');
    const counts = await read.get(
      `SELECT (SELECT count(*) FROM memories m WHERE ${within.sql}) AS memories, (SELECT count(*) FROM events) AS events`,
      ...within.values,
    );
    const commits = await read.all(
      `SELECT DISTINCT coalesce(e.pointer ->> '$.commit', e.pointer ->> '$.sha') AS sha FROM evidence e JOIN memories m ON m.seq = e.memory
       WHERE sha IS NOT NULL AND ${within.sql} LIMIT ${mostCommits}`,
      ...within.values,
    );
    return {
      file,
      storeId,
      identity: String(row['identity']),
      memories: Number(counts?.['memories']),
      events: Number(counts?.['events']),
      commits: commits.map(({ sha }) => String(sha)),
    };
  });
}

/**
 * Moves a store that nobody has open to another place, in one step, with its journal, its backups and what was set aside there. A store
 * without any event that lies at that place is set aside with it; any other refuses.
 * @param oldFile lies in a folder of its own, as `newFile` will, and has the same name there.
 * @throws `store_unusable` when a store with events is there, `store_busy` when the files are in use.
 */
export async function moveStore(oldFile: string, newFile: string, clock: Clock): Promise<void> {
  const [from, to] = [dirname(oldFile), dirname(newFile)];
  if (((await bytesOf(newFile)) ?? 0) > 0 && (await faceOf(newFile)).events > 0)
    throw storeUnusable('This folder has a memory store of its own already, and it is not empty.');
  try {
    await mkdir(dirname(to), { recursive: true });
    if ((await namesIn(to)).length > 0) {
      const aside = setAsideFolder(oldFile);
      await mkdir(aside, { recursive: true });
      await rename(to, join(aside, await freeName(oldFile, aside, clock.now())));
    }
    await rename(from, to);
  } catch (cause) {
    throw storeBusy(cause);
  }
}
