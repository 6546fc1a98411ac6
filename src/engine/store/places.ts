/** Where the files beside a store lie: its journal, its backups, and what was set aside when it was restored. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export const backupsFolder = (storeFile: string): string => join(dirname(storeFile), 'backups');
export const setAsideFolder = (storeFile: string): string => join(dirname(storeFile), 'set-aside');

/** The store's name without its ending; what belongs to it starts with this, so that two stores can share a folder. */
export const storeName = (storeFile: string): string => basename(storeFile).replace(/\.db$/, '');

/** `<name>-<UTC stamp>-<n>`: sorts by time, and is a file name on every system. The number tells those of one second apart. */
const stamped = /^(.+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d+)$/;

const stampedName = (storeFile: string, at: Date, n: number): string =>
  `${storeName(storeFile)}-${at.toISOString().replace(/[-:]|\.\d+/g, '')}-${n}`;

/** @returns when a thing of this name was made for the store, and its number; undefined for a name of something else. */
function readStampedName(storeFile: string, name: string): { at: Date; n: number } | undefined {
  const [, store, year, month, day, hour, minute, second, n] = stamped.exec(name) ?? [];
  if (store !== storeName(storeFile)) return undefined;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at.getTime()) ? undefined : { at, n: Number(n) };
}

/** The names in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The size in bytes; undefined when there is no such file. */
export async function bytesOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size; // not there
}

export type Presence = 'new' | 'present' | 'folder' | 'lost';

/**
 * What lies at a store's path. `lost` is a missing or empty file with a journal or with backups beside it: a store was here, and
 * an empty one must not take its place.
 */
export async function presenceOf(storeFile: string): Promise<Presence> {
  // The journal is looked at first: a store that is being made has bytes before it has a journal.
  const journal = await bytesOf(`${storeFile}-wal`);
  const found = await stat(storeFile).catch(() => undefined); // not there
  if (found?.isDirectory() === true) return 'folder';
  if (found !== undefined && found.size > 0) return 'present';
  return journal !== undefined || (await hasBackups(storeFile)) ? 'lost' : 'new';
}

/** Whether the store has been backed up, in files that may or may not be readable. */
export const hasBackups = async (storeFile: string): Promise<boolean> => (await backupsOf(storeFile)).length > 0;

/** A copy of a store that carries the time it was made at in its name. */
export interface StampedFile {
  readonly file: string;
  readonly at: Date;
  readonly n: number;
}

/** The store's backups, newest first. */
export async function backupsOf(storeFile: string): Promise<StampedFile[]> {
  const folder = backupsFolder(storeFile);
  return newestFirst(storeFile, await namesIn(folder), '.db', (name) => join(folder, name));
}

/** The stores that a restored one took the place of, newest first. */
export async function setAsideOf(storeFile: string): Promise<StampedFile[]> {
  const folder = setAsideFolder(storeFile);
  return newestFirst(storeFile, await namesIn(folder), '', (name) => join(folder, name, basename(storeFile)));
}

function newestFirst(storeFile: string, names: readonly string[], ending: string, at: (name: string) => string): StampedFile[] {
  return names
    .flatMap((name) => {
      const stamp = name.endsWith(ending) ? readStampedName(storeFile, name.slice(0, name.length - ending.length)) : undefined;
      return stamp === undefined ? [] : [{ file: at(name), ...stamp }];
    })
    .sort((a, b) => b.at.getTime() - a.at.getTime() || b.n - a.n);
}

/** A name with this time that nothing in the folder has yet; endings are left out of the comparison. */
export async function freeName(storeFile: string, folder: string, at: Date): Promise<string> {
  const taken = new Set((await namesIn(folder)).map((name) => name.replace(/\..*$/, '')));
  for (let n = 1; ; n += 1) {
    const name = stampedName(storeFile, at, n);
    if (!taken.has(name)) return name;
  }
}
