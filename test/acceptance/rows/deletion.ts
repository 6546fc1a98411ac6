/** One deletion from its first day to the last copy, as one sequence: each step builds on the one before. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { holding, lacking, readings, receipts, wholeText, type Reading, type Subject } from '../doors/agents';
import { filesHolding, filesOf, tablesHolding } from '../doors/bytes';
import { jobs, runJobs, runJobsLater } from '../doors/jobs';
import { seenColumns, type Eyes, type Seen } from '../eyes';
import type { Check, Matrix } from '../matrix';
import { stepIds, type StepId } from '../protocol';
import { canary, type World } from '../world';

const path = 'src/mail/post.ts';

interface Story {
  readonly world: World;
  readonly eyes: Eyes | undefined;
  readonly matrix: Matrix;
  readonly canary: Subject;
  readonly twin: Subject;
  /** What the canary's memory said. */
  readonly statement: string;
}

export async function deletionSteps(matrix: Matrix, world: World, eyes: Eyes | undefined): Promise<void> {
  const begin = await begun(matrix, world, eyes);
  const story = { ...begin, canary: { ...begin.canary, question: 'when does the ferry leave, at six?' } };
  await copiesMade(story);
  await forgotten(story);
  // From here on nothing is asked in the forgotten words, since a question is kept.
  await absent(story, 'step 4: absent');
  await fedAgain(story);
  await absent(story, 'step 6: still absent, no copy waits');
  await housekept(story);
  await world.endServers();
  await world.reopen();
  await eyes?.restart();
  await absent(story, 'step 8: absent after a restart');
  await derivedStores(story);
  await audited(story);
  await copiesReached(story);
  matrix.sum('deletion.absent_after_reindex_and_restart', stepIds.slice(0, 10));
  matrix.sum('deletion.absent_from_shared_copies', stepIds.slice(10));
}

/** Where a memory that stands has to show: what lists events, or only what another state fits, need not. */
const whereWanted = (column: Seen, all: readonly Reading[]): Reading[] => all.filter(({ by }) => column === 'S' || standsIn.includes(by));

const standsIn = ['Standing', 'history', 'stet.searchMemory', 'stet.forget', 'stet.retire', 'stet.supersede'];

/** Steps 1 and 2. The acts' own answers are the signal that all is quiet: nothing is waited for. */
async function begun(matrix: Matrix, world: World, eyes: Eyes | undefined): Promise<Story> {
  const [token, other] = [canary(), canary()];
  const statement = `The ferry of ${token} leaves at six.`;
  const ferry = `ferry ${canary()}`; // the slot is no part of what is looked for, since it is asked by
  const about = (name: string, says: string, subject: string) => ({
    title: `Ferry ${name}`,
    statement: says,
    rationale: `Because ${name} said so.`,
    tags: [name],
    anchors: [{ file: path }],
    evidence: [{ kind: 'quote' as const, speaker: name, text: `As ${name} says.` }],
    claim: { subject, predicate: 'leaves at', object: name },
    commandId: `command ${name}`,
  });
  const subjectOf = (id: string, name: string, subject: string): Subject => ({
    id,
    token: name,
    topic: 'ferry leaves at six',
    path,
    slot: { subject, predicate: 'leaves at' },
  });
  const twin = subjectOf(
    await world.stand(about(other, `The ferry of ${other} leaves at seven.`, `other ${ferry}`)),
    other,
    `other ${ferry}`,
  );
  const subject = subjectOf((await world.propose(about(token, statement, ferry))).id, token, ferry);
  const story = { world, eyes, matrix, canary: subject, twin, statement };

  await matrix.ask('step 1: approved, and quiet', 'M', async ({ control, must }) => {
    const agent = await world.server();
    must('it is not read while it waits', holding(await readings(agent, subject), token).length === 0);
    if (eyes === undefined) await world.decide({ act: 'approve', ...(await world.seen(subject.id)) });
    else await eyes.approve(subject);
    must('it is read by the time the approval has answered', lacking(await readings(agent, subject), token).length === 0);
    control('so is its twin', lacking(await readings(agent, twin), other).length === 0);
  });
  await matrix.ask('step 1: approved, and quiet', 'T', async ({ control, must }) => {
    must('the approved memory stands, signed', (await world.memory(subject.id)).history.at(-1)?.key !== undefined);
    control('the page took the press', (await world.memory(subject.id)).state === 'active');
  });

  const agent = await world.server();
  await matrix.ask('step 2: recalled', 'M', async ({ control, none }) => {
    none('tools that lack it', lacking(await readings(agent, subject), token));
    control('the twin is read', lacking(await readings(agent, twin), other).length === 0);
    // What a challenge, a report and a question hold of it has to go as well.
    await agent.call('memory_contest', {
      id: subject.id,
      reason: `Doubted since ${token}.`,
      evidence: [{ kind: 'quote', speaker: token, text: token }],
    });
    await agent.call('memory_search', { query: `when does the ferry ${token} leave?` });
  });
  for (const column of seenColumns)
    await matrix.ask('step 2: recalled', column, async ({ control, none }) => {
      const shows = (all: readonly Reading[]) => whereWanted(column, all).every(({ text }) => text.includes(token) && text.includes(other));
      const seen = (await eyes?.look(column, [subject, twin], shows)) ?? [];
      none('it is missing in', lacking(whereWanted(column, seen), token));
      control('the twin is seen', lacking(whereWanted(column, seen), other).length === 0);
    });
  return story;
}

/** Step 11: what there is of copies before the forgetting. */
async function copiesMade({ matrix, world, canary: { token }, twin }: Story): Promise<void> {
  await matrix.ask('step 11: copies made before', 'J', async ({ control, must }) => {
    await world.person.backUpIfDue();
    const [backup] = await world.person.backups();
    must('a backup was made', backup !== undefined && existsSync(backup.file));
    must('the words are in it', backup !== undefined && filesHolding(world, token).includes(backup.file));
    control('and those of the twin', backup !== undefined && filesHolding(world, twin.token).includes(backup.file));
  });
}

/** Step 3. */
async function forgotten({ matrix, world, eyes, canary: subject, twin }: Story): Promise<void> {
  const acts = async () => (await world.audit()).filter(({ what, memory }) => what === 'forget' && memory === subject.id).length;
  const twinBefore = JSON.stringify(await world.memory(twin.id));
  await matrix.ask('step 3: forgotten by the person', eyes === undefined ? 'B' : 'T', async ({ control, must }) => {
    if (eyes === undefined) await world.forget(subject.id);
    else await eyes.forget(subject);
    must('it is forgotten', (await world.memory(subject.id)).state === 'forgotten');
    control('the twin stands', (await world.memory(twin.id)).state === 'active');
  });
  await matrix.ask('step 3: forgotten by the person', 'B', async ({ control, must }) => {
    must('it is one signed event', (await acts()) === 1);
    control('the twin is untouched', JSON.stringify(await world.memory(twin.id)) === twinBefore);
  });
}

/** Steps 4, 6 and 8. */
async function absent({ matrix, world, eyes, canary: subject, twin, statement }: Story, step: StepId): Promise<void> {
  await matrix.ask(step, 'M', async (check) => {
    for (const client of ['first-agent', 'a-later-agent']) {
      const agent = await world.server(client);
      check.none(`given to ${client}`, holding([...(await readings(agent, subject)), ...(await receipts(agent, subject))], subject.token));
      check.control(`${client} is given the twin`, lacking(await readings(agent, twin), twin.token).length === 0);
      const [its, never] = [
        await agent.call('memory_get', { id: subject.id }),
        await agent.call('memory_get', { id: crypto.randomUUID() }),
      ];
      check.must('by id it is as one that never was', wholeText(its) === wholeText(never));
      const { items, omitted } = await agent.ask<{ items: unknown[]; omitted: object }>('memory_search', {
        query: statement.replace(subject.token, 'which'),
        kinds: ['lesson'],
      });
      check.must('it is in no count', items.length === 0 && !JSON.stringify(omitted).includes('forgotten'));
    }
    const carrying = await world.person.list({ states: ['pending', 'active', 'contested', 'expired'], limit: 1_000, offset: 0 });
    check.none(
      'rows that carry it',
      carrying.filter((one) => JSON.stringify(one).includes(subject.token)).map(({ id }) => id),
    );
  });
  for (const column of seenColumns)
    await matrix.ask(step, column, async (check) => {
      const gone = (all: readonly Reading[]) => holding(all, subject.token).length === 0 && holding(all, twin.token).length > 0;
      const seen = (await eyes?.look(column, [subject, twin], gone)) ?? [];
      check.none('it is seen in', holding(seen, subject.token));
      check.control('the twin is seen', lacking(whereWanted(column, seen), twin.token).length === 0);
    });
}

/** Step 5: its source is fed again by other paths, each refused by an event. */
async function fedAgain({ matrix, world, eyes, canary: { token, slot }, statement }: Story): Promise<void> {
  world.write('docs/decision.md', `# A decision\n\n${statement}\n`);
  const refused = async () => (await world.refusals()).length;
  const sibling = async () =>
    (await world.propose({ statement: `Beside it, ${canary()}.`, evidence: [{ kind: 'file', path: 'docs/first.md' }] }, 'transcript'))
      .state;
  await matrix.ask('step 5: fed again by another path', 'M', async ({ control, must }) => {
    const ways = [
      { statement, evidence: [{ kind: 'file' as const, path: 'docs/decision.md', startLine: 3, endLine: 3 }] },
      { statement: `  ${statement.toUpperCase()} `, title: 'Found in a transcript', kind: 'fact' as const },
      {
        statement: `The same in other words: ${canary()}.`,
        claim: { subject: slot?.subject ?? '', predicate: 'leaves at', object: token },
      },
    ];
    for (const [index, way] of ways.entries()) {
      const before = await refused();
      must(`way ${index + 1} is refused`, (await world.refusal(way, 'transcript')) === 'rejected_before');
      must(`way ${index + 1} leaves an event`, (await refused()) === before + 1);
    }
    control('something else of the same source waits', (await sibling()) === 'pending');
  });
  await matrix.ask('step 5: fed again by another path', 'C', async ({ control, must }) => {
    must('saved by hand it is refused', (await eyes?.saveRefused('By hand', statement)) === true);
    control('something else can be saved by hand', (await eyes?.saveRefused('Another', `Another ferry, ${canary()}.`)) === false);
  });
  rmSync(join(world.root, 'docs/decision.md'));
}

/** Step 7. */
async function housekept({ matrix, world, twin }: Story): Promise<void> {
  await matrix.ask('step 7: every job has run', 'J', async ({ control, none, must }) => {
    must(`there are jobs: ${jobs.join(', ')}`, jobs.length > 0);
    none('jobs that could not be run', [...(await runJobs(world.engine)), ...(await runJobsLater(world, 2))]);
    control('the twin is read after them', lacking(await readings(await world.server(), twin), twin.token).length === 0);
  });
}

/** Step 9. */
async function derivedStores({ matrix, world, canary: { token, id }, twin }: Story): Promise<void> {
  await matrix.ask('step 9: absent from each derived store', 'B', async ({ control, none, must }) => {
    none('tables and indexes that hold it', await tablesHolding(world, token));
    const held = await tablesHolding(world, twin.token);
    control(
      'those of the twin are found by the same look',
      ['memories', 'served_index by its index', 'evidence', 'receipts', 'recalls'].every((table) => held.includes(table)),
    );
    none('files that hold it', filesHolding(world, token));
    control('a file that holds the twin is found by the same look', filesHolding(world, twin.token).includes(world.storeFile));
    must(
      'there is a journal among the files looked at',
      filesOf(world).some((file) => file.endsWith('-wal')),
    );
    const rest = await world.sql((shell) =>
      shell.all(
        `SELECT (SELECT count(*) FROM evidence e WHERE e.memory = m.seq) + (SELECT count(*) FROM anchors a WHERE a.memory = m.seq)
           + (SELECT count(*) FROM receipts r WHERE r.memory = m.seq) + (SELECT count(*) FROM claims c WHERE c.memory = m.seq) AS n,
           (SELECT count(*) FROM challenges h WHERE h.memory = m.seq AND h.reason <> '') AS challenges, m.salt FROM memories m WHERE m.id = ?`,
        id,
      ),
    );
    must('nothing is filed under it', Number(rest[0]?.['n']) === 0 && Number(rest[0]?.['challenges']) === 0);
    must('its salt is destroyed', rest[0]?.['salt'] === '');
  });
  await matrix.ask('step 9: absent from each derived store', 'M', async ({ control, must }) => {
    // A server that had served it before keeps no copy of its own.
    const agent = await world.server();
    must(
      'no process gives it from what it kept',
      !(await readings(agent, { ...twin, token, question: 'ferry' })).some(({ text }) => text.includes(token)),
    );
    control('it gives the twin', lacking(await readings(agent, twin), twin.token).length === 0);
  });
}

/** Step 10. */
async function audited({ matrix, world, eyes, canary: { id, token }, twin }: Story): Promise<void> {
  const known = async (check: Check) => {
    const entries = await world.person.audit({ memory: id, limit: 100 });
    const act = entries.find(({ what }) => what === 'forget');
    check.must('the deletion is there by id, who and when', act?.memory === id && act.who !== '' && act.at !== '');
    check.must('no entry holds its words', !JSON.stringify(entries).includes(token));
    check.control(
      'the twin has its entries',
      (await world.person.audit({ memory: twin.id, limit: 100 })).some(({ what }) => what === 'approve'),
    );
  };
  await matrix.ask('step 10: the audit knows it without words', 'B', async (check) => {
    await known(check);
    const bodies = await world.sql((shell) => shell.all('SELECT body FROM events'));
    check.must('no event holds its words', !JSON.stringify(bodies).includes(token));
  });
  await matrix.ask('step 10: the audit knows it without words', 'V', async (check) => {
    await known(check);
    const documents = (await eyes?.look('V', [twin], (all) => holding(all, id).length > 0)) ?? [];
    check.must('the audit log tells of it by its id', holding(documents, id).length > 0);
    check.none('its words are in', holding(documents, token));
  });
}

/** Steps 12 and 13. */
async function copiesReached({ matrix, world, eyes, canary: { token }, twin, statement }: Story): Promise<void> {
  await matrix.ask('step 12: the copies are reached too', 'J', async ({ control, none }) => {
    const backups = (await world.person.backups()).map(({ file }) => file);
    none(
      'backups that hold it',
      filesHolding(world, token).filter((file) => backups.includes(file)),
    );
    control(
      'there is a backup, and it holds the twin',
      backups.length > 0 && filesHolding(world, twin.token).some((file) => backups.includes(file)),
    );
  });
  await matrix.ask('step 13: absent from the copies', 'J', async ({ control, must, none }) => {
    const [oldest] = (await world.person.backups()).toReversed();
    if (oldest === undefined) throw new Error('there is no backup');
    await eyes?.close();
    await world.restored(oldest.file);
    const agent = await world.server('after-restore');
    const its = { ...twin, token, question: 'ferry' };
    none('given from the restored backup by', holding([...(await readings(agent, its)), ...(await receipts(agent, its))], token));
    none('files that hold it', filesHolding(world, token));
    control('the twin is given from it', lacking(await readings(agent, twin), twin.token).length === 0);
    must('its value is still refused', (await world.refusal({ statement }, 'after-restore')) === 'rejected_before');
    none(
      'rows that are not what their events say',
      (await world.person.integrity()).map((finding) => JSON.stringify(finding)),
    );
  });
}
