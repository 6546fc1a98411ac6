import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '../../src/engine';
import { git } from '../support/git';
import { aProposal, lines } from '../support/store';
import type { Connection } from './support/client';
import { aRoom, everywhere, met, propose, type Room } from './support/room';
import { rowCounts, sqlShell, type SqlShell } from './support/sql-shell';

const megabyte = 'long '.repeat(200_000);
const unknownId = '0b8f6a52-0d5e-4d55-9a4f-7d3f4f0f8a11';

const bad = (parts: object): Record<string, unknown> => ({ ...aProposal(), ...parts });
const without = (field: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(aProposal()).filter(([name]) => name !== field));
const restingOn = (...evidence: readonly object[]): Record<string, unknown> => bad({ evidence });
const file = (path: string, lines: object = {}) => restingOn({ kind: 'file', path, ...lines });

type Case = readonly [what: string, asked: Record<string, unknown> | undefined, code: ErrorCode, names?: RegExp];

const cases: Readonly<Record<string, readonly Case[]>> = {
  memory_search: [
    ['no arguments', undefined, 'invalid_input', /query/],
    ['an empty query', { query: '' }, 'invalid_input', /query/],
    ['a blank query', { query: ' \n ' }, 'invalid_input', /query/],
    ['a query that is a number', { query: 7 }, 'invalid_input', /query/],
    ['a query that is null', { query: null }, 'invalid_input', /query/],
    ['a query of a megabyte', { query: megabyte }, 'too_large', /query/],
    ['a lone surrogate', { query: 'half \uD83D of one' }, 'invalid_input', /query/],
    ['a NUL', { query: 'nothing\0here' }, 'invalid_input', /query/],
    ['an unknown field', { query: 'retries', store: '/elsewhere' }, 'invalid_input', /"store"/],
    ['a field of the prototype', { query: 'retries', constructor: 1 }, 'invalid_input', /"constructor"/],
    ['k of nothing', { query: 'retries', k: 0 }, 'invalid_input', /"k"/],
    ['k of everything', { query: 'retries', k: 1e9 }, 'invalid_input', /"k"/],
    ['half a k', { query: 'retries', k: 1.5 }, 'invalid_input', /"k"/],
    ['k as text', { query: 'retries', k: '8' }, 'invalid_input', /"k"/],
    ['too large a budget', { query: 'retries', maxTokens: 4_001 }, 'invalid_input', /maxTokens/],
    ['a kind that is none', { query: 'retries', kinds: ['rumour'] }, 'invalid_input', /kinds/],
    ['tags that are no list', { query: 'retries', tags: 'http' }, 'invalid_input', /tags/],
    ['a day that is none', { query: 'retries', since: '2026-02-30' }, 'invalid_input', /since/],
    ['a time without a zone', { query: 'retries', until: '2026-01-01T10:00:00' }, 'invalid_input', /until/],
    ['a date in words', { query: 'retries', validAt: 'yesterday' }, 'invalid_input', /validAt/],
    ['a path outside the folder', { query: 'retries', path: '../other/a.ts' }, 'outside_root', /path/],
    ['an absolute path elsewhere', { query: 'retries', path: '/etc/hosts' }, 'outside_root', /path/],
  ],
  memory_for_file: [
    ['no arguments', undefined, 'invalid_input', /path/],
    ['an empty path', { path: '' }, 'invalid_input', /path/],
    ['a list of paths', { path: ['src/a.ts'] }, 'invalid_input', /path/],
    ['a path of a megabyte', { path: megabyte }, 'too_large', /path/],
    ['a lone surrogate', { path: 'src/\uDC00.ts' }, 'invalid_input', /path/],
    ['a NUL', { path: 'src/\0.ts' }, 'invalid_input', /path/],
    ['an unknown field', { path: 'src/a.ts', root: '/' }, 'invalid_input', /"root"/],
    ['k of nothing', { path: 'src/a.ts', k: 0 }, 'invalid_input', /"k"/],
    ['k of everything', { path: 'src/a.ts', k: 1e9 }, 'invalid_input', /"k"/],
    ['a path outside the folder', { path: 'src/../../elsewhere/a.ts' }, 'outside_root', /path/],
    ['an absolute path elsewhere', { path: '/etc/hosts' }, 'outside_root', /path/],
  ],
  memory_get: [
    ['no arguments', undefined, 'invalid_input', /id/],
    ['an empty id', { id: '' }, 'invalid_input', /id/],
    ['an id that is a number', { id: 12 }, 'invalid_input', /id/],
    ['an id of a megabyte', { id: megabyte }, 'too_large', /id/],
    ['a lone surrogate', { id: '\uD800' }, 'invalid_input', /id/],
    ['a NUL', { id: `${unknownId}\0` }, 'invalid_input', /id/],
    ['an unknown field', { id: unknownId, state: 'pending' }, 'invalid_input', /"state"/],
    ['an unknown id', { id: unknownId }, 'not_found'],
    ['SQL for an id', { id: "' OR 1=1 --" }, 'not_found'],
  ],
  memory_propose: [
    ['no arguments', undefined, 'invalid_input'],
    ['no kind', without('kind'), 'invalid_input', /kind/],
    ['no title', without('title'), 'invalid_input', /title/],
    ['no statement', without('statement'), 'invalid_input', /statement/],
    ['no evidence', without('evidence'), 'invalid_input', /evidence/],
    ['evidence of nothing', restingOn(), 'invalid_input', /evidence/],
    ['a kind that is none', bad({ kind: 'rumour' }), 'invalid_input', /kind/],
    ['an empty title', bad({ title: '' }), 'invalid_input', /title/],
    ['a title of two lines', bad({ title: 'one\ntwo' }), 'invalid_input', /title/],
    ['a title that is too long', bad({ title: 'x'.repeat(201) }), 'too_large', /title/],
    ['a statement of a megabyte', bad({ statement: megabyte }), 'too_large', /statement/],
    ['a statement that is an object', bad({ statement: { text: 'x' } }), 'invalid_input', /statement/],
    ['a lone surrogate', bad({ statement: 'half \uDE00 of one' }), 'invalid_input', /statement/],
    ['a NUL', bad({ rationale: 'because\0' }), 'invalid_input', /rationale/],
    ['a state of its own', bad({ state: 'active' }), 'invalid_input', /"state"/],
    ['an origin of its own', bad({ provenance: { tag: 'stated' } }), 'invalid_input', /"provenance"/],
    ['an unknown field inside', bad({ claim: { subject: 'a', predicate: 'b', object: 'c', sure: true } }), 'invalid_input', /"sure"/],
    ['tags without end', bad({ tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }), 'invalid_input', /tags/],
    ['guidance without a condition', bad({ kind: 'constraint' }), 'invalid_input', /appliesWhen/],
    ['a workflow without steps', bad({ kind: 'workflow', appliesWhen: 'releasing' }), 'invalid_input', /steps/],
    ['a day that is none', bad({ occurredAt: '2026-13-01' }), 'invalid_input', /occurredAt/],
    ['a time without a zone', bad({ validFrom: '2026-01-01T00:00' }), 'invalid_input', /validFrom/],
    ['an end before the beginning', bad({ validFrom: '2026-02-01', validTo: '2026-01-01' }), 'invalid_input', /validTo/],
    ['a scope elsewhere', bad({ scope: 'user' }), 'outside_grant', /user/],
    ['a scope that climbs', bad({ scope: 'path:../other/' }), 'outside_grant'],
    ['an anchor outside the folder', bad({ anchors: [{ file: '../a.ts' }] }), 'outside_root', /anchors/],
    ['an anchor elsewhere', bad({ anchors: [{ folder: '/etc' }] }), 'outside_root', /anchors/],
    ['a glob that climbs', bad({ anchors: [{ glob: '../**' }] }), 'outside_root', /anchors/],
    ['an anchor of no form', bad({ anchors: [{ line: 4 }] }), 'invalid_input', /anchors/],
    ['an id to replace that is none', bad({ replaces: ['latest'] }), 'invalid_input', /replaces/],
    ['an unknown id to replace', bad({ replaces: [unknownId] }), 'invalid_input', /replaces/],
    ['evidence of no form', restingOn({ kind: 'rumour' }), 'invalid_input', /evidence/],
    ['a missing file', file('src/gone.ts'), 'evidence_unresolved', /src\/gone\.ts/],
    ['a folder', file('src'), 'evidence_unresolved', /src/],
    ['a line behind the end', file('src/billing/invoice.ts', { startLine: 41 }), 'evidence_unresolved', /40/],
    ['lines in the wrong order', file('src/billing/invoice.ts', { startLine: 9, endLine: 3 }), 'invalid_input', /endLine/],
    ['a file outside the folder', file('../secret.txt'), 'outside_root'],
    ['a file elsewhere', file('/etc/hosts'), 'outside_root'],
    ['a file that git ignores', file('build/out.ts'), 'path_refused', /build\/out\.ts/],
    ['a file of secrets', file('.env'), 'path_refused', /\.env/],
    ['a link that leads out', file('link.ts'), 'path_refused', /link\.ts/],
    ['git’s own files', file('.git/config'), 'path_refused'],
    ['an unknown commit', restingOn({ kind: 'commit', sha: 'f'.repeat(40) }), 'evidence_unresolved', /ffff/],
    ['a commit that is an option', restingOn({ kind: 'commit', sha: '--version' }), 'invalid_input', /sha/],
    ['a URL of another kind', restingOn({ kind: 'url', url: 'file:///etc/hosts' }), 'invalid_input', /url/],
    ['a memory that is not there', restingOn({ kind: 'memory', id: unknownId }), 'evidence_unresolved', /memory/],
  ],
};

/** Tools that change memory, whose refusals are events. */
const writing = ['memory_propose'];

describe('bad input over MCP', () => {
  const query = 'invoices in cents';
  const path = 'src/billing/invoice.ts';
  let room: Room;
  let agent: Connection;
  let shell: SqlShell;
  let control: string;
  let rows: Record<string, number>;
  before(async () => {
    room = await aRoom({
      [path]: lines(40),
      '.gitignore': 'build/\n',
      'build/out.ts': lines(3),
      '.env': 'TOKEN=none\n',
    });
    writeFileSync(join(room.folder, 'secret.txt'), 'outside');
    symlinkSync(join(room.folder, 'secret.txt'), join(room.root, 'link.ts'));
    git(room.root, 'init', '--quiet');
    git(room.root, 'add', '.');
    git(room.root, 'commit', '--quiet', '-m', 'All of it');
    control = await room.stand({ statement: 'Invoices are kept in cents.', anchors: [{ file: path }] });
    agent = await room.connect();
    shell = await sqlShell(room.storeFile);
    rows = await memoryRows();
  });
  after(async () => {
    await shell.close();
    await room.close();
  });

  /** The rows of every table but those of what was asked and answered: events, and the record of what went out. */
  const memoryRows = async () =>
    Object.fromEntries(
      Object.entries(await rowCounts(shell)).filter(
        ([table]) => !['events', 'sessions', 'sqlite_sequence', 'recalls', 'recalled'].includes(table),
      ),
    );
  const lastEvent = async () => Number((await shell.all('SELECT max(seq) AS last FROM events'))[0]?.['last']);
  const refusedSince = async (last: number) =>
    (await shell.all('SELECT body FROM events WHERE seq > ? ORDER BY seq', last)).map(({ body }) => {
      const { type, code } = JSON.parse(String(body)) as { type: string; code: string };
      assert.equal(type, 'refused');
      return code;
    });

  for (const [tool, table] of Object.entries(cases))
    describe(`at ${tool}`, () => {
      for (const [what, asked, code, names] of table)
        it(`is refused as ${code}: ${what}`, async () => {
          const events = await lastEvent();
          const { error, text, data } = await agent.call(tool, asked);
          assert.ok(error, `answered: ${JSON.stringify(data)}`);
          assert.equal(error.code, code, error.message);
          if (names !== undefined) assert.match(error.message, names);
          assert.match(error.hint, /\w.*\.$/);
          assert.equal(text, `${error.message} ${error.hint} (${code})`);
          assert.ok(text.length < 1_000, 'the reply repeats what was sent');
          assert.doesNotMatch(text, /undefined|\n|SQLITE|node_modules/);
          assert.ok(!text.includes(room.folder), 'the reply holds a path of the machine');
          assert.deepEqual(await memoryRows(), rows);
          assert.deepEqual(await refusedSince(events), writing.includes(tool) ? [code] : []);
          assert.deepEqual(await met(agent, control, { query, path }), everywhere);
        });
    });

  // In a group of its own, since groups run after the tests beside them.
  describe('beside good input', () => {
    it('is told from it: the same server stores what is in order', async () => {
      const proposed = await propose(agent, {
        ...aProposal(),
        evidence: [
          { kind: 'file', path, startLine: 40 },
          { kind: 'commit', sha: git(room.root, 'rev-parse', 'HEAD').slice(0, 10) },
          { kind: 'memory', id: control },
        ],
        anchors: [{ glob: 'src/**' }, { folder: 'src' }],
        validFrom: '2026-01-01',
        validTo: '2026-02-01T00:00:00+01:00',
        scope: 'path:src/',
      });
      assert.equal(proposed.state, 'pending');
      assert.notDeepEqual(await memoryRows(), rows);
    });
  });
});
