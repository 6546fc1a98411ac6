import assert from 'node:assert/strict';
import { aBench, aProposal, codeOf, type Bench } from '../../support/store';

describe('a proposal that is not in order', () => {
  let bench: Bench;
  before(async () => void (bench = await aBench()));
  after(() => bench.close());

  const quote = { kind: 'quote', speaker: 'a', text: 'b' } as const;
  const table: [string, unknown, string, RegExp][] = [
    ['is no object', 'text', 'invalid_input', /./],
    ['has no evidence', { ...aProposal(), evidence: [] }, 'invalid_input', /evidence/],
    ['has an unknown field', { ...aProposal(), approved: true }, 'invalid_input', /"approved"/],
    ['claims to be from a person', { ...aProposal(), provenance: { tag: 'stated' } }, 'invalid_input', /"provenance"/],
    [
      'has an unknown field in a part',
      { ...aProposal(), claim: { subject: 'a', predicate: 'b', object: 'c', sure: 1 } },
      'invalid_input',
      /"sure"/,
    ],
    ['has an unknown field in its evidence', { ...aProposal(), evidence: [{ ...quote, trusted: true }] }, 'invalid_input', /"trusted"/],
    ['has a kind nobody knows', { ...aProposal(), kind: 'rumour' }, 'invalid_input', /"kind"/],
    ['has a title of two lines', { ...aProposal(), title: 'a\nb' }, 'invalid_input', /"title"/],
    ['has a blank statement', { ...aProposal(), statement: ' \n' }, 'invalid_input', /"statement"/],
    ['has a lone surrogate', { ...aProposal(), statement: 'a\ud800b' }, 'invalid_input', /"statement"/],
    ['has a NUL', { ...aProposal(), statement: 'a\0b' }, 'invalid_input', /"statement"/],
    ['has a megabyte of text', { ...aProposal(), statement: 'a'.repeat(1_000_000) }, 'too_large', /"statement"/],
    ['guides without saying when', { ...aProposal(), kind: 'preference' }, 'invalid_input', /"appliesWhen"/],
    ['is a workflow without steps', { ...aProposal(), kind: 'workflow', appliesWhen: 'releasing' }, 'invalid_input', /"steps"/],
    ['ends before it begins', { ...aProposal(), validFrom: '2025-02-01', validTo: '2025-01-01' }, 'invalid_input', /"validTo"/],
    ['has a time without a zone', { ...aProposal(), validFrom: '2025-02-01T10:00:00' }, 'invalid_input', /"validFrom"/],
    ['points outside the folder', { ...aProposal(), evidence: [{ kind: 'file', path: '../secret.txt' }] }, 'outside_root', /./],
    ['points to an absolute path elsewhere', { ...aProposal(), evidence: [{ kind: 'file', path: '/etc/passwd' }] }, 'outside_root', /./],
    ['is anchored outside the folder', { ...aProposal(), anchors: [{ folder: '../..' }] }, 'outside_root', /anchors/],
    ['has a glob that leads out', { ...aProposal(), anchors: [{ glob: '../**' }] }, 'outside_root', /anchors/],
    ['has a glob that excludes', { ...aProposal(), anchors: [{ glob: '!src/**' }] }, 'invalid_input', /anchors/],
    ['names a scope that is none', { ...aProposal(), scope: 'user' }, 'outside_grant', /"user"/],
    ['names a scope with dots', { ...aProposal(), scope: 'path:../other/' }, 'outside_grant', /./],
    [
      'rests on a memory that is not there',
      { ...aProposal(), evidence: [{ kind: 'memory', id: crypto.randomUUID() }] },
      'evidence_unresolved',
      /./,
    ],
    ['replaces a memory that is not there', { ...aProposal(), replaces: [crypto.randomUUID()] }, 'invalid_input', /replaces/],
    [
      'points to a file that is not there',
      { ...aProposal(), evidence: [{ kind: 'file', path: 'gone.ts' }] },
      'evidence_unresolved',
      /gone\.ts/,
    ],
    [
      'points behind the end',
      { ...aProposal(), evidence: [{ kind: 'file', path: 'src/billing/invoice.ts', startLine: 40, endLine: 41 }] },
      'evidence_unresolved',
      /40 lines/,
    ],
    ['points to a folder', { ...aProposal(), evidence: [{ kind: 'file', path: 'src' }] }, 'evidence_unresolved', /not a file/],
    [
      'has lines in the wrong order',
      { ...aProposal(), evidence: [{ kind: 'file', path: 'src/billing/invoice.ts', startLine: 9, endLine: 8 }] },
      'invalid_input',
      /endLine/,
    ],
    ['links to a script', { ...aProposal(), evidence: [{ kind: 'url', url: 'javascript:alert(1)' }] }, 'invalid_input', /./],
  ];
  for (const [what, proposal, code, names] of table)
    it(`is refused when it ${what}`, async () => {
      const before = (await bench.person.overview()).counts;
      const error: unknown = await bench.agent.propose(proposal).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.equal(codeOf(error), code);
      assert.match((error as Error).message, names);
      assert.ok(!/undefined|\[object/.test((error as Error).message), (error as Error).message);
      assert.deepEqual((await bench.person.overview()).counts, before);
    });

  it('is stored when it is in order', async () => {
    const before = (await bench.person.overview()).counts.pending;
    await bench.agent.propose(
      aProposal({
        kind: 'workflow',
        appliesWhen: 'releasing',
        steps: ['tag', 'push'],
        alternatives: ['by hand'],
        tags: ['release'],
        anchors: [{ file: 'src/a.ts', symbol: 'release' }, { glob: 'src/**/*.ts' }, { folder: '.' }],
        evidence: [
          quote,
          { kind: 'file', path: 'src/billing/invoice.ts', startLine: 40, endLine: 40 },
          { kind: 'url', url: 'https://example.org/a' },
        ],
        scope: 'path:src/billing/',
        validFrom: '2025-02-01T10:00:00+02:00',
      }),
    );
    assert.equal((await bench.person.overview()).counts.pending, before + 1);
  });
});
