import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locate, openEngine, storeFile } from '../../src/engine';
import { pinKeys, testKey } from '../support/keys';
import { aProposal } from '../support/store';
import { connect, type Connection } from './support/client';
import { aRoom, everywhere, met, nowhere, propose, search, type Room } from './support/room';

describe('searching over MCP', () => {
  let room: Room;
  let agent: Connection;
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect();
  });
  afterEach(() => room.close());

  it('takes any punctuation: finds what holds it, and nothing where nothing does (A1)', async () => {
    const spellings = ['src/api.ts', "don't", '@nasa', 'host:8080'];
    const ids: string[] = [];
    for (const spelling of spellings)
      ids.push(await room.stand({ title: `About ${spelling}`, statement: `We keep ${spelling} as it is.` }));
    for (const [index, spelling] of spellings.entries()) assert.equal((await search(agent, spelling))[0], ids[index], spelling);
    for (const query of ['a=b', 'foo&bar', 'why?', '50%', '"', '(', '*', '""', 'NEAR(', 'title:', '-', "';--", 'AND', '^', '{}', '\\'])
      assert.deepEqual(await search(agent, query), [], query);
  });

  it('finds by a question whose words are scattered in the text, first (A3)', async () => {
    await room.stand({ statement: 'The container registry keeps ten builds.' });
    const id = await room.stand({ statement: 'We moved the database migration step after the container build' });
    await room.stand({ statement: 'Seeds of the test data are handled by a script.' });
    assert.equal((await search(agent, 'how do we handle database migration?'))[0], id);
  });

  it('finds each of 100 decisions by a question in other order, and never by words nobody wrote (A17)', async () => {
    const things = ['invoice', 'ledger', 'mailer', 'archive', 'scheduler', 'gateway', 'catalogue', 'session', 'report', 'upload'];
    const rules = [
      ['retries stop', 'seven attempts'],
      ['payloads travel', 'compressed frames'],
      ['clocks follow', 'monotonic counters'],
      ['failures raise', 'numbered alarms'],
      ['tokens expire', 'midnight sharp'],
      ['rows carry', 'tenant prefixes'],
      ['queues drain', 'reverse priority'],
      ['schemas evolve', 'additive columns'],
      ['caches forget', 'stale fingerprints'],
      ['logs omit', 'personal names'],
    ] as const;
    const asked: { id: string; question: string }[] = [];
    for (const thing of things)
      for (const [what, how] of rules)
        asked.push({
          id: await room.stand({ title: `${thing}: ${what}`, statement: `In the ${thing} ${what} by ${how}, as measured.` }),
          question: `What about ${how} when ${what} in our ${thing}?`,
        });
    for (const { id, question } of asked) assert.equal((await search(agent, question, { k: 3 }))[0], id, question);
    assert.deepEqual(await search(agent, 'Which zeppelin did they choose?'), []);
  });
});

describe('three folders with confusable names', () => {
  it('share nothing by search, by file or by id (A9)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stet-test-'));
    const key = testKey();
    const keys = join(folder, 'keys.json');
    pinKeys(keys, key);
    const path = 'src/a.ts';
    const query = 'harbour';
    const open: { close: () => Promise<void> }[] = [];
    try {
      const places: { id: string; agent: Connection }[] = [];
      for (const name of ['x/acme/app', 'x/other/app', 'x/acme-app']) {
        const root = join(folder, name);
        mkdirSync(root, { recursive: true });
        const store = storeFile(join(folder, 'stores'), locate(root));
        const agent = await connect({ store, root, keys });
        open.push(agent);
        const { id } = await propose(agent, aProposal({ statement: `The harbour of ${name} is open.`, anchors: [{ file: path }] }));
        const engine = await openEngine({ storeFile: store, root, keysFile: keys });
        open.push(engine);
        const person = engine.forPerson();
        const seen = (await person.one(id))?.seen;
        assert.ok(seen);
        await person.decide({ act: 'approve', id, seen }, key);
        places.push({ id, agent });
      }
      for (const here of places)
        for (const there of places)
          assert.deepEqual(await met(there.agent, here.id, { query, path }), here === there ? everywhere : nowhere);
    } finally {
      for (const one of open) await one.close();
      rmSync(folder, { recursive: true });
    }
  });
});
