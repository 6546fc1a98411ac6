import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine, type Engine, type Found, type PersonAccess, type Timeline, type Whole } from '../../src/engine';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, byId, search, type Room } from './support/room';

describe('over MCP, the store of what holds everywhere', () => {
  let room: Room;
  let engine: Engine;
  let everywhere: PersonAccess;
  let userStore = '';
  let agent: Connection;
  beforeEach(async () => {
    room = await aRoom();
    userStore = join(room.folder, 'user', 'memory.db');
    engine = await openEngine({ storeFile: room.storeFile, root: room.root, keysFile: room.keysFile, userStoreFile: userStore });
    const person = engine.forPersonEverywhere();
    assert.ok(person);
    everywhere = person;
    agent = await room.connect({ userStore });
  });
  afterEach(async () => {
    await engine.close();
    await room.close();
  });

  const save = async (parts: object) => {
    const draft = { ...aProposal(), evidence: [], ...parts };
    return (await everywhere.save(draft, 'test', room.key)).id;
  };
  const seen = async (id: string) => {
    const saw = (await everywhere.one(id))?.seen;
    assert.ok(saw);
    return { id, seen: saw };
  };

  it('is read beside the folder’s own, each item labelled with its scope, and only where it was named', async () => {
    const spaces = await save({ statement: 'Indentation is four spaces.' });
    const tabs = await room.stand({ statement: 'Indentation of makefiles is a tab.' });
    const { data, text } = await agent.call('memory_search', { query: 'indentation' });
    const { items } = data as unknown as Found;
    assert.deepEqual(
      new Map(items.map(({ id, scope }) => [id, scope])),
      new Map([
        [spaces, 'user'],
        [tabs, 'workspace'],
      ]),
    );
    assert.match(text, /scope user/);
    assert.equal((await agent.ask<Whole>('memory_get', { id: spaces })).scope, 'user');
    assert.deepEqual(
      (await agent.ask<Timeline>('memory_history', { id: spaces })).memories.map(({ beliefs }) => beliefs.map(({ scope }) => scope)),
      [['user']],
    );
    const { recallId } = data as unknown as Found;
    await agent.ask('memory_report_use', { recallId, ids: [spaces, tabs], helped: true });

    const without = await room.connect();
    assert.deepEqual(await search(without, 'indentation'), [tabs]);
    assert.deepEqual([await byId(without, spaces), await byId(without, tabs)], ['not_found', 'active']);
  });

  it('is made where it is missing, and read by every folder', async () => {
    const fresh = join(room.folder, 'fresh', 'user.db');
    const other = await room.connect({ userStore: fresh });
    assert.deepEqual(await search(other, 'indentation'), []);
    assert.ok(existsSync(fresh));
    const spaces = await save({ statement: 'Indentation is four spaces.' });
    const elsewhere = await room.connect({ store: join(room.folder, 'elsewhere.db'), root: room.folder, userStore });
    assert.deepEqual(await search(elsewhere, 'indentation'), [spaces]);
  });

  it('is not written by an agent, whatever scope it names', async () => {
    const { error } = await agent.call('memory_propose', { ...aProposal({ scope: 'user' }) });
    assert.equal(error?.code, 'outside_grant');
    assert.match(error.message, /"user"/);
    const { counts } = await everywhere.overview();
    assert.equal(Object.values(counts).reduce((sum, count) => sum + count), 0); // prettier-ignore
    assert.equal((await agent.call('memory_propose', { ...aProposal() })).data['state'], 'pending');
  });

  it('refuses in every folder what was rejected in it, in another spelling too, and its neighbour passes', async () => {
    const statement = 'Commit messages are written in rhyme.';
    const id = await save({ statement });
    await everywhere.decide({ act: 'reject', ...(await seen(id)), reason: 'It was a joke.' }, room.key);
    for (const [store, root] of [
      [room.storeFile, room.root],
      [join(room.folder, 'elsewhere.db'), room.folder],
    ] as const) {
      const there = await room.connect({ store, root, userStore });
      const { error } = await there.call('memory_propose', { ...aProposal({ statement: '**Commit messages** are written in RHYME!' }) });
      assert.equal(error?.code, 'rejected_before');
      assert.match(error.message, /It was a joke\./);
      const neighbour = await there.call('memory_propose', { ...aProposal({ statement: 'Commit messages are written in prose.' }) });
      assert.equal(neighbour.data['state'], 'pending');
    }
  });

  it('gives way in a slot in which the folder says otherwise, and speaks where it does not', async () => {
    const claim = (object: string) => ({ subject: 'indentation', predicate: 'is', object });
    const spaces = await save({ statement: 'Indentation is four spaces.', claim: claim('four spaces') });
    const quotes = await save({ statement: 'Quotes around indentation samples are single.' });
    assert.deepEqual((await search(agent, 'indentation')).sort(), [spaces, quotes].sort());
    const tabs = await room.stand({ statement: 'Indentation is a tab here.', claim: claim('a tab') });
    assert.deepEqual((await search(agent, 'indentation')).sort(), [tabs, quotes].sort());
    await room.decide('retire', tabs);
    assert.deepEqual((await search(agent, 'indentation')).sort(), [spaces, quotes].sort());
  });

  it('is told of in the next reply when what it gave holds no longer', async () => {
    const spaces = await save({ statement: 'Indentation is four spaces.' });
    assert.deepEqual(await search(agent, 'indentation'), [spaces]);
    await everywhere.decide({ act: 'retire', ...(await seen(spaces)), reason: 'Tabs now.' }, room.key);
    const { items, noLongerHolds } = await agent.ask<Found>('memory_search', { query: 'indentation' });
    assert.deepEqual([items, noLongerHolds], [[], [{ id: spaces, state: 'retired' }]]);
  });
});
