/** A store in which each state and each act has left its rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonAct, Proposal } from '../../../src/engine';
import type { Clock } from '../../../src/engine/ports';
import { aBench, aProposal, lines, type Bench } from '../../support/store';
import type { SqlShell } from '../../mcp/support/sql-shell';

/** Each memory by what became of it. */
export type Everything = Readonly<Record<string, string>>;

/** A clock that goes on by a second each time it is asked, so that no two events share an instant. */
export function tickingClock(start = '2026-03-01T12:00:00.000Z'): Clock {
  let at = Date.parse(start);
  return { now: () => new Date((at += 1_000)) };
}

export const aBenchOfEverything = () => aBench({ 'src/a.ts': lines(40), 'pkg/b.ts': lines(10) }, tickingClock());

const slot = (object: string): Partial<Proposal> => ({
  statement: `The package manager is ${object}.`,
  claim: { subject: 'repository', predicate: 'package manager', object, cardinality: 'one' },
});

export async function everything(bench: Bench): Promise<Everything> {
  const { agent, person, key } = bench;
  const stand: Bench['stand'] = (parts) => bench.stand(parts);
  const decide: Bench['decide'] = (act, id, reason) => bench.decide(act, id, reason);
  const seen: Bench['seen'] = (id) => bench.seen(id);
  const act = async (decision: PersonAct) => person.decide(decision, key);
  const on = async (id: string, decision: object) => act({ ...decision, ...(await seen(id)) } as PersonAct);
  const proposed = async (parts: Partial<Proposal> = {}) => (await agent.propose(aProposal(parts))).id;
  const made: Record<string, string> = {};

  // Lapsed by time, before anything else waits; and again, so that it was proposed once more and supported.
  made['expired'] = await proposed();
  await person.expireWaiting(0);
  const waiting = aProposal({ evidence: [{ kind: 'file', path: 'src/a.ts', startLine: 2 }], anchors: [{ glob: 'src/**/*.ts' }] });
  made['pending'] = (await agent.propose({ ...waiting, commandId: 'waiting' })).id;
  await agent.propose(waiting);
  made['lapsed'] = await proposed();
  await decide('lapse', made['lapsed']);

  made['active'] = await stand({ kind: 'workflow', appliesWhen: 'releasing', steps: ['tag', 'push'], tags: ['release'] });
  made['bounded'] = await stand({ validFrom: '2026-01-01', validTo: '2027-01-01', scope: 'path:pkg/' });
  await on(made['bounded'], { act: 'limit', bounds: { scope: 'path:pkg/', validFrom: '2026-02-01' }, reason: 'later than was said' });
  made['retired'] = await stand({});
  await decide('retire', made['retired']);

  // A slot of one: the second value contests the first, and the third takes the place of both.
  made['npm'] = await stand(slot('npm'));
  made['pnpm'] = await stand(slot('pnpm'));
  await act({ act: 'resolve', members: [await seen(made['npm']), await seen(made['pnpm'])], outcome: { is: 'keep', id: made['pnpm'], neverRight: false }, reason: 'we moved', surface: 'test' }); // prettier-ignore
  made['contested'] = await stand(slot('yarn'));
  made['allHoldA'] = await stand({});
  made['allHoldB'] = await stand({});
  await on(made['allHoldA'], { act: 'contest', with: await seen(made['allHoldB']), reason: 'is it so?' });
  await act({ act: 'resolve', members: [await seen(made['allHoldA']), await seen(made['allHoldB'])], outcome: { is: 'all' }, reason: 'both are', surface: 'test' }); // prettier-ignore
  made['never'] = await stand({});
  await on(made['never'], { act: 'contest', reason: 'doubtful' });
  await act({ act: 'resolve', members: [await seen(made['never'])], outcome: { is: 'none', neverRight: true }, reason: 'it never was', surface: 'test' }); // prettier-ignore

  made['rejected'] = await proposed({ claim: { subject: 'cache', predicate: 'engine', object: 'memcached' } });
  await decide('reject', made['rejected']);
  made['lifted'] = await proposed();
  await decide('reject', made['lifted']);
  await decide('lift', made['lifted']);
  made['unrejected'] = await proposed();
  await decide('reject', made['unrejected']);
  await decide('undo', made['unrejected']);

  made['amended'] = await proposed();
  const draft = { kind: 'decision', title: 'In my words', statement: 'What the person made of it.', evidence: [{ kind: 'quote', speaker: 'me', text: 'so it is' }] }; // prettier-ignore
  made['edited'] = (await on(made['amended'], { act: 'amend', draft, surface: 'test' })).id;

  made['old'] = await stand({});
  made['successor'] = await stand({ replaces: [made['old']] });
  await on(made['old'], { act: 'restore', successor: 'reverse' });
  await decide('undo', made['old']);

  made['doubted'] = await stand({});
  const doubt = async (id: string, reason: string) =>
    (await agent.contest({ id, reason, evidence: [{ kind: 'file', path: 'src/a.ts' }] })).id;
  await on(made['doubted'], { act: 'decline', challenge: await doubt(made['doubted'], 'hardly'), reason: 'it is right' });
  await on(made['doubted'], { act: 'accept', challenge: (await agent.requestRetire({ id: made['doubted'], reason: 'gone' })).id });
  made['challenged'] = await stand({});
  await agent.contest({ id: made['challenged'], reason: 'see there', evidence: [{ kind: 'url', url: 'https://example.org' }], with: made['active'] }); // prettier-ignore

  made['forgotten'] = await stand({ claim: { subject: 'queue', predicate: 'engine', object: 'kafka', cardinality: 'one' } });
  await agent.requestRetire({ id: made['forgotten'], reason: 'a doubt that goes with it' });
  await decide('undo', made['forgotten']);
  await decide('reject', made['forgotten']);
  await act({ act: 'forget', memories: [await seen(made['forgotten'])], questions: [] });
  made['forgottenLifted'] = await stand({});
  await act({ act: 'forget', memories: [await seen(made['forgottenLifted'])], questions: [] });
  await on(made['forgottenLifted'], { act: 'lift', reason: 'it may be said again' });

  await person.setSlot('queue', 'broker', 'many', key);
  await person.pause(true, key);
  await person.pause(false, key);
  writeFileSync(join(bench.root, 'src/a.ts'), lines(3));
  return made;
}

/** Every row of every table that holds data, the indexes' contents included. */
export async function rowsOf(shell: SqlShell): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  const tables = await shell.all(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_index_*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
  );
  for (const { name } of tables) {
    const indexed = String(name).endsWith('_index') ? 'rowid, title, body' : '*';
    rows[String(name)] = (await shell.all(`SELECT ${indexed} FROM "${String(name)}"`)).map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}
