/** Five ways in which what was true stops being so: the answer is current, and the old value is history and nothing else. */
import type { Proposal } from '../../../src/engine';
import { holding, lacking, readings, type Reading, type Subject } from '../doors/agents';
import { runJobs, runJobsLater } from '../doors/jobs';
import type { Connection } from '../../mcp/support/client';
import type { Check, Matrix } from '../matrix';
import { scoreRow, type Shape } from '../protocol';
import { canary, World } from '../world';

/** A story that has been lived through: what held, what holds, and how it can be asked. */
export interface Told {
  readonly shape: Shape;
  /** A word that all of its memories share. */
  readonly topic: string;
  readonly old: Subject;
  /** What the old one became. */
  readonly became: 'superseded' | 'retired' | 'rejected' | 'past';
  /** What holds instead, or beside it. */
  readonly current: readonly Subject[];
  /** Day one again, as another client would tell it. */
  readonly again: Partial<Proposal>;
  /** An instant at which the old one was believed, or of which it holds. */
  readonly then: { readonly knownAt?: string; readonly validAt?: string };
}

const path = 'src/mail/post.ts';
const anchors = [{ file: path }];

interface Said {
  readonly topic: string;
  readonly predicate: string;
  readonly text: (token: string) => string;
}

/** Approves a memory that says something of the topic's slot. */
async function say(
  world: World,
  { topic, predicate, text }: Said,
  more: Partial<Proposal> = {},
): Promise<Subject & { proposal: Partial<Proposal> }> {
  const token = canary();
  const slot = { subject: topic, predicate };
  const proposal = {
    title: `${predicate} of ${topic}: ${token}`,
    statement: text(token),
    claim: { ...slot, object: token },
    anchors,
    ...more,
  };
  return { id: await world.stand(proposal), token, topic, path, slot, proposal };
}

/** A little later than everything that has happened, and earlier than all that comes. */
async function meanwhile(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  const at = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return at;
}

const stories: Readonly<Record<Shape, (world: World) => Promise<Told>>> = {
  replacement: async (world) => {
    const topic = `modules${canary()}`;
    const said = (manager: string): Said => ({
      topic,
      predicate: 'package manager',
      text: (token) => `The ${topic} repository installs with ${manager} ${token}.`,
    });
    await world.person.setSlot(topic, 'package manager', 'one', world.key);
    const old = await say(world, said('npm'));
    const knownAt = await meanwhile();
    const current = await say(world, said('pnpm'), { replaces: [old.id] });
    return { shape: 'replacement', topic, old, became: 'superseded', current: [current], again: old.proposal, then: { knownAt } };
  },
  'polarity flip': async (world) => {
    const topic = `exports${canary()}`;
    const said = (how: string): Said => ({
      topic,
      predicate: 'default exports',
      text: (token) => `In ${topic} ${how} use default exports, says ${token}.`,
    });
    await world.person.setSlot(topic, 'default exports', 'one', world.key);
    const old = await say(world, said('always'));
    const knownAt = await meanwhile();
    const current = await say(world, said('never'));
    await world.decide({
      act: 'resolve',
      members: [await world.seen(old.id), await world.seen(current.id)],
      outcome: { is: 'keep', id: current.id, neverRight: false },
      reason: 'The style was changed.',
      surface: 'memory page',
    });
    const became = (await world.memory(old.id)).state === 'superseded' ? 'superseded' : 'retired';
    return { shape: 'polarity flip', topic, old, became, current: [current], again: old.proposal, then: { knownAt } };
  },
  retraction: async (world) => {
    const topic = `staging${canary()}`;
    const old = await say(world, { topic, predicate: 'cache', text: (token) => `On ${topic} the cache is Redis ${token}.` });
    const knownAt = await meanwhile();
    const sibling = await say(world, { topic, predicate: 'queue', text: (token) => `On ${topic} the queue is Rabbit ${token}.` });
    await world.reject(old.id, 'That was wrong from the beginning.');
    return { shape: 'retraction', topic, old, became: 'rejected', current: [sibling], again: old.proposal, then: { knownAt } };
  },
  'partial supersession': async (world) => {
    const topic = `auth${canary()}`;
    const place = await say(world, { topic, predicate: 'location', text: (token) => `The ${topic} code lies in svc-a, ${token}.` });
    const owner = (who: string): Said => ({ topic, predicate: 'owner', text: (token) => `The ${topic} code is owned by ${who} ${token}.` });
    const old = await say(world, owner('Kim'));
    const knownAt = await meanwhile();
    const current = await say(world, owner('Robin'), { replaces: [old.id] });
    return {
      shape: 'partial supersession',
      topic,
      old,
      became: 'superseded',
      current: [current, place],
      again: old.proposal,
      then: { knownAt },
    };
  },
  'bounded validity': async (world) => {
    const topic = `runtime${canary()}`;
    const said = (version: string): Said => ({
      topic,
      predicate: 'version',
      text: (token) => `The ${topic} runs on Node ${version} ${token}.`,
    });
    const old = await say(world, said('16'), { validFrom: '2022-01-01', validTo: '2024-01-01' });
    const current = await say(world, said('20'), { validFrom: '2024-01-01' });
    return {
      shape: 'bounded validity',
      topic,
      old,
      became: 'past',
      current: [current],
      again: old.proposal,
      then: { validAt: '2023-12-31T23:59:59.999Z' },
    };
  },
};

/** Lives through every story and scores it on the agents' door, by the housekeeping and in the tables. @returns them for other doors. */
export async function correctionRows(matrix: Matrix, world: World): Promise<Told[]> {
  const told: Told[] = [];
  for (const [shape, story] of Object.entries(stories) as [Shape, (world: World) => Promise<Told>][]) {
    let lived: Told | undefined;
    const of = (): Told => {
      if (lived === undefined) throw new Error('the story could not be told');
      return lived;
    };
    await matrix.ask(scoreRow(shape, 'A'), 'M', async (check) => {
      lived = await story(world);
      told.push(lived);
      await isCurrent(await world.server(), of(), check);
    });
    await matrix.ask(scoreRow(shape, 'B'), 'M', async (check) => notAsserted(await world.server(), of(), check));
    await matrix.ask(scoreRow(shape, 'D'), 'M', async (check) => knownThen(await world.server(), of(), check));
    for (const column of ['M', 'J'] as const)
      await matrix.ask(scoreRow(shape, 'C'), column, async (check) => {
        check.none('jobs that could not be run', [...(await runJobs(world.engine)), ...(await runJobsLater(world, 1))]);
        await world.endServers();
        await isCurrent(await world.server(), of(), check);
        await notAsserted(await world.server(), of(), check);
      });
    await matrix.ask(scoreRow(shape, 'C′'), 'M', async (check) => {
      const code = await fedAgain(world, of());
      check.must(
        `fed again it ${of().became === 'rejected' ? 'is refused' : 'waits, or is here already'} (${code})`,
        (code === 'rejected_before') === (of().became === 'rejected'),
      );
      await isCurrent(await world.server(), of(), check);
      await notAsserted(await world.server('second-agent'), of(), check);
    });
    await matrix.ask(scoreRow(shape, 'E'), 'B', (check) => derivedAgrees(world, of(), check));
  }
  return told;
}

/** A: what is found holds, by its words, by its file and by its id. */
async function isCurrent(agent: Connection, { current, old, topic }: Told, { control, must }: Check): Promise<void> {
  for (const subject of current)
    control(
      `what holds is read everywhere: ${subject.slot?.predicate ?? ''}`,
      lacking(await readings(agent, subject), subject.token).length === 0,
    );
  const { items } = await agent.ask<{ items: { id: string; state: string }[] }>('memory_search', { query: topic, k: 20, maxTokens: 4_000 });
  must(
    'a search for the topic finds all that holds',
    current.every(({ id }) => items.some((item) => item.id === id && item.state === 'active')),
  );
  must(
    'and not the old value',
    items.every(({ id }) => id !== old.id),
  );
}

/** B: nothing but the explicit history says the old value, and that says what became of it. */
async function notAsserted(agent: Connection, told: Told, { control, must, none }: Check): Promise<void> {
  const { old, current } = told;
  const [holds] = current;
  const found: Reading[] = await readings(agent, old);
  for (const one of holds === undefined ? [] : [holds]) found.push(...(await readings(agent, one)));
  control('the same readings say what holds', holds !== undefined && holding(found, holds.token).length > 0);
  // What only held in the past is still somebody's to ask for by its id, with its dates.
  const explicit = told.became === 'past' ? ['memory_history', 'memory_get'] : ['memory_history'];
  none(
    'read where it should not be',
    holding(found, old.token).filter((by) => !explicit.includes(by)),
  );
  const { data } = await agent.call('memory_history', { claim: old.slot });
  const entries = (data['memories'] ?? []) as Remembered[];
  const its = entries.filter((entry) => JSON.stringify(entry).includes(old.token));
  must(
    'history labels it',
    its.every((entry) => qualified(entry, told)),
  );
}

interface Remembered {
  readonly id: string;
  readonly state: string;
  readonly text?: object;
  readonly beliefs: readonly {
    readonly state: string;
    readonly knownTo?: string;
    readonly validTo?: string;
    readonly others: readonly string[];
  }[];
}

function qualified({ state, beliefs }: Remembered, { became, current }: Told): boolean {
  const last = beliefs.at(-1);
  if (became === 'past') return last?.validTo !== undefined;
  if (state !== became) return false;
  return became !== 'superseded' || current.some(({ id }) => last?.others.includes(id) === true);
}

/** D: the old value can be asked for, as of when it was believed or held. */
async function knownThen(agent: Connection, told: Told, { control, must }: Check): Promise<void> {
  const { old, then, became, current } = told;
  const ask = async (args: object) => ((await agent.call('memory_history', { ...args })).data['memories'] ?? []) as Remembered[];
  const now = await ask({ id: old.id });
  control('what holds has a history', current.length > 0 && (await ask({ id: current[0]?.id })).length === 1);
  if (became === 'rejected') {
    // What was never right is told as a bare fact, and its words are the person's.
    must('that it was rejected is known, without its words', now[0]?.state === 'rejected' && now[0].text === undefined);
    return;
  }
  must('its words are in its history', JSON.stringify(now).includes(old.token));
  const [asOfThen] = await ask({ id: old.id, ...then });
  must('as of then it is what was believed', asOfThen !== undefined && JSON.stringify(asOfThen).includes(old.token));
  if (then.knownAt !== undefined) must('and was believed to hold', asOfThen?.state === 'active');
  if (became !== 'past') return;
  const search = async (validAt?: string) =>
    await agent.ask<{ items: { id: string; validTo?: string }[]; omitted: Record<string, number> }>('memory_search', {
      query: old.token,
      ...(validAt !== undefined && { validAt }),
    });
  const inside = await search(then.validAt);
  must(
    'asked of a time inside its bounds it is found, with its end',
    inside.items.some((item) => item.id === old.id && item.validTo !== undefined),
  );
  must(
    'its first instant is inside',
    (await search('2022-01-01')).items.some(({ id }) => id === old.id),
  );
  must(
    'its end is outside',
    (await search('2024-01-01')).items.every(({ id }) => id !== old.id),
  );
  must(
    'before its beginning it is not found',
    (await search('2021-12-31T23:59:59.999Z')).items.every(({ id }) => id !== old.id),
  );
  must('without a time it is counted as no longer valid', (await search()).omitted['noLongerValid'] === 1);
}

/** Tells day one again, by another client and from another source. */
async function fedAgain(world: World, { again }: Told): Promise<string> {
  const again2 = {
    ...again,
    title: `Read in the docs: ${again.title ?? ''}`.slice(0, 200),
    evidence: [{ kind: 'file' as const, path: 'docs/second.md' }],
  };
  return world.refusal(again2, 'second-agent');
}

/** E: the index of what is served, the states and the chain say the same. */
async function derivedAgrees(world: World, { old, current, became }: Told, { control, must }: Check): Promise<void> {
  const served = async (id: string) =>
    world.sql(async (shell) => {
      const [row] = await shell.all('SELECT count(*) AS n FROM served_index WHERE rowid = (SELECT seq FROM memories WHERE id = ?)', id);
      return Number(row?.['n']) === 1;
    });
  for (const { id } of current) control('what holds is in the index of what is served', await served(id));
  must('the old value is there only if it stands for its time', (await served(old.id)) === (became === 'past'));
  must('its state is what it became', (await world.memory(old.id)).state === (became === 'past' ? 'active' : became));
  must(
    'no row differs from its events',
    [old, ...current].length > 0 &&
      (await Promise.all([old, ...current].map(({ id }) => world.memory(id)))).every(({ tampering }) => tampering === undefined),
  );
  must('the chain is intact', (await world.engine.verify()).is === 'intact');
}

/** A retirement with no successor. */
export async function retractionRow(matrix: Matrix): Promise<void> {
  const world = await World.make();
  try {
    for (const column of ['M', 'J'] as const)
      await matrix.ask('correction.retraction_without_replacement', column, async ({ control, must, none }) => {
        const topic = `gates${canary()}`;
        const old = await say(world, { topic, predicate: 'colour', text: (token) => `The ${topic} are painted red ${token}.` });
        const sibling = await say(world, { topic, predicate: 'height', text: (token) => `The ${topic} are two metres high ${token}.` });
        await world.retire(old.id, 'They are not painted any more.');
        const code = await world.refusal({ ...old.proposal, evidence: [{ kind: 'file', path: 'docs/first.md' }] }, 'second-agent');
        must(`fed again it waits at most (${code})`, code === 'accepted' || code === 'rejected_before');
        none('jobs that could not be run', [...(await runJobs(world.engine)), ...(await runJobsLater(world, 1))]);
        const agent = await world.server();
        none(
          'still read',
          holding(await readings(agent, old), old.token).filter((by) => by !== 'memory_history'),
        );
        must('it is retired', (await world.memory(old.id)).state === 'retired');
        control('the other claim of the same source is read', lacking(await readings(agent, sibling), sibling.token).length === 0);
      });
  } finally {
    await world.close();
  }
}
