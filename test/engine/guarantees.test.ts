/** What `docs/guarantees.md` names is there, and every place that a guarantee rests on has a mutant that takes it out. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { erasures } from '../../src/engine/ledger/erase';
import { marks, edited, functionAt } from '../acceptance/mutants/mutant';
import { mutants } from '../acceptance/mutants/table';
import { sqlShell } from '../mcp/support/sql-shell';
import { aBench } from '../support/store';

const project = join(__dirname, '../..');
const text = (file: string) => readFileSync(join(project, file), 'utf8');
const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name.replaceAll('\\', '/')}`);

/** Every call of a function outside of its own file, with the function that it stands in. */
function callsOf(name: string): { file: string; of: string }[] {
  return sources.flatMap((file) => {
    const source = text(file);
    if (new RegExp(`function ${name}\\(`).test(source)) return [];
    return [...source.matchAll(new RegExp(`\\b${name}\\(`, 'g'))].map(({ index }) => ({ file, of: functionAt(source, index) }));
  });
}

/** The places that have fewer mutants than calls. */
function unguarded(calls: readonly { file: string; of: string }[], marked: (find: string) => boolean): string[] {
  const places = [...new Set(calls.map(({ file, of }) => `${file} ${of}`))];
  return places.filter((place) => {
    const there = calls.filter(({ file, of }) => `${file} ${of}` === place).length;
    const [file, of] = place.split(' ');
    const guarded = mutants.filter((one) => one.file === file && marked(one.find) && (one.in === undefined || one.in === of)).length;
    return guarded < there;
  });
}

describe('the mutants', () => {
  it('each find their text once, and have names of their own', () => {
    const stale = mutants.flatMap(({ behind = [], ...own }) =>
      [...behind, own].filter((edit) => edited(text(edit.file), edit) === undefined),
    );
    assert.deepEqual(
      stale.map(({ file, find }) => `${file}: ${find}`),
      [],
    );
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
    for (const { tests, name } of mutants) assert.ok(tests.length > 0 && tests.every(({ spec }) => existsSync(join(project, spec))), name);
  });

  it('take the predicate out of every reader', () => {
    const calls = callsOf('readPredicate');
    assert.ok(calls.length > 25);
    assert.deepEqual(
      unguarded(calls, (find) => find.includes('readPredicate(')),
      [],
    );
  });

  it('take the tombstone lookup out of every writer, and the pause and the signed head out of every door', () => {
    for (const name of ['refuseBuried', 'refuseWhilePaused', 'refuseBehind']) {
      const calls = callsOf(name);
      assert.ok(calls.length > 1);
      assert.deepEqual(
        unguarded(calls, (find) => find.includes(`${name}(`)),
        [],
      );
    }
  });

  it('take every event out of the transaction that it belongs to', () => {
    const calls = callsOf('link').filter(({ file }) => file.startsWith('src/engine/'));
    assert.ok(calls.length > 5);
    assert.deepEqual(
      unguarded(calls, (find) => find.includes('link(')),
      [],
    );
  });

  it('take every table out of forgetting', () => {
    const names = mutants.map(({ name }) => name);
    assert.deepEqual(
      Object.keys(erasures).filter((table) => !names.includes(`the erasing of ${table}`)),
      [],
    );
  });

  it('take out every trigger of the schema', async () => {
    const bench = await aBench();
    const shell = await sqlShell(bench.storeFile);
    const triggers = (await shell.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'")).map(({ name }) => String(name));
    await shell.close();
    await bench.close();
    const names = mutants.map(({ name }) => name);
    assert.ok(triggers.length > 5);
    assert.deepEqual(
      triggers.filter((trigger) => !names.includes(`the trigger ${trigger}`)),
      [],
    );
  });
});

describe('docs/guarantees.md', () => {
  const page = text('docs/guarantees.md');
  const sections = page.split(/^## /m).slice(1);

  it('has a section for each mark, with a promise, a mechanism, a producer, a test and a limit, and a mutant of each mark is in the table', () => {
    assert.deepEqual(
      sections.map((section) => section.split('\n')[0]).filter((title) => (marks as readonly (string | undefined)[]).includes(title)),
      [...marks],
    );
    for (const mark of marks) {
      const section = sections.find((one) => one.startsWith(`${mark}\n`)) ?? '';
      for (const part of ['Promise', 'Mechanism', 'Producer', 'Test', 'Limits'])
        assert.match(section, new RegExp(`^\\*\\*${part}`, 'm'), mark);
      assert.ok(
        mutants.some((one) => one.mark === mark),
        mark,
      );
    }
  });

  it('names only files that are there, functions that are in them, and tests that are in theirs', () => {
    const cited = [
      ...page.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+|[A-Z]+\.md)`(?:\s*\(([^)]*)\))?(?::\s*“([^”]+)”((?:,\s*“[^”]+”)*))?/g),
    ];
    assert.ok(cited.length > 40);
    for (const [, file = '', inside = '', title, more = ''] of cited) {
      assert.ok(existsSync(join(project, file)), file);
      if (!file.endsWith('.ts')) continue;
      for (const [, name = ''] of inside.matchAll(/`(\w+)`/g))
        assert.match(text(file), new RegExp(`\\b${name}\\b`), `${file} has no ${name}`);
      for (const one of [title, ...[...more.matchAll(/“([^”]+)”/g)].map(([, each]) => each)])
        if (one !== undefined) assert.ok(text(file).includes(one), `${file} has no test “${one}”`);
    }
  });
});
