/** A server among memories of which some may be read and some may not, each with a word that only it has. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlShell, type SqlShell } from '../../mcp/support/sql-shell';
import { git } from '../../support/git';
import { aBench, aProposal, lines, type Bench } from '../../support/store';
import type { World } from './hostile';
import { startSpeaker, type Answer, type Speaker } from './speaker';

export interface FuzzedRoom {
  readonly bench: Bench;
  readonly server: Speaker;
  readonly shell: SqlShell;
  /** What calls may name; no secret is in it. */
  readonly world: World;
  /** Words that only memories hold that no agent may read, and that no call ever holds. */
  readonly secrets: readonly string[];
  /** Such a word of what held once, which a timeline may tell and nothing else. */
  readonly pastWord: string;
  /** Ids of what may be read, of what held once, and of what was rejected. */
  readonly standing: ReadonlySet<string>;
  readonly past: ReadonlySet<string>;
  readonly rejected: ReadonlySet<string>;
  /** A question that finds the twin: what may be read and says the same as what waits. */
  readonly twinQuestion: string;
  readonly twin: string;
  close(): Promise<void>;
}

const aSecret = () => `canary${randomBytes(12).toString('hex')}`;

export async function aFuzzedRoom(): Promise<FuzzedRoom> {
  const bench = await aBench({
    'src/billing/invoice.ts': lines(40),
    'src/a.ts': lines(9),
    'README.md': lines(3),
    '.gitignore': 'build/\n',
    'build/out.ts': lines(3),
    '.env': 'TOKEN=none\n',
  });
  writeFileSync(join(bench.folder, 'secret.txt'), 'outside');
  symlinkSync(join(bench.folder, 'secret.txt'), join(bench.root, 'link.ts'));
  git(bench.root, 'init', '--quiet');
  git(bench.root, 'add', '.');
  git(bench.root, 'commit', '--quiet', '-m', 'All of it');

  const [waiting, rejected, held, agreed] = [aSecret(), aSecret(), aSecret(), `agreed${randomBytes(6).toString('hex')}`];
  const about = (word: string) => ({
    title: `The albatross ${word}`,
    statement: `An albatross follows the tide, and ${word} with it.`,
    rationale: `Because ${word}.`,
    alternatives: [`no ${word}`],
    tags: [word],
    claim: { subject: 'albatross', predicate: 'follows', object: word },
    anchors: [{ file: 'src/a.ts' }, { file: 'src/a.ts', symbol: word }],
    evidence: [{ kind: 'quote' as const, speaker: word, text: word }],
  });
  const pending = (await bench.agent.propose(aProposal(about(waiting)))).id;
  const refused = (await bench.agent.propose(aProposal(about(rejected)))).id;
  await bench.decide('reject', refused);
  const past = await bench.stand(about(held));
  await bench.decide('retire', past);
  const twin = await bench.stand(about(agreed));
  const others = [
    await bench.stand({ statement: 'The tide gauge is read every hour.', anchors: [{ folder: 'src' }] }),
    await bench.stand({
      kind: 'workflow',
      appliesWhen: 'mooring',
      steps: ['slow down', 'make fast'],
      statement: 'The quay is approached slowly.',
    }),
    await bench.stand({ statement: 'Soundings are kept in metres.', anchors: [{ glob: 'src/**' }], validFrom: '2020-01-01' }),
  ];
  const pair = [
    await bench.stand({ statement: 'The bell is rung in fog.', claim: { subject: 'bell', predicate: 'is rung in', object: 'fog' } }),
    await bench.stand({ statement: 'No bell is rung in fog.', claim: { subject: 'bell', predicate: 'is silent in', object: 'fog' } }),
  ] as const;
  const memory = await bench.seen(pair[0]);
  await bench.person.decide({ act: 'contest', ...memory, with: await bench.seen(pair[1]), reason: 'both cannot be' }, bench.key);
  const ids = [twin, ...others, ...pair];
  const server = await startSpeaker({ store: bench.storeFile, root: bench.root, keys: bench.keysFile, client: 'fuzzer' });
  const shell = await sqlShell(bench.storeFile);
  const { data } = await server.call('memory_search', { query: 'albatross tide gauge quay soundings bell', k: 20, maxTokens: 4_000 });
  const answered = (data['items'] as { id: string }[]).map(({ id }) => id);
  assert.deepEqual([...answered].sort(), [...ids].sort(), 'not all that stands is found');
  return {
    bench,
    server,
    shell,
    world: {
      ids,
      recalls: [String(data['recallId'])],
      subjects: ['albatross', 'bell'],
      predicates: ['follows', 'is rung in'],
      paths: ['src/a.ts', 'src/billing/invoice.ts', 'README.md', join(bench.root, 'src/a.ts')],
      commit: git(bench.root, 'rev-parse', 'HEAD'),
      words: ['albatross', 'follows', 'tide', 'quay', 'gauge', 'sounding', 'metres', 'mooring', 'the', '潮汐', 'src/a.ts', 'host:8080'],
      otherIds: [pending, refused, past, '0b8f6a52-0d5e-4d55-9a4f-7d3f4f0f8a11'],
      otherPaths: ['src', 'build/out.ts', 'link.ts', 'src/gone.ts', join(bench.folder, 'secret.txt'), bench.storeFile, bench.keysFile],
    },
    secrets: [waiting, rejected],
    pastWord: held,
    standing: new Set(ids),
    past: new Set([past]),
    rejected: new Set([refused]),
    twinQuestion: agreed,
    twin,
    close: async () => {
      await shell.close();
      await server.close();
      await bench.close();
    },
  };
}

/** What an answer of a tool holds that this room's agents may not see; undefined when it holds nothing of the kind. */
export function disclosedBy(tool: string, { line, data }: Answer, room: FuzzedRoom): string | undefined {
  const { secrets, pastWord, standing, past, rejected } = room;
  const said = line.toLowerCase();
  if (secrets.some((secret) => said.includes(secret))) return 'holds words that no person let stand';
  const ofPast = tool === 'memory_history';
  if (!ofPast && said.includes(pastWord)) return 'holds words that hold no longer';
  const mayTell = new Set([...standing, ...(ofPast ? past : [])]);
  // A receipt points to what is near it, by its id and no more.
  const mayName = new Set([...mayTell, ...(tool === 'memory_propose' ? [...past, ...rejected] : [])]);
  for (const { id, words } of namedIn(writing.has(tool) ? { ...data, id: undefined } : data)) {
    if (words && !mayTell.has(id)) return `tells of ${id}, which does not stand`;
    if (!mayName.has(id)) return `names ${id}, which may not be named`;
  }
  return undefined;
}

/** Tools whose answer begins with the id of what they have just made. */
const writing = new Set(['memory_propose', 'memory_contest', 'memory_request_retire']);

/** The memories that an answer names, however deep, and whether it tells any words of them. */
function namedIn(value: unknown): { readonly id: string; readonly words: boolean }[] {
  if (Array.isArray(value)) return value.flatMap(namedIn);
  if (typeof value !== 'object' || value === null) return [];
  const { id, memory, contestedWith, others, ...rest } = value as Readonly<Record<string, unknown>>;
  const words = ['title', 'statement', 'text'].some((field) => field in rest);
  const bare = [memory, contestedWith, others].flat().filter((one) => typeof one === 'string');
  return [
    ...(typeof id === 'string' ? [{ id, words }] : []),
    ...bare.map((one) => ({ id: one, words: false })),
    ...Object.values(rest).flatMap(namedIn),
  ];
}

/** Whether the twin is still found: an agent who is told nothing at all is told no secret either. */
export async function twinIsFound({ server, twin, twinQuestion }: FuzzedRoom): Promise<boolean> {
  const { data } = await server.call('memory_search', { query: twinQuestion });
  return ((data['items'] ?? []) as { id: string }[]).some(({ id }) => id === twin);
}
