import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locate, openEngine, type Engine, type State } from '../../../src/engine';
import { canonicalJson, saltedHash, sha256 } from '../../../src/engine/domain/canonical';
import type { Content, NewMemory } from '../../../src/engine/domain/memory';
import { Database, type Statements } from '../../../src/engine/store/database';
import { inspect, migrate } from '../../../src/engine/store/migrate';
import { indexText } from '../../../src/engine/store/rows';
import { systemClock, systemIds } from '../../../src/engine/system';
import { sqlShell } from '../../mcp/support/sql-shell';
import { pinKeys, testKey, type TestKey } from '../../support/keys';
import { agentOf, aProposal, codeOf } from '../../support/store';
import { firstSchema } from './support';

const session = { id: 'session', client: 'earlier-client', clientVersion: '0.9.0', startedAt: '2026-01-01T00:00:00.000Z' };

/** The memories of the earlier store: how far a person had taken each, and what is its own. */
const earlier = {
  waiting: { acts: [], state: 'pending', content: { statement: 'The harbour has two gates.' } },
  standing: {
    acts: ['approve'],
    state: 'active',
    content: {
      statement: 'The lighthouse of the harbour is lit by gas.',
      claim: { subject: 'lighthouse', predicate: 'lit by', object: 'gas', cardinality: 'one' },
      validFrom: '2026-01-01T00:00:00.000Z',
    },
  },
  listed: { acts: ['approve'], state: 'active', content: { statement: '- Boats of the harbour keep *left*.' } },
  stated: {
    acts: ['save'],
    state: 'active',
    content: {
      statement: 'Ropes of the harbour are coiled.',
      kind: 'preference',
      appliesWhen: 'mooring',
      evidence: [],
      scope: 'path:src/',
      provenance: { tag: 'stated', surface: 'editor', at: '2026-01-02T00:00:00.000Z' },
    },
  },
  retired: { acts: ['approve', 'retire'], state: 'retired', content: { statement: 'The harbour closes at six.' } },
  rejected: { acts: ['reject'], state: 'rejected', content: { statement: 'The harbour needs no pilots.' } },
} as const satisfies Record<string, { acts: readonly FirstAct[]; state: State; content: Partial<Content> }>;

type Name = keyof typeof earlier;
type FirstAct = 'save' | 'approve' | 'reject' | 'retire';

describe('a store of the first schema', () => {
  let folder: string;
  let root: string;
  let storeFile: string;
  let keysFile: string;
  let key: TestKey;
  let ids: Record<Name, string>;
  const opened: Engine[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stet-upgrade-'));
    root = join(folder, 'work');
    mkdirSync(root);
    storeFile = join(folder, 'memory.db');
    keysFile = join(folder, 'keys.json');
    key = testKey();
    pinKeys(keysFile, key);
    ids = await makeEarlierStore(storeFile, root, key);
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async () => {
    const engine = await openEngine({ storeFile, root, keysFile });
    opened.push(engine);
    return { engine, agent: agentOf(engine, 'reader'), person: engine.forPerson() };
  };
  const names = Object.keys(earlier) as Name[];
  const eventCount = names.reduce((sum, name) => sum + 1 + earlier[name].acts.filter((act) => act !== 'save').length, 0);

  it('is backed up as it was, before it is brought up to date', async () => {
    const { person } = await open();
    const [backup, ...more] = await person.backups();
    assert.ok(backup);
    assert.deepEqual([backup.schema, more.length], [1, 0]);
    const shells = [await sqlShell(backup.file), await sqlShell(storeFile)];
    const found = [];
    for (const shell of shells) {
      const [row] = await shell.all('SELECT (SELECT count(*) FROM memories) AS memories, (SELECT count(*) FROM events) AS events');
      const [version] = await shell.all('PRAGMA user_version');
      found.push({ ...row, ...version });
      await shell.close();
    }
    const rows = { memories: names.length, events: eventCount };
    assert.deepEqual(found, [
      { ...rows, user_version: 1 },
      { ...rows, user_version: 2 },
    ]);
    await open();
    assert.equal((await person.backups()).length, 1, 'what is up to date is left alone');
  });

  it('keeps each memory, its state and its history, in a chain that verifies', async () => {
    const { engine, agent, person } = await open();
    assert.deepEqual(await engine.verify(), {
      is: 'intact',
      length: eventCount,
      signed: undefined,
      unknownKeys: { count: 0, first: undefined },
    });
    for (const name of names) {
      const { state, content, acts } = earlier[name];
      const found = await person.one(ids[name]);
      assert.deepEqual([found?.state, found?.tampering, found?.memory?.content.statement], [state, undefined, content.statement], name);
      assert.deepEqual(
        found?.history.map(({ act }) => act).filter((act) => act !== 'propose'),
        acts,
        name,
      );
    }
    assert.deepEqual([...(await person.reasons(ids.retired)).values()], ['retire, once']);
    const served = (await agent.search({ query: 'harbour', k: 20 })).items.map((item) => item.id);
    assert.deepEqual([...served].sort(), [ids.standing, ids.listed, ids.stated].sort());
  });

  it('is served under the key that signed it, and under no other', async () => {
    const { agent, person } = await open();
    const get = () => agent.get({ id: ids.standing }).then((whole) => whole.state, codeOf);
    assert.equal(await get(), 'active');
    pinKeys(keysFile, testKey());
    assert.equal(await get(), 'not_found');
    assert.equal((await person.one(ids.standing))?.tampering, 'key_unknown');
    pinKeys(keysFile, key);
    assert.equal(await get(), 'active');
  });

  it('does not make good what was altered before', async () => {
    const shell = await sqlShell(storeFile);
    await shell.run("UPDATE statuses SET state = 'active' WHERE memory = (SELECT seq FROM memories WHERE id = ?)", ids.waiting);
    await shell.close();
    const { agent, person } = await open();
    assert.equal((await person.one(ids.waiting))?.tampering, 'state_altered');
    assert.equal(await agent.get({ id: ids.waiting }).catch(codeOf), 'not_found');
    assert.equal((await agent.get({ id: ids.standing })).id, ids.standing);
  });

  it('knows its values again, in spellings that only the present form folds, and takes new ones', async () => {
    const { agent } = await open();
    const again = await agent.propose(aProposal({ statement: 'boats of the **harbour** keep left', scope: 'workspace' }));
    assert.deepEqual([again.id, again.duplicate, again.state], [ids.listed, true, 'active']);
    const other = await agent.propose(aProposal({ statement: 'Boats of the harbour keep right.' }));
    assert.deepEqual([other.duplicate, other.state], [false, 'pending']);
  });

  it('keeps a rejected value out, with the reason, until a person lifts it', async () => {
    const { agent, person } = await open();
    const restate = () => agent.propose(aProposal({ statement: '*The harbour needs no pilots*' })).then(({ state }) => state, told);
    const told = (error: unknown) => `${codeOf(error)}: ${(error as Error).message}`;
    assert.match(await restate(), /^rejected_before: .*reject, once/);
    const seen = (await person.one(ids.rejected))?.seen;
    assert.ok(seen);
    await person.decide({ act: 'lift', id: ids.rejected, seen, reason: 'it was a mistake' }, key);
    assert.equal(await restate(), 'pending');
  });

  it('contests a claim that says otherwise than one that stood there already', async () => {
    const { agent, person } = await open();
    const claim = { subject: 'Lighthouse', predicate: 'lit by', object: 'electricity' };
    const { id, conflicts } = await agent.propose(aProposal({ statement: 'The lighthouse is electric.', claim }));
    assert.deepEqual(
      conflicts.map((hint) => hint.id),
      [ids.standing],
    );
    const seen = (await person.one(id))?.seen;
    assert.ok(seen);
    const { state } = await person.decide({ act: 'approve', id, seen }, key);
    assert.deepEqual([state, (await person.one(ids.standing))?.state], ['contested', 'contested']);
  });

  it('goes on: present acts follow those of the earlier form', async () => {
    const { engine, agent, person } = await open();
    const seen = async (name: Name) => {
      const found = (await person.one(ids[name]))?.seen;
      assert.ok(found);
      return { id: ids[name], seen: found };
    };
    await person.decide({ act: 'approve', ...(await seen('waiting')) }, key);
    await person.decide({ act: 'retire', ...(await seen('standing')), reason: 'electric now' }, key);
    await person.decide({ act: 'restore', ...(await seen('retired')), successor: 'reverse' }, key);
    await person.decide({ act: 'forget', memories: [await seen('stated')], questions: [] }, key);
    const served = (await agent.search({ query: 'harbour', k: 20 })).items.map((item) => item.id);
    assert.deepEqual([...served].sort(), [ids.waiting, ids.listed, ids.retired].sort());
    for (const name of names) assert.equal((await person.one(ids[name]))?.tampering, undefined, name);
    assert.equal((await engine.verify()).is, 'intact');
    assert.deepEqual(await person.backups(), [], 'a copy of the first schema cannot forget, so it goes');
  });
});

/** A store as Stet made it when it had one schema. @returns the ids of its memories. */
async function makeEarlierStore(file: string, root: string, key: TestKey): Promise<Record<Name, string>> {
  const database = await Database.open(file, (read) => inspect(read, firstSchema));
  try {
    await migrate(database, locate(root).identity, systemClock, systemIds, firstSchema);
    const store = await database.read.get('SELECT id, salt FROM store');
    return await database.transaction(async (tx) => {
      await tx.run('INSERT INTO sessions VALUES (?, ?, ?, ?)', session.id, session.client, session.clientVersion, session.startedAt);
      const made: Partial<Record<Name, string>> = {};
      for (const [name, { acts, content }] of Object.entries(earlier))
        made[name as Name] = await keepAsBefore(tx, { id: String(store?.['id']), salt: String(store?.['salt']) }, content, acts, key);
      return made as Record<Name, string>;
    });
  } finally {
    await database.close();
  }
}

let minute = 0;
const nextInstant = () => new Date(Date.UTC(2026, 0, 5, 0, (minute += 1))).toISOString();

/** Writes a memory and what a person did with it by the statements of the first schema, signed in the first form. */
async function keepAsBefore(
  tx: Statements,
  store: { readonly id: string; readonly salt: string },
  parts: Partial<Content>,
  acts: readonly FirstAct[],
  key: TestKey,
): Promise<string> {
  const memory: NewMemory = {
    id: systemIds.id(),
    salt: systemIds.salt(),
    content: {
      kind: 'decision',
      title: 'An earlier memory',
      statement: '',
      alternatives: [],
      tags: ['earlier'],
      steps: [],
      anchors: [{ file: 'src/harbour.ts' }],
      evidence: [{ kind: 'quote', speaker: 'the team', text: 'we agreed on it' }],
      scope: 'workspace',
      replaces: [],
      provenance: {
        tag: 'inferred',
        session: session.id,
        client: session.client,
        clientVersion: session.clientVersion,
        model: 'unreported',
      },
      ...parts,
    },
  };
  const { content, salt, id } = memory;
  const begun = content.provenance.tag === 'stated' ? content.provenance.at : nextInstant();
  const contentHash = saltedHash(salt, `content\n${canonicalJson(content)}`);
  const seq = await insertAsBefore(tx, memory, store.salt, begun);
  let state: State | 'none' = 'none';
  let follows: string | null = null;

  const enter = async (next: State, at: string, event: Record<string, unknown>, reason?: string) => {
    const prev = String((await tx.get('SELECT hash FROM events ORDER BY seq DESC LIMIT 1'))?.['hash'] ?? '0'.repeat(64));
    const body = canonicalJson({ version: 1, prev, at, memory: id, ...event });
    const hash = sha256(`stet-event-1\n${body}`);
    const { rowid } = await tx.run('INSERT INTO events (hash, body, memory) VALUES (?, ?, ?)', hash, body, id);
    await tx.run('UPDATE statuses SET known_to = ? WHERE memory = ? AND known_to IS NULL', at, seq);
    await tx.run('INSERT INTO statuses (memory, state, event, known_from) VALUES (?, ?, ?, ?)', seq, next, rowid, at);
    if (reason !== undefined) await tx.run('INSERT INTO reasons (event, text) VALUES (?, ?)', rowid, reason);
    [state, follows] = [next, hash];
  };
  if (content.provenance.tag === 'inferred')
    await enter('pending', begun, { type: 'proposed', actor: { authority: 'agent', session: session.id }, contentHash });
  for (const act of acts) {
    const at = act === 'save' ? begun : nextInstant();
    const to = ({ save: 'active', approve: 'active', reject: 'rejected', retire: 'retired' } as const)[act];
    const reason = to === 'active' ? undefined : `${act}, once`;
    const statement = {
      version: 1,
      store: store.id,
      act,
      memory: id,
      contentHash,
      scope: content.scope,
      validFrom: content.validFrom ?? null,
      validTo: content.validTo ?? null,
      evidenceHashes: content.evidence.map((pointer) => saltedHash(salt, `evidence\n${canonicalJson(pointer)}`)),
      from: state,
      to,
      follows,
      reason: reason === undefined ? null : saltedHash(salt, `reason\n${reason}`),
      at,
    };
    const signature = Buffer.from(await key.sign(Buffer.from(`stet-act-1\n${canonicalJson(statement)}`, 'utf8'))).toString('base64');
    await enter(to, at, { type: 'decided', statement, key: key.keyId, signature }, reason);
  }
  const { title, body } = indexText(content);
  const served = acts.length > 0 && !acts.includes('reject') && !acts.includes('retire');
  await tx.run(`INSERT INTO ${served ? 'served_index' : 'waiting_index'} (rowid, title, body) VALUES (?, ?, ?)`, seq, title, body);
  return id;
}

async function insertAsBefore(tx: Statements, { id, salt, content }: NewMemory, storeSalt: string, recordedAt: string): Promise<number> {
  const from = content.provenance;
  const { rowid } = await tx.run(
    `INSERT INTO memories (id, scope, kind, recorded_at, occurred_at, valid_from, valid_to, salt, value_key, origin, surface, stated_at,
       session, model, tags, replaces, claim, title, applies_when, alternatives, steps, rationale, statement)
     VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, ?, ?, '[]', '[]', NULL, ?)`,
    id,
    content.scope,
    content.kind,
    recordedAt,
    content.validFrom ?? null,
    content.validTo ?? null,
    salt,
    saltedHash(storeSalt, `of an earlier form: ${content.statement}`),
    from.tag,
    ...(from.tag === 'stated' ? [from.surface, from.at, null, null] : [null, null, from.session, from.model]),
    JSON.stringify(content.tags),
    content.claim === undefined ? null : JSON.stringify(content.claim),
    content.title,
    content.appliesWhen ?? null,
    content.statement,
  );
  await tx.run("INSERT INTO anchors VALUES (?, 0, 'file', 'src/harbour.ts', NULL, 'src/harbour.ts')", rowid);
  for (const [position, pointer] of content.evidence.entries())
    await tx.run('INSERT INTO evidence VALUES (?, ?, ?)', rowid, position, JSON.stringify(pointer));
  return rowid;
}
