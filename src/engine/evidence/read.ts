/** Reading one file that was looked at before, and no other: not a link put in its place meanwhile, no pipe, nothing huge. */
import { constants, type BigIntStats } from 'node:fs';
import { open, realpath } from 'node:fs/promises';

/** Larger files are not read to look at a few lines of them. */
const largestFileBytes = 4 * 2 ** 20;

/** What a file system says of a file: the same stamp, once the file has settled, means the same bytes. */
export interface Stamp {
  /** Device, file number, size and both times in nanoseconds; the time of the change of status cannot be set back by a program. */
  readonly value: string;
  /** Whether the file was changed so recently that a further change could leave the stamp as it is. */
  readonly isYoung: boolean;
}

export type Read =
  | { readonly as: 'read'; readonly bytes: Buffer; readonly stamp: Stamp }
  | { readonly as: 'missing' | 'unreadable' | 'not_a_file' | 'too_large'; readonly cause?: unknown };

/**
 * A file's bytes as they are now.
 * @param file where it was found (`absolute`) and where that really is (`real`); both must still be so when it is open.
 */
export async function readFound(file: { readonly absolute: string; readonly real: string }): Promise<Read> {
  try {
    const handle = await open(file.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await handle.stat({ bigint: true });
      const kind = kindOf(found);
      if (kind !== 'readable') return { as: kind };
      if ((await realpath(file.absolute)) !== file.real) return { as: 'unreadable' };
      return { as: 'read', bytes: await handle.readFile(), stamp: stampOf(found) };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    return { as: isMissing(cause) ? 'missing' : 'unreadable', cause }; // unreadable: a link now, or closed to this user
  }
}

/** Whether a failure of the file system says that nothing is there. */
export const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(String(cause.code));

/** Whether a file of this kind and size is read at all. */
export function kindOf(found: BigIntStats): 'readable' | 'not_a_file' | 'too_large' {
  if (!found.isFile()) return 'not_a_file';
  return found.size > BigInt(largestFileBytes) ? 'too_large' : 'readable';
}

export const stampOf = (found: BigIntStats): Stamp => ({
  value: [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' '),
  isYoung: Date.now() - Number(found.ctimeNs / 1_000_000n) < settlesAfterMs(found.ctimeNs),
});

/** Two changes within one tick of a file system's clock look like one: a tick takes milliseconds, or two seconds where only whole ones are kept. */
const settlesAfterMs = (changedNs: bigint) => (changedNs % 1_000_000_000n === 0n ? 2_500 : 100);
