/**
 * What can be read from a repository's own files instead of by starting the git program, which takes longer than all else that is
 * done for a proposal. Each answer is either certain or none: whatever is not in its plainest form is left to git.
 */
import { join } from 'node:path';
import type { Place } from '../scope/locate';
import { readFound } from './read';

/** The commit that HEAD names; undefined where its files do not say so plainly (no commit yet, another way of keeping references). */
export async function headFrom(place: Place): Promise<string | undefined> {
  if (place.gitDirectory === undefined) return undefined;
  const head = await textOf(join(place.gitDirectory, 'HEAD'));
  const branch = /^ref: (refs\/heads\/[!-[\]-~]+)$/.exec(head.trimEnd())?.[1]; // ASCII: of other names a file system may keep another spelling
  if (branch === undefined) return commitIn(head);
  if (branch.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  // Branches belong to all work trees. A loose one counts before a packed one, and is only deleted once it is packed.
  const loose = await textOf(join(place.identity, ...branch.split('/')));
  if (loose !== '') return commitIn(loose);
  const packed = await textOf(join(place.identity, 'packed-refs'));
  const end = packed.indexOf(` ${branch}\n`);
  return end < 0 ? undefined : commitIn(packed.slice(packed.lastIndexOf('\n', end) + 1, end));
}

const commitIn = (text: string) => /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text)?.[1];

/** Those of the paths that git certainly tracks, and so does not ignore, whatever its rules say. Of the others nothing is known. */
export async function trackedAmong(paths: readonly string[], gitDirectory: string): Promise<ReadonlySet<string>> {
  const index = await readOwn(join(gitDirectory, 'index'));
  return (typeof index === 'string' ? undefined : namedIn(index, paths)) ?? new Set();
}

/** Those of the paths that an index of version 2 or 3 has entries for; undefined when it is not laid out like one from end to end. */
function namedIn(index: Buffer, paths: readonly string[]): Set<string> | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC' || ![2, 3].includes(index.readUInt32BE(4))) return undefined;
  const wanted = paths.map((path) => ({ path, name: Buffer.from(path) }));
  const found = new Set<string>();
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (at + entryHead + 4 > index.length) return undefined;
    const flags = index.readUInt16BE(at + entryHead);
    const from = at + entryHead + ((flags & isExtended) === 0 ? 2 : 4);
    const length = flags & lengthMask;
    const to = length < lengthMask ? from + length : index.indexOf(0, from);
    if (to <= from || index[to] !== 0) return undefined;
    for (const { path, name } of wanted)
      if (name.length === to - from && index.compare(name, 0, name.length, from, to) === 0) found.add(path);
    at += (Math.floor((to - at) / 8) + 1) * 8;
  }
  return found;
}

/** Times, numbers, mode, owner, size (40 bytes) and the SHA-1 of what is tracked (20); then the flags and the name, filled up to eights. */
const entryHead = 60;
const isExtended = 0x4000;
/** A name's length, when it is shorter than this. */
const lengthMask = 0x0fff;

async function readOwn(file: string): Promise<Buffer | 'missing' | 'closed'> {
  const read = await readFound({ absolute: file, real: file });
  return read.as === 'read' ? read.bytes : read.as === 'missing' ? 'missing' : 'closed';
}

/** A small file's text; empty where there is none. One that is there and not to be read is no plain text either, and says so. */
async function textOf(file: string): Promise<string> {
  const read = await readOwn(file);
  return read === 'missing' ? '' : read === 'closed' ? 'closed' : read.toString('latin1');
}
