/** What rests on what: every memory leads to its evidence, and what derives from a memory goes with it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '../../../src/engine';
import { dropTriggers } from '../../mcp/support/sql-shell';
import { git } from '../../support/git';
import { holding, lacking, readings, receipts, type Subject } from '../doors/agents';
import { tablesHolding } from '../doors/bytes';
import type { Check, Matrix } from '../matrix';
import { canary, World } from '../world';

export async function evidenceRows(matrix: Matrix): Promise<void> {
  const world = await World.make();
  try {
    await matrix.ask('evidence.claim_resolves_to_source', 'M', (check) => resolves(world, check));
    for (const column of ['M', 'J'] as const) await matrix.ask('evidence.rebuild_from_retained', column, (check) => rebuilt(check));
    for (const column of ['M', 'B'] as const)
      await matrix.ask('evidence.source_delete_reaches_derived', column, async ({ control, none, must }) => {
        const cited = await citing(world, 'docs/first.md');
        const sibling = await citing(world, 'docs/second.md');
        const agent = await world.server();
        const before = await readings(agent, cited);
        if ('memory_contest' in (await world.server()) || column === 'M')
          await agent.call('memory_contest', {
            id: cited.id,
            reason: `Doubtful since ${cited.token}.`,
            evidence: [{ kind: 'issue', ref: '#3' }],
          });
        const rests = (await world.person.list({ states: ['active', 'contested'], limit: 1_000, offset: 0 })).filter(({ memory }) =>
          memory?.content.evidence.some((one) => one.kind === 'file' && one.path === 'docs/first.md'),
        );
        control(
          'what cites the source was found by it and recalled',
          rests.some(({ id }) => id === cited.id) && lacking(before, cited.token).length === 0,
        );
        await world.forget(...rests.map(({ id }) => id));
        if (column === 'M') {
          none('still read', holding([...(await readings(agent, cited)), ...(await receipts(agent, cited))], cited.token));
          control('what cites a sibling file is untouched', lacking(await readings(agent, sibling), sibling.token).length === 0);
          must('its state says so', (await world.memory(cited.id)).state === 'forgotten');
        } else {
          none('still in', await tablesHolding(world, cited.token));
          control(
            'what cites a sibling file is in the tables',
            (await tablesHolding(world, sibling.token)).includes('served_index by its index'),
          );
          const left = await world.sql((shell) =>
            shell.all('SELECT (SELECT count(*) FROM evidence e JOIN memories m ON m.seq = e.memory WHERE m.id = ?) AS pointers', cited.id),
          );
          must('its pointers are gone', Number(left[0]?.['pointers']) === 0);
        }
      });
  } finally {
    await world.close();
  }
}

async function citing(world: World, path: string): Promise<Subject> {
  const token = canary();
  const id = await world.stand({
    title: `From ${path}`,
    statement: `Letters go by ${token}.`,
    evidence: [{ kind: 'file', path, startLine: 2, endLine: 4 }],
    anchors: [{ file: 'src/mail/post.ts' }],
  });
  return { id, token, topic: 'letters', path: 'src/mail/post.ts' };
}

async function resolves(world: World, { control, must }: Check): Promise<void> {
  const token = canary();
  const sha = git(world.root, 'rev-parse', 'HEAD');
  const text = (what: string) => ({ title: `By ${what}`, statement: `What ${token} says rests on ${what}.` });
  const base = await world.stand({ ...text('a file'), evidence: [{ kind: 'file', path: 'docs/first.md', startLine: 3, endLine: 5 }] });
  await world.stand({ ...text('a commit'), evidence: [{ kind: 'commit', sha }] });
  await world.stand({ ...text('a quote'), evidence: [{ kind: 'quote', speaker: 'Kim', text: 'we agreed' }] });
  await world.stand({ ...text('a memory'), evidence: [{ kind: 'memory', id: base }] });
  const draft = { kind: 'decision', ...text('a person') };
  await world.person.save(draft, 'save page', world.key);
  const found = await (await world.server()).ask<{ items: Item[] }>('memory_search', { query: token, k: 20, maxTokens: 4_000 });
  control('all five were recalled', found.items.length === 5);
  for (const item of found.items) {
    const stated = item.origin === 'stated by the person';
    must(`${item.title} rests on something`, item.evidence.length > 0 || stated);
    if (stated) {
      const acts = await world.person.audit({ memory: item.id, limit: 10 });
      must(
        `${item.title}: the person's own act is in the ledger`,
        acts.some(({ what, who }) => what === 'save' && who === world.key.keyId),
      );
    }
    for (const pointer of item.evidence) must(`${item.title}: ${pointer.kind} ${pointer.source} opens`, await opens(world, pointer));
  }
  const lost = await world.refusal({ evidence: [{ kind: 'file', path: 'docs/never-was.md' }] });
  must('a pointer that leads nowhere is refused', lost === 'evidence_unresolved');
}

async function opens(world: World, { kind, source }: Item['evidence'][number]): Promise<boolean> {
  switch (kind) {
    case 'file': {
      const [path = '', from = '1', to = from] = source.split(/#L|-L/);
      const file = join(world.root, path);
      return existsSync(file) && readFileSync(file, 'utf8').split('\n').length >= Math.max(Number(from), Number(to));
    }
    case 'commit':
      return git(world.root, 'cat-file', '-t', source) === 'commit';
    case 'memory':
      return (await (await world.server()).call('memory_get', { id: source })).error === undefined;
    default:
      return source.trim() !== '';
  }
}

/** Every derived table is emptied, and made anew from content and events. */
async function rebuilt({ control, must }: Check): Promise<void> {
  const world = await World.make();
  try {
    const subjects = [await citing(world, 'docs/first.md'), await citing(world, 'docs/second.md')];
    const slot = { subject: `bell ${canary()}`, predicate: 'rings at' };
    await world.person.setSlot(slot.subject, slot.predicate, 'one', world.key);
    for (const object of ['dawn', 'noon']) await world.stand({ statement: `It rings at ${object}.`, claim: { ...slot, object } });
    const never = `Never of ${canary()}.`;
    const states = {
      rejected: (await world.propose({ statement: never })).id,
      waiting: (await world.propose({ statement: `Waits: ${canary()}.` })).id,
    };
    await world.reject(states.rejected);
    const agent = await world.server();
    const all = async () => {
      const found = [];
      for (const subject of subjects) found.push(...(await readings(agent, subject)));
      found.push(...(await readings(agent, { id: subjects[0]?.id ?? '', token: 'rings', topic: 'rings', path: 'src/mail/post.ts', slot })));
      return found.map(({ by, text }) => `${by} ${steady(text)}`);
    };
    const before = await all();
    await world.sql(async (shell) => {
      const triggers = await shell.all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
      await dropTriggers(shell);
      for (const table of derived) await shell.run(`DELETE FROM ${table}`);
      for (const { sql } of triggers) await shell.run(String(sql));
    });
    const without = await all();
    control(
      'without them nothing is found',
      subjects.every(({ token }) => !without.some((text) => text.includes(token))),
    );
    const { left, lost } = await world.person.rebuild();
    must('nothing was left or lost', left.length === 0 && lost.length === 0);
    must('and nothing differs any more', (await world.person.integrity()).length === 0);
    const after = await all();
    must('every reading is what it was', JSON.stringify(after) === JSON.stringify(before));
    control(
      'and holds the canaries',
      subjects.every(({ token }) => after.some((text) => text.includes(token))),
    );
    must('what was rejected is still refused', (await world.refusal({ statement: never })) === 'rejected_before');
    must('what waits still waits', (await world.memory(states.waiting)).state === 'pending');
  } finally {
    await world.close();
  }
}

/** Tables of which every row follows from content and events. */
const derived = ['statuses', 'claims', 'slots', 'tombstones', 'verdicts', 'rulings', 'served_index', 'waiting_index'];

/** A reading without what is each answer's own. */
const steady = (text: string): string =>
  text
    .replace(/"recallId":"[^"]*"|recall [0-9a-f-]{36}/g, '')
    .replace(/stet-memories [0-9a-f]+/g, 'stet-memories')
    .replace(/\d+ (minute|hour)s? ago|just now/g, '');
