/** A caller's evidence to what is stored: every pointer that can be followed here is followed, and refused where it leads nowhere. */
import { saltedHash } from '../domain/canonical';
import type { EvidenceInput } from '../domain/input';
import type { Evidence } from '../domain/memory';
import { evidenceUnresolved, pathRefused } from '../errors';
import { excerptOf, linesOf, namedLines, type Lines } from './lines';
import { quoted, readablePath, storedPath, type Readable, type WorkPlace } from './paths';
import { readFound } from './read';
import type { Repository } from './repository';

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
  const texts = new Map<string, Lines>();
  for (const [path, found] of files) {
    if (ignored.has(path) || ignored.has(found.realStored))
      throw pathRefused(`${quoted(path)} is ignored by git, so others cannot look at it.`);
    texts.set(path, await linesAt(found, path));
  }
  return Promise.all(inputs.map((input) => resolveOne(input)));

  async function resolveOne(input: EvidenceInput): Promise<Evidence> {
    switch (input.kind) {
      case 'file': {
        const path = storedPath(around.place, input.path, `"${input.path}"`);
        const excerpt = excerptAt(texts.get(path) ?? linesOf(Buffer.alloc(0)), path, input);
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

async function linesAt(found: Readable, path: string): Promise<Lines> {
  const read = await readFound(found);
  switch (read.as) {
    case 'read':
      return linesOf(read.bytes);
    case 'missing':
    case 'unreadable':
      throw evidenceUnresolved(`The file ${quoted(path)} cannot be read.`, read.cause);
    case 'not_a_file':
      throw evidenceUnresolved(`${quoted(path)} is not a file.`);
    case 'too_large':
      throw evidenceUnresolved(`${quoted(path)} is larger than 4 MB.`);
  }
}

/** The lines a pointer names, all of which must be there. */
function excerptAt(lines: Lines, path: string, pointer: Extract<EvidenceInput, { kind: 'file' }>): Buffer {
  const { first, last } = namedLines(pointer) ?? { first: 1, last: lines.count };
  if (first > Math.max(lines.count, 1) || last > lines.count)
    throw evidenceUnresolved(`${quoted(path)} has ${lines.count} lines, so lines ${first} to ${last} are not there.`);
  return excerptOf(lines, first, last);
}
