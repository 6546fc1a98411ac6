/**
 * Every function that reads memories, asked directly and with a narrow grant: what lies outside of it is not in the answer, and is in
 * the answer of a wider one. The doors look once more at what comes back; these tests hold without that.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { searchSchema } from '../../../src/engine/recall/query';
import { leavingsOf } from '../../../src/engine/audit/leavings';
import { auditLog } from '../../../src/engine/audit/log';
import { recallsOf, sessionsSeen } from '../../../src/engine/audit/seen';
import { challengeById, challengeCounts, openChallenges } from '../../../src/engine/ledger/challenges';
import { carryTombstones, decidedIn } from '../../../src/engine/ledger/carry';
import { conflictingWith } from '../../../src/engine/ledger/conflicts';
import { keyRing } from '../../../src/engine/ledger/keyring';
import type { LedgerParts } from '../../../src/engine/ledger/parts';
import { examineAgain, examined } from '../../../src/engine/ledger/projection';
import { claimingValue, storedReceipt } from '../../../src/engine/ledger/receipts';
import { repositoryAt } from '../../../src/engine/evidence/repository';
import { lexicalHits, outsideValidity, withdrawn } from '../../../src/engine/recall/lexical';
import { grantFor, type Grant } from '../../../src/engine/scope/grant';
import type { Database } from '../../../src/engine/store/database';
import {
  anchorsNear,
  countStates,
  memoriesById,
  memoriesBySeq,
  memoriesInState,
  memoriesWaitingSince,
  memoryById,
  sessionsProposing,
  sessionsWaiting,
} from '../../../src/engine/store/memories';
import { faceOf } from '../../../src/engine/store/moved';
import { systemClock, systemIds } from '../../../src/engine/system';
import { openEngine, type AgentAccess } from '../../../src/engine';
import { git } from '../../support/git';
import { agentOf, aProposal, codeOf, seen, type Bench } from '../../support/store';
import { aDesk, aSession, type Desk } from '../audit/support';

describe('a read with a narrow grant', () => {
  let desk: Desk;
  let bench: Bench;
  let read: Database['read'];
  let parts: LedgerParts;
  let [narrow, whole]: Grant[] = [];
  /** An agent in the folder `a`, which reads the workspace and nothing of the folder `b`. */
  let inA: AgentAccess;
  /** Two memories that stand and say the same, one for the whole workspace and one for the folder `b`. */
  let [here, there] = ['', ''];
  let [pendingHere, pendingThere] = ['', ''];
  let [challengeHere, challengeThere] = ['', ''];
  let rejectedThere = '';

  const scopes = ['workspace', 'path:b/'] as const;
  const keeper = (object: string) => ({ subject: 'harbour', predicate: 'keeper', object, cardinality: 'one' as const });
  const onBoth = (of: (scope: (typeof scopes)[number]) => Promise<string>) => Promise.all(scopes.map(of));

  before(async () => {
    desk = await aDesk();
    bench = desk.bench;
    git(bench.root, 'init', '-q');
    read = desk.reading.read;
    [narrow, whole] = [grantFor(bench.engine.storeId, 'a'), grantFor(bench.engine.storeId, '')];
    const row = await read.get('SELECT id, salt FROM store');
    parts = {
      database: desk.reading,
      store: { id: String(row?.['id']), salt: String(row?.['salt']) },
      keyRing: keyRing(bench.keysFile),
      repository: repositoryAt(bench.root),
      clock: systemClock,
      ids: systemIds,
      forgetQuestions: () => Promise.resolve(),
    };
    mkdirSync(join(bench.root, 'a'));
    inA = agentOf(await bench.reopen({ root: join(bench.root, 'a') }), 'in-a');
    const anchors = [{ file: 'b/x.ts' }];
    [here, there] = (await onBoth((scope) =>
      bench.stand({
        scope,
        anchors,
        statement: `Lanterns burn on the pier of ${scope}.`,
        claim: keeper(scope === 'workspace' ? 'Ann' : 'Bea'),
      }),
    )) as [string, string];
    [pendingHere, pendingThere] = (await onBoth(
      async (scope) => (await bench.agentNamed(`waits in ${scope}`).propose(aProposal({ scope }))).id,
    )) as [string, string];
    for (const scope of scopes)
      await bench.stand({ scope, statement: `Lanterns were lit on the pier of ${scope}.`, validTo: '2020-01-01' });
    for (const scope of scopes)
      await bench.decide('retire', await bench.stand({ scope, statement: `Lanterns hung on the pier of ${scope}.` }));
    ({ id: rejectedThere } = await bench.agent.propose(aProposal({ scope: 'path:b/' })));
    await bench.decide('reject', rejectedThere);
    const evidence = [{ kind: 'issue' as const, ref: '#1' }];
    [challengeHere, challengeThere] = (await Promise.all(
      [here, there].map(async (id) => (await bench.agent.contest({ id, reason: 'it is dark', evidence })).id),
    )) as [string, string];
  });
  after(() => desk.close());

  const search = searchSchema.parse({ query: 'lanterns pier' });
  const match = '"lanterns" OR "pier"';
  const now = new Date().toISOString();
  const far = '2999-01-01T00:00:00.000Z';
  const seqs = () => Promise.all([here, there].map((id) => desk.seqOf(id)));
  const bothSeqs = async (of: (seq: readonly number[]) => Promise<readonly number[]>) => {
    const known = await seqs();
    return (await of(known)).map((seq) => (seq === known[0] ? 'here' : seq === known[1] ? 'there' : 'another')).sort();
  };
  const named = (ids: readonly (string | undefined)[]) =>
    ids.map((id) => (id === here || id === pendingHere || id === challengeHere ? 'here' : id === there || id === pendingThere || id === challengeThere ? 'there' : 'another')).sort(); // prettier-ignore
  const page = { limit: 100, offset: 0 };

  /** The reader's name, how it is asked, and what it answers to the narrow grant and to the whole one. */
  const table: readonly (readonly [string, (grant: Grant) => Promise<unknown>, unknown, unknown])[] = [
    ['memoryById', async (grant) => (await memoryById(read, grant, there))?.id === there, false, true],
    ['memoriesById', async (grant) => named((await memoriesById(read, grant, [here, there])).map(({ id }) => id)), ['here'], ['here', 'there']],
    ['memoriesBySeq', (grant) => bothSeqs(async (known) => (await memoriesBySeq(read, grant, known)).map(({ seq }) => seq)), ['here'], ['here', 'there']],
    ['memoriesInState', async (grant) => named((await memoriesInState(read, grant, { ...page, states: ['pending'] })).map(({ id }) => id)), ['here'], ['here', 'there']],
    ['memoriesWaitingSince', async (grant) => named(await memoriesWaitingSince(read, grant, far)), ['here'], ['here', 'there']],
    ['countStates', async (grant) => pick(await countStates(read, grant), 'pending', 'active', 'retired'), [1, 2, 1], [2, 4, 2]],
    ['sessionsWaiting', async (grant) => (await sessionsWaiting(read, grant)).map(({ client }) => client).sort(), ['waits in workspace'], ['waits in path:b/', 'waits in workspace']],
    ['examined', async (grant) => named(await examinedIds(grant)).includes('there'), false, true],
    ['examineAgain', async (grant) => named((await examineAgain(read, await examination(grant), await seqs())).map(({ id }) => id)), ['here'], ['here', 'there']],
    ['decidedIn', async (grant) => (await decidedIn(read, parts.keyRing, () => grant)).tombstones.some(({ memory }) => memory === rejectedThere), false, true],
    ['carryTombstones', (grant) => carried(grant), 'of none', 'of the memory'],
    ['sessionsProposing', async (grant) => (await sessionsProposing(read, grant, 100)).map(({ client }) => client).filter((client) => client.startsWith('waits')).sort(), ['waits in workspace'], ['waits in path:b/', 'waits in workspace']],
    ['anchorsNear', (grant) => bothSeqs(async () => (await anchorsNear(read, grant, 'b/x.ts', ['active'], now)).map(({ seq }) => seq)), ['here'], ['here', 'there']],
    ['lexicalHits', (grant) => bothSeqs(async () => (await lexicalHits(read, grant, match, search, now, page)).map(({ seq }) => seq)), ['here'], ['here', 'there']],
    ['outsideValidity', (grant) => outsideValidity(read, grant, match, search, now), { noLongerValid: 1 }, { noLongerValid: 2 }],
    ['withdrawn', (grant) => withdrawn(read, grant, match, search), { retired: 1 }, { retired: 2 }],
    ['conflictingWith', async (grant) => named(await conflictingWith({ read, grant, store: parts.store, keys: await parts.keyRing.trusted() }, (await contentOf(there)), { scope: 'path:b/' })), [], ['there']],
    ['challengeById', async (grant) => named([(await challengeById(read, grant, challengeThere))?.id]), ['another'], ['there']],
    ['openChallenges', async (grant) => named((await openChallenges(read, grant)).map(({ id }) => id)), ['here'], ['here', 'there']],
    ['challengeCounts', (grant) => bothSeqs(async (known) => [...(await challengeCounts(read, grant, known)).keys()]), ['here'], ['here', 'there']],
    ['claimingValue', async (grant) => (await claimingValue(read, grant, await valueKeyOf(there))).length, 0, 1],
    ['auditLog', async (grant) => named((await auditLog(read, grant, { limit: 1_000 })).map(({ memory }) => memory)).includes('there'), false, true],
    ['history of a claim', async (grant) => named((await agentWith(grant).history({ claim: { subject: 'harbour', predicate: 'keeper' } })).memories.map(({ id }) => id)), ['here'], ['here', 'there']],
  ]; // prettier-ignore
  for (const [name, ask, narrowly, wholly] of table)
    it(`does not get out of ${name} what lies elsewhere, and a wide one does`, async () => {
      assert.deepEqual(await ask(narrow!), narrowly);
      assert.deepEqual(await ask(whole!), wholly);
    });

  const pick = (counts: Readonly<Record<string, number>>, ...names: string[]) => names.map((name) => counts[name]);
  const agentWith = (grant: Grant) => (grant === narrow ? inA : bench.agent);
  /** The same claim with another value, which contradicts it. */
  const contentOf = async (id: string) => {
    const { memory } = await seen(bench.person, id);
    assert.ok(memory);
    return { ...memory.content, claim: keeper('Cid') };
  };
  const valueKeyOf = async (id: string) => String((await read.get('SELECT value_key FROM memories WHERE id = ?', id))?.['value_key']);

  const examination = async (grant: Grant) => ({ grant, store: parts.store, keys: await parts.keyRing.trusted() });
  const examinedIds = async (grant: Grant) => {
    const ids: string[] = [];
    for await (const page of examined(read, await examination(grant))) ids.push(...page.map(({ id }) => id));
    return ids;
  };
  /** Whose the tombstone becomes that is carried into the store; it is not kept. */
  const carried = async (grant: Grant) => {
    let memory: unknown;
    const stone = { digest: 'another', scope: 'path:b/', kind: 'statement', form: 2, memory: rejectedThere };
    await desk.side
      .transaction(async (tx) => {
        await tx.run("INSERT INTO rulings (event, subject) SELECT max(seq), 'restored' FROM events");
        await carryTombstones(tx, [stone], grant);
        memory = (await tx.get("SELECT memory FROM tombstones WHERE digest = 'another'"))?.['memory'];
        throw new Error('not kept');
      })
      .catch(() => undefined);
    return memory === null ? 'of none' : memory === (await desk.seqOf(rejectedThere)) ? 'of the memory' : memory;
  };

  it('is not told of copies that lie elsewhere in the other store', async () => {
    const source = await bench.stand({});
    const copyOf = `${parts.store.id}/${source}`;
    const draft = { kind: 'fact', title: 'A copy', statement: 'It says something else.', scope: 'path:b/' };
    const { id } = await bench.person.save(draft, 'test', bench.key, copyOf);
    const copies = async (grant: Grant) =>
      (await leavingsOf([source], whole!, parts, { grant, parts })).elsewhere
        .filter(({ because }) => because === 'copy')
        .map((one) => one.id);
    assert.deepEqual([await copies(narrow!), await copies(whole!)], [[], [id]]);
  });

  it('is not told by a store’s face what no person of a folder reads in it', async () => {
    const userStoreFile = join(bench.folder, 'user', 'memory.db');
    const engine = await openEngine({ storeFile: bench.storeFile, root: bench.root, keysFile: bench.keysFile, userStoreFile });
    await engine
      .forPersonEverywhere()
      ?.save({ kind: 'fact', title: 'A fact', statement: 'It holds everywhere.', scope: 'user' }, 'test', bench.key);
    await engine.close();
    assert.equal((await faceOf(userStoreFile)).memories, 0);
    assert.ok((await faceOf(bench.storeFile)).memories > 5);
  });

  it('does not meet the receipt of a memory that lies elsewhere', async () => {
    await bench.agent.propose(aProposal({ scope: 'path:b/', commandId: 'one' }));
    const met = (grant: Grant) =>
      storedReceipt(parts, read, { client: 'test-client', grant, commandId: 'one', payload: 'another' }).then((one) => one?.id, codeOf);
    assert.equal(await met({ ...whole!, read: [{ scope: 'workspace' }] }), undefined);
    assert.equal(await met(whole!), 'command_id_reused');
  });

  it('gives no hint of a withdrawn memory or a slot that lies elsewhere', async () => {
    const statements = ['The bell rings at six.', 'The bell rings at seven.'] as const;
    const ids: string[] = [];
    for (const statement of statements) ids.push(await bench.stand({ kind: 'fact', statement }));
    await bench.person.decide(
      { act: 'limit', ...(await bench.seen(ids[0]!)), bounds: { scope: 'path:b/' }, reason: 'only there' },
      bench.key,
    );
    for (const id of ids) await bench.decide('retire', id);
    const lamp = (predicate: string, scope?: string) => ({
      claim: { subject: 'harbour', predicate, object: 'x' },
      ...(scope !== undefined && { scope }),
    });
    await bench.stand(lamp('night watch', 'path:b/'));
    const again = (statement: string) => inA.propose(aProposal({ kind: 'fact', statement, scope: 'workspace' }));
    assert.deepEqual((await again(statements[0])).replacedBefore, []);
    assert.deepEqual((await again(statements[1])).replacedBefore.map(({ id }) => id), [ids[1]]); // prettier-ignore
    const slots = async (agent: AgentAccess, predicate: string) =>
      ((await agent.propose(aProposal(lamp(predicate)))).slots ?? []).map((slot) => slot.predicate).sort();
    assert.deepEqual(await slots(inA, 'lamp'), ['keeper']);
    assert.deepEqual(await slots(bench.agent, 'crane'), ['keeper', 'night watch']);
  });

  it('is not told what derives from, or rests on, a memory and lies elsewhere', async () => {
    const source = await bench.stand({});
    for (const scope of scopes) await bench.stand({ scope, evidence: [{ kind: 'memory', id: source }] });
    const count = async (grant: Grant) =>
      (await leavingsOf([source], grant, parts)).memories.filter(({ because }) => because === 'rests on it').length;
    assert.deepEqual([await count(narrow!), await count(whole!)], [1, 2]);
  });

  it('is not told which memories of elsewhere a session saw, nor how many', async () => {
    const record = desk.record();
    const session = aSession('reader');
    record.note(await desk.answer({ session, ids: [here, there], scope: 'workspace' }));
    record.note(await desk.answer({ session, ids: [pendingThere], scope: 'path:b/' }));
    await record.settled();
    const counted = async (grant: Grant) => (await sessionsSeen(read, grant, page)).find(({ client }) => client === 'reader')?.memories;
    assert.deepEqual([await counted(narrow!), await counted(whole!)], [2, 3]);
    const items = async (grant: Grant) =>
      named((await recallsOf(read, grant, session.id, page)).flatMap((one) => one.items.map(({ memory }) => memory)));
    assert.deepEqual([await items(narrow!), await items(whole!)], [['here'], ['here', 'there', 'there']]);
  });

  it('is not told by a session’s next process what was given elsewhere', async () => {
    const session = aSession('later');
    const gone = await bench.stand({ scope: 'path:b/' });
    const record = desk.record();
    record.note(await desk.answer({ session, ids: [gone], scope: 'path:b/' }));
    await record.settled();
    await bench.decide('retire', gone);
    const told = async (grant: Grant) => (await desk.record().noLongerHeld(session.id, read, grant)).named.map(({ id }) => id);
    assert.deepEqual([await told(narrow!), await told(whole!)], [[], [gone]]);
  });

  it('is not given a contested memory whose counterpart lies elsewhere, by no way of reading; with it, both', async () => {
    const one = await bench.stand({ statement: 'Ropes are kept in the loft.', anchors: [{ file: 'a/y.ts' }] });
    const other = await bench.stand({ statement: 'Ropes are kept in the cellar.', scope: 'path:b/' });
    await bench.person.decide(
      { act: 'contest', ...(await bench.seen(one)), with: await bench.seen(other), reason: 'they differ' },
      bench.key,
    );
    const met = async (agent: AgentAccess, path: string) => {
      const found = await agent.search({ query: 'ropes loft', k: 2 });
      return {
        search: found.items.map(({ id }) => id).sort(),
        alone: found.omitted['contestedAlone'] ?? 0,
        file: (await agent.forFile({ path })).items.map(({ id }) => id).sort(),
        get: await agent.get({ id: one }).then(({ counterparts }) => counterparts?.map(({ id }) => id), codeOf),
      };
    };
    assert.deepEqual(await met(inA, 'y.ts'), { search: [], alone: 1, file: [], get: 'not_found' });
    const both = [one, other].sort();
    assert.deepEqual(await met(bench.agent, 'a/y.ts'), { search: both, alone: 0, file: both, get: [other] });
  });

  it('does not give a row that the first look let through', async () => {
    assert.equal(await inA.get({ id: there }).then(() => 'given', codeOf), 'not_found');
    assert.equal((await inA.get({ id: here })).id, here);
  });
});
