/** A server among memories of which some may be read and some may not, each with a word that only it has. */
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
  /** The tools that say of themselves that they only read. */
  readonly reading: ReadonlySet<string>;
  /** What calls may name; no secret is in it. */
  readonly world: World;
  /** Words that only memories hold that no agent may read, and that no call ever holds. */
  readonly secrets: readonly string[];
  /** Ids of what may be read. */
  readonly standing: ReadonlySet<string>;
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

  const [waiting, rejected, agreed] = [aSecret(), aSecret(), `agreed${randomBytes(6).toString('hex')}`];
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
  const server = await startSpeaker({ store: bench.storeFile, root: bench.root, keys: bench.keysFile, client: 'fuzzer' });
  const shell = await sqlShell(bench.storeFile);
  return {
    bench,
    server,
    shell,
    reading: new Set(server.tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)),
    world: {
      ids: [twin, ...others],
      paths: ['src/a.ts', 'src/billing/invoice.ts', 'README.md', join(bench.root, 'src/a.ts')],
      commit: git(bench.root, 'rev-parse', 'HEAD'),
      words: ['albatross', 'follows', 'tide', 'quay', 'gauge', 'sounding', 'metres', 'mooring', 'the', '潮汐', 'src/a.ts', 'host:8080'],
      otherIds: [pending, refused, '0b8f6a52-0d5e-4d55-9a4f-7d3f4f0f8a11'],
      otherPaths: ['src', 'build/out.ts', 'link.ts', 'src/gone.ts', join(bench.folder, 'secret.txt'), bench.storeFile, bench.keysFile],
    },
    secrets: [waiting, rejected],
    standing: new Set([twin, ...others]),
    twinQuestion: agreed,
    twin,
    close: async () => {
      await shell.close();
      await server.close();
      await bench.close();
    },
  };
}

/** What an answer holds that this room's agents may not see; undefined when it holds nothing of the kind. */
export function disclosedBy({ line, data }: Answer, { secrets, standing }: FuzzedRoom): string | undefined {
  if (secrets.some((secret) => line.toLowerCase().includes(secret))) return 'holds words that no person let stand';
  const items = [...((data['items'] ?? []) as { id: string }[]), ...((data['overBudget'] ?? []) as { id: string }[])];
  const stranger = items.find(({ id }) => !standing.has(id));
  return stranger === undefined ? undefined : `holds ${stranger.id}, which does not stand`;
}

/** Whether the twin is still found: an agent who is told nothing at all is told no secret either. */
export async function twinIsFound({ server, twin, twinQuestion }: FuzzedRoom): Promise<boolean> {
  const { data } = await server.call('memory_search', { query: twinQuestion });
  return ((data['items'] ?? []) as { id: string }[]).some(({ id }) => id === twin);
}
