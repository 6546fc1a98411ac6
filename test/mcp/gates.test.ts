import assert from 'node:assert/strict';
import type { Receipt } from '../../src/engine';
import { aProposal } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, search, type Room } from './support/room';
import { rowCounts, sqlShell } from './support/sql-shell';

/** Put together here, so that no scanner of this repository takes it for one. */
const secret = ['ghp', 'Zq8Xw2Lk5Vb9Nm3Rt7Yc1Hd6Jf4Sg0Pa2Qe9'].join('_');
const rightToLeft = '\u202E';

describe('over MCP, the gates', () => {
  let room: Room;
  let agent: Connection;
  let standing = '';
  beforeEach(async () => {
    room = await aRoom();
    agent = await room.connect({ client: 'leaky-client' });
    standing = await room.stand({ statement: 'The harbour opens at six.' });
  });
  afterEach(() => room.close());

  /** The tables in which words are kept; refusals add an event. */
  const memories = async () => {
    const shell = await sqlShell(room.storeFile);
    const { memories: kept, challenges, reasons } = await rowCounts(shell);
    await shell.close();
    return { kept, challenges, reasons };
  };
  const evidence = [{ kind: 'quote', speaker: 'the team', text: 'we agreed' }];
  const texts = (text: string): readonly (readonly [tool: string, field: string, asked: object])[] => [
    ['memory_propose', 'title', aProposal({ title: text })],
    ['memory_propose', 'statement', aProposal({ statement: text })],
    ['memory_propose', 'rationale', aProposal({ rationale: text })],
    ['memory_propose', 'alternatives.0', aProposal({ alternatives: [text] })],
    ['memory_propose', 'tags.0', aProposal({ tags: [text] })],
    ['memory_propose', 'appliesWhen', aProposal({ kind: 'workflow', appliesWhen: text, steps: ['go'] })],
    ['memory_propose', 'steps.0', aProposal({ kind: 'workflow', appliesWhen: 'always', steps: [text] })],
    ['memory_propose', 'claim.object', aProposal({ claim: { subject: 'a', predicate: 'b', object: text } })],
    ['memory_propose', 'evidence.0.text', aProposal({ evidence: [{ kind: 'quote', speaker: 'one', text }] })],
    ['memory_propose', 'commandId', aProposal({ commandId: text })],
    ['memory_contest', 'reason', { id: standing, reason: text, evidence }],
    ['memory_contest', 'evidence.0.ref', { id: standing, reason: 'so', evidence: [{ kind: 'issue', ref: text }] }],
    ['memory_request_retire', 'reason', { id: standing, reason: text }],
  ];

  it('refuse a secret in every text an agent sends, naming field and rule and not the secret', async () => {
    const before = await memories();
    for (const [tool, field, asked] of texts(`Token ${secret} today`)) {
      const { error, text } = await agent.call(tool, { ...asked });
      assert.equal(error?.code, 'secret_refused', `${tool} ${field}`);
      assert.ok(error.message.startsWith(field), error.message);
      assert.match(error.message, /rule "[a-z-]+"/);
      assert.ok(!text.includes(secret));
    }
    assert.deepEqual(await memories(), before);
    for (const [tool, field, asked] of texts('The token is kept in the vault'))
      assert.equal((await agent.call(tool, { ...asked })).error, undefined, `${tool} ${field}`);
  });

  it('refuse characters nobody sees in every text an agent sends, naming field and code points', async () => {
    const before = await memories();
    for (const [tool, field, asked] of texts(`Open at ${rightToLeft}six\u200B.`)) {
      const { error, text } = await agent.call(tool, { ...asked });
      assert.equal(error?.code, 'hidden_characters', `${tool} ${field}`);
      assert.ok(error.message.startsWith(field), error.message);
      assert.match(error.message, /U\+202E, U\+200B/);
      assert.doesNotMatch(text, /[\u202E\u200B]/);
    }
    assert.deepEqual(await memories(), before);
  });

  it('let through what a script or an emoji needs', async () => {
    const { id } = await agent.ask<Receipt>('memory_propose', { ...aProposal({ statement: 'The crew 👩‍🚀 says می‌خواهم.' }) });
    assert.equal((await room.person.one(id))?.state, 'pending');
  });

  it('leave an event for each refusal, with who and why and no word, and none for what was answered', async () => {
    const rejected = await room.agent.propose(aProposal({ statement: 'The harbour never opens.' }));
    await room.decide('reject', rejected.id, 'It does.');
    const refused = async () => (await room.person.audit({ limit: 100 })).filter(({ what }) => what === 'refused');
    assert.deepEqual(await refused(), []);

    await agent.call('memory_propose', { ...aProposal({ statement: secret }) });
    await agent.call('memory_propose', { ...aProposal(), state: 'active' });
    await agent.call('memory_propose', { ...aProposal({ statement: 'The HARBOUR never opens!' }) });
    await agent.call('memory_contest', { id: standing, reason: rightToLeft, evidence });
    await agent.call('memory_request_retire', { id: rejected.id, reason: 'It is wrong.' });
    await agent.ask('memory_propose', { ...aProposal() });
    await search(agent, 'harbour');

    const entries = await refused();
    assert.deepEqual(entries.map(({ who, detail, memory }) => [who, detail, memory]).reverse(), [
      ['leaky-client', 'propose: secret_refused', ''],
      ['leaky-client', 'propose: invalid_input', ''],
      ['leaky-client', 'propose: rejected_before', rejected.id],
      ['leaky-client', 'contest: hidden_characters', ''],
      ['leaky-client', 'retire: not_found', ''],
    ]);
    const shell = await sqlShell(room.storeFile);
    const bodies = JSON.stringify(await shell.all('SELECT body FROM events'));
    await shell.close();
    assert.ok(!bodies.includes(secret) && !bodies.includes('opens'));
    assert.equal((await room.engine.verify()).is, 'intact');
  });
});
