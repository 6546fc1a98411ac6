/** A caller's evidence to what is stored: every pointer that can be followed here is followed, and refused where it leads nowhere. */
import { readFile, stat } from 'node:fs/promises';
import { saltedHash } from '../domain/canonical';
import type { EvidenceInput } from '../domain/input';
import type { Evidence } from '../domain/memory';
import { evidenceUnresolved, pathRefused } from '../errors';
import { quoted, readablePath, storedPath, type WorkPlace } from './paths';
import type { Repository } from './repository';

/** Larger files are not read to look at a few lines of them. */
const largestFile = 20 * 1024 * 1024;

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
  const files = inputs.flatMap((input) => (input.kind === 'file' ? [storedPath(around.place, input.path, `"${input.path}"`)] : []));
  const [ignored, head] =
    files.length > 0 ? await Promise.all([around.repository.ignored(files), around.repository.head()]) : [new Set<string>(), undefined];
  return Promise.all(inputs.map((input) => resolveOne(input)));

  async function resolveOne(input: EvidenceInput): Promise<Evidence> {
    switch (input.kind) {
      case 'file': {
        const path = storedPath(around.place, input.path, `"${input.path}"`);
        if (ignored.has(path)) throw pathRefused(`${quoted(path)} is ignored by git, so others cannot look at it.`);
        const excerpt = await excerptOf(around.place, path, input);
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

/** The lines a pointer names, joined by LF, so that a checkout with other line ends hashes to the same. */
async function excerptOf(
  place: WorkPlace,
  path: string,
  lines: { startLine?: number | undefined; endLine?: number | undefined },
): Promise<string> {
  const absolute = await readablePath(place, path);
  const found = absolute === undefined ? undefined : await stat(absolute).catch(() => undefined); // gone since: same as missing
  if (absolute === undefined || found === undefined) throw evidenceUnresolved(`There is no file ${quoted(path)} in this work tree.`);
  if (!found.isFile()) throw evidenceUnresolved(`${quoted(path)} is not a file.`);
  if (found.size > largestFile) throw evidenceUnresolved(`${quoted(path)} is larger than 20 MB.`);
  const text = await readFile(absolute, 'utf8').catch(() => {
    throw evidenceUnresolved(`The file ${quoted(path)} cannot be read.`);
  });
  const all = text.split(/\r\n|\r|\n/);
  if (all.at(-1) === '') all.pop(); // the end of the last line is not a line
  const last = lines.endLine ?? lines.startLine ?? all.length;
  if (last > all.length || (lines.startLine ?? 1) > Math.max(all.length, 1))
    throw evidenceUnresolved(`${quoted(path)} has ${all.length} lines, so lines ${lines.startLine ?? 1} to ${last} are not there.`);
  return all.slice((lines.startLine ?? 1) - 1, last).join('\n');
}
