/** A caller's evidence to what is stored: every pointer that can be followed here is followed, and refused where it leads nowhere. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { saltedHash } from '../domain/canonical';
import type { EvidenceInput } from '../domain/input';
import type { Evidence } from '../domain/memory';
import { evidenceUnresolved, pathRefused } from '../errors';
import { quoted, readablePath, storedPath, type Readable, type WorkPlace } from './paths';
import type { Repository } from './repository';

/** Larger files are not read to look at a few lines of them. */
const largestFileBytes = 4 * 2 ** 20;

export interface Surroundings {
  readonly place: WorkPlace;
  readonly repository: Repository;
  /** Whether a memory with this id may be read by the session. */
  readonly readable: (id: string) => Promise<boolean>;
}

/**
 * Resolves all evidence of one memory.
 * @param salt the memory's salt, hex.
 * @throws `evidence_unresolved`, `path_refused` or `outside_root`, naming the first pointer that does not hold.
 */
export async function resolveEvidence(inputs: readonly EvidenceInput[], salt: string, around: Surroundings): Promise<Evidence[]> {
  const files = new Map<string, Readable>();
  for (const input of inputs) {
    if (input.kind !== 'file') continue;
    const path = storedPath(around.place, input.path, `"${input.path}"`);
    const found = await readablePath(around.place, path);
    if (found === undefined) throw evidenceUnresolved(`There is no file ${quoted(path)} in this work tree.`);
    files.set(path, found);
  }
  const asked = [...new Set([...files].flatMap(([path, { realStored }]) => [path, realStored]))];
  const [ignored, head] =
    asked.length > 0 ? await Promise.all([around.repository.ignored(asked), around.repository.head()]) : [new Set<string>(), undefined];
  // One after the other, and each file once: a proposal may point to the same one fifty times.
  const texts = new Map<string, Buffer>();
  for (const [path, found] of files) {
    if (ignored.has(path) || ignored.has(found.realStored))
      throw pathRefused(`${quoted(path)} is ignored by git, so others cannot look at it.`);
    texts.set(path, await bytesOf(found, path));
  }
  return Promise.all(inputs.map((input) => resolveOne(input)));

  async function resolveOne(input: EvidenceInput): Promise<Evidence> {
    switch (input.kind) {
      case 'file': {
        const path = storedPath(around.place, input.path, `"${input.path}"`);
        const excerpt = excerptOf(texts.get(path) ?? Buffer.alloc(0), path, input);
        return {
          kind: 'file',
          path,
          ...(input.startLine !== undefined && { startLine: input.startLine }),
          ...(input.endLine !== undefined && { endLine: input.endLine }),
          excerptHash: saltedHash(salt, excerpt),
          ...(head !== undefined && { commit: head }),
        };
      }
      case 'commit': {
        const sha = await around.repository.commit(input.sha.toLowerCase());
        if (sha === undefined) throw evidenceUnresolved(`There is no commit ${input.sha} in this repository.`);
        return { kind: 'commit', sha };
      }
      case 'memory':
        if (!(await around.readable(input.id))) throw evidenceUnresolved(`There is no memory ${input.id} here to rest on.`);
        return input;
      case 'url':
      case 'issue':
      case 'quote':
        return input;
    }
  }
}

/** A file's bytes, read from what was looked at: a link put in its place meanwhile is not followed, a pipe not waited for. */
async function bytesOf({ absolute, real }: Readable, path: string): Promise<Buffer> {
  const unreadable = (cause?: unknown) => evidenceUnresolved(`The file ${quoted(path)} cannot be read.`, cause);
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw evidenceUnresolved(`${quoted(path)} is not a file.`);
    if (found.size > largestFileBytes) throw evidenceUnresolved(`${quoted(path)} is larger than 4 MB.`);
    if ((await realpath(absolute).catch(() => undefined)) !== real) throw unreadable();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The lines a pointer names, with LF between them, so that a checkout with other line ends hashes to the same. */
function excerptOf(bytes: Buffer, path: string, lines: { startLine?: number | undefined; endLine?: number | undefined }): string {
  const first = lines.startLine ?? 1;
  const last = lines.endLine ?? lines.startLine ?? Number.POSITIVE_INFINITY;
  let [line, from, to] = [1, first === 1 ? 0 : -1, bytes.length];
  let count = 0;
  for (let at = 0; at < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, at);
    const next = newline < 0 ? bytes.length : newline + 1;
    count = line;
    if (line === first) from = at;
    if (line === last) to = next;
    at = next;
  }
  if (from < 0 || first > Math.max(count, 1) || (last !== Number.POSITIVE_INFINITY && last > count))
    throw evidenceUnresolved(
      `${quoted(path)} has ${count} lines, so lines ${first} to ${last === Number.POSITIVE_INFINITY ? count : last} are not there.`,
    );
  return bytes.subarray(from, to).toString('utf8').replace(/\r\n/g, '\n').replace(/\n$/, '');
}
