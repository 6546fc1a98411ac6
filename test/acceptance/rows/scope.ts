/** Who may read what from where: nothing of one scope is seen, counted or named from another. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../../src/engine';
import type { Connection } from '../../mcp/support/client';
import { aProposal } from '../../support/store';
import { holding, lacking, readings, receipts, toolsOf, wholeText, type Subject } from '../doors/agents';
import { runJobs } from '../doors/jobs';
import type { Matrix } from '../matrix';
import { canary, World } from '../world';

/** A memory of package A that would be the best match of a question asked in package B. */
async function inPackageA(world: World): Promise<Subject> {
  const token = canary();
  const slot = { subject: `store ${canary()}`, predicate: 'is kept in' };
  const id = await world.stand(
    {
      title: `Parcels of ${token}`,
      statement: `Parcels are weighed twice, as ${token} says.`,
      scope: 'path:packages/a/',
      anchors: [{ file: 'main.ts' }],
      claim: { ...slot, object: 'oak' },
    },
    'agent-a',
    'packages/a',
  );
  return { id, token, topic: 'parcels weighed twice', path: 'main.ts', slot };
}

/** Replies about this memory that differ from those about one that never was. */
async function tellingOf(at: Connection, subject: Subject): Promise<string[]> {
  const never = crypto.randomUUID();
  const { reads, writes } = await toolsOf(at);
  const told: string[] = [];
  const byId: Record<string, Record<string, unknown>> = {
    memory_get: {},
    memory_history: {},
    memory_contest: { reason: 'So.', evidence: [{ kind: 'issue', ref: '#1' }] },
    memory_request_retire: { reason: 'So.' },
  };
  for (const tool of [...reads, ...writes].filter((name) => name in byId)) {
    const ask = async (id: string) => wholeText(await at.call(tool, { id, ...byId[tool] }));
    if ((await ask(subject.id)) !== (await ask(never))) told.push(tool);
  }
  return told;
}

export async function scopeRows(matrix: Matrix): Promise<void> {
  const world = await World.make();
  const other = await World.make();
  try {
    await matrix.ask('scope.cross_tenant_absent', 'M', async ({ control, none, must }) => {
      const subject = await inPackageA(world);
      const [inA, inB, elsewhere] = [
        await world.server('agent-a', 'packages/a'),
        await world.server('agent-b', 'packages/b'),
        await other.server('agent-c'),
      ];
      control('each reading tool has it in its own package', lacking(await readings(inA, subject), subject.token).length === 0);
      const found = [...(await readings(inB, subject)), ...(await receipts(inB, subject))];
      none('words seen from the neighbouring package', holding(found, subject.token));
      none(
        'its id seen from the neighbouring package',
        holding(
          found.filter(({ by }) => by === 'memory_search'),
          subject.id,
        ),
      );
      none('by id it differs from one that never was, in the neighbouring package', await tellingOf(inB, subject));
      const counts = await inB.ask<{ omitted: object }>('memory_search', { query: subject.token });
      must('its existence is not counted in the neighbouring package', Object.keys(counts.omitted).length === 0);
      const foreign = [...(await readings(elsewhere, subject)), ...(await receipts(elsewhere, subject))];
      none('words seen from another folder of the same window', holding(foreign, subject.token));
      none('by id it differs from one that never was, in another folder', await tellingOf(elsewhere, subject));
    });

    await matrix.ask('scope.cross_tenant_absent', 'M', async ({ control, none }) => {
      const subject = await inPackageA(world);
      await world.person.finishErasures();
      await world.reopen(); // so that the whole store is in its file
      const copy = join(other.folder, 'copied', 'memory.db');
      mkdirSync(join(other.folder, 'copied'), { recursive: true });
      for (const ending of ['', '-wal', '-shm'])
        try {
          copyFileSync(`${world.storeFile}${ending}`, `${copy}${ending}`);
        } catch {
          // a store that is closed has no journal
        }
      const atCopy = await other.server('agent-d', '.', { store: copy });
      control(
        'the store itself still gives it',
        lacking(await readings(await world.server('agent-a', 'packages/a'), subject), subject.token).length === 0,
      );
      none(
        'words given by a copied store in another folder',
        holding([...(await readings(atCopy, subject)), ...(await receipts(atCopy, subject))], subject.token),
      );
    });

    await matrix.ask('scope.caller_cannot_widen', 'M', async (check) => {
      const subject = await inPackageA(world);
      const inB = await world.server('agent-b', 'packages/b');
      const own = await world.stand(
        { title: 'Crates', statement: `Crates of ${canary()} are nailed shut.`, anchors: [{ file: 'main.ts' }] },
        'agent-b',
        'packages/b',
      );
      const { reads, writes } = await toolsOf(inB);
      const ordinary: Record<string, Record<string, unknown>> = {
        memory_search: { query: 'crates nailed shut' },
        memory_for_file: { path: 'main.ts' },
        memory_get: { id: own },
        memory_history: { id: own },
      };
      const works = async () => (await inB.call('memory_get', { id: own })).error === undefined;
      for (const tool of reads) {
        const args = ordinary[tool];
        check.control(`${tool} answers an ordinary call`, args !== undefined && (await inB.call(tool, args)).error === undefined);
        for (const [field, value] of wideners(world.root)) {
          const { error } = await inB.call(tool, { ...args, [field]: value });
          check.must(`${tool} refuses "${field}" by its name`, error?.code === 'invalid_input' && error.message.includes(`"${field}"`));
          check.control(`an ordinary call works after "${field}"`, await works());
        }
      }
      for (const tool of writes) {
        for (const [field, value] of wideners(world.root)) {
          if (tool === 'memory_propose' && field === 'scope') continue; // a field of its own, asked below
          const { error } = await inB.call(tool, { ...lawfulOf(tool, own), [field]: value });
          check.must(`${tool} refuses "${field}"`, error?.code === 'invalid_input');
        }
      }
      for (const path of ['', '..', '../a/main.ts', '../../packages/a/main.ts', '*', '**/*', join(world.root, 'packages/a/main.ts'), '/']) {
        const reply = await inB.call('memory_for_file', { path });
        check.must(`memory_for_file gives nothing of A for ${JSON.stringify(path)}`, !wholeText(reply).includes(subject.token));
        const searched = await inB.call('memory_search', { query: subject.token, path });
        check.must(`memory_search gives nothing of A for ${JSON.stringify(path)}`, !wholeText(searched).includes(subject.token));
      }
      for (const scope of ['', '*', 'path:', 'path:/', 'path:../', 'path:packages/a/', 'path:packages/b/../a/', 'user', '%'])
        check.must(
          `a proposal cannot go to ${JSON.stringify(scope)}`,
          (await world.refusal({ scope }, 'agent-b', 'packages/b')) !== 'accepted',
        );
      for (const query of ['*', '%', `"${subject.token}" OR 1=1`, 'scope:path:packages/a/'])
        check.must(
          `the query ${query} does not widen`,
          !wholeText(await inB.call('memory_search', { query, k: 20 })).includes(subject.token),
        );
      check.control('an ordinary call works after all of them', await works());
    });

    for (const column of ['M', 'J'] as const)
      await matrix.ask('scope.background_respects_boundary', column, async ({ control, must, none }) => {
        const token = canary();
        const slot = { subject: `scale ${token}`, predicate: 'is made by', cardinality: 'one' as const };
        await world.person.setSlot(slot.subject, slot.predicate, 'one', world.key);
        const text = { title: `Scales of ${token}`, statement: `Scales of ${token} are set each morning.` };
        const value = (object: string, name: string) => ({ ...text, claim: { ...slot, object }, scope: `path:packages/${name}/` });
        const a = await world.stand(value('Abel', 'a'), 'agent-a', 'packages/a');
        const same = await world.propose({ ...text, scope: 'path:packages/b/' }, 'agent-b', 'packages/b');
        const b = await world.stand({ ...value('Berta', 'b'), statement: `Scales of ${token} are set at night.` }, 'agent-b', 'packages/b');
        must('the same text in a neighbouring scope is a memory of its own', !same.duplicate && same.id !== a);
        must(
          'nor is it named as resembling',
          same.resembles.every(({ id }) => id !== a),
        );
        none('jobs that could not be run', await runJobs(world.engine));
        const states = async () => [(await world.memory(a)).state, (await world.memory(b)).state];
        must('other values of the slot in neighbouring scopes do not contest', (await states()).join() === 'active,active');
        const c = await world.stand({ ...value('Cora', 'a'), statement: `Scales of ${token} are set by hand.` }, 'agent-a', 'packages/a');
        control(
          'in its own scope another value contests',
          (await world.memory(a)).state === 'contested' && (await world.memory(c)).state === 'contested',
        );
        must('and b is untouched', (await world.memory(b)).state === 'active');
        const inA = await (
          await world.server('agent-a', 'packages/a')
        ).ask<{ items: { id: string }[] }>('memory_search', { query: token, k: 20, maxTokens: 4_000 });
        control(
          'recall in A gives both of A',
          [a, c].every((id) => inA.items.some((item) => item.id === id)),
        );
        none(
          'recall in A gives of B',
          inA.items.map(({ id }) => id).filter((id) => id === b || id === same.id),
        );
      });

    await matrix.ask('scope.cross_tenant_absent', 'M', async ({ control, must }) => {
      // The host itself opens a store only for the folder that it belongs to.
      const opened = await openEngine({ storeFile: world.storeFile, root: other.root, keysFile: world.keysFile }).catch(
        (error: unknown) => error,
      );
      must('a store is not opened for another folder', opened instanceof Error);
      control('it is opened for its own', (await world.person.overview()).counts.active > 0);
    });
  } finally {
    await world.close();
    await other.close();
  }
}

/** Fields by which a caller could try to reach further. */
const wideners = (root: string): readonly (readonly [string, unknown])[] => [
  ['scope', 'path:packages/a/'],
  ['workspace', root],
  ['root', join(root, 'packages/a')],
  ['store', 'user'],
  ['grant', { read: [{ below: '' }] }],
];

const lawfulOf = (tool: string, id: string): Record<string, unknown> =>
  ({
    memory_propose: aProposal() as Record<string, unknown>,
    memory_contest: { id, reason: 'So.', evidence: [{ kind: 'issue', ref: '#1' }] },
    memory_request_retire: { id, reason: 'So.' },
    memory_report_use: { recallId: crypto.randomUUID(), ids: [id] },
  })[tool] ?? {};
