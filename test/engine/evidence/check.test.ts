import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { EvidenceInput } from '../../../src/engine/domain/input';
import { CheckBudget, evidenceChecker, type Checked, type EvidenceChecker } from '../../../src/engine/evidence/check';
import { repositoryAt } from '../../../src/engine/evidence/repository';
import { resolveEvidence } from '../../../src/engine/evidence/resolve';
import { git } from '../../support/git';
import { lines } from '../../support/store';

describe('evidence, when it is used', () => {
  let folder: string;
  let root: string;
  let checker: EvidenceChecker;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stet-check-'));
    root = join(folder, 'work');
    mkdirSync(root);
    checker = aChecker();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const place = (below = '') => ({ workTree: root, root: join(root, below), named: join(root, below) });
  const aChecker = (below = '') => evidenceChecker(place(below), repositoryAt(root));
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  let memories = 0;
  /** A memory whose evidence was resolved just now, as a proposal's is. */
  const restingOn = async (...evidence: EvidenceInput[]): Promise<Checked> => {
    const salt = (memories += 1).toString(16).padStart(32, '0');
    const around = { place: place(), repository: repositoryAt(root), readable: () => Promise.resolve(true) };
    return { id: `memory-${memories}`, salt, evidence: await resolveEvidence(evidence, salt, around) };
  };
  const file = (path: string, startLine?: number, endLine?: number): EvidenceInput => ({ kind: 'file', path, startLine, endLine });
  /** What is said of it, without the digest. */
  const stateOf = async (memory: Checked, budget?: CheckBudget) =>
    (await checker.check(memory, budget)).map((one) => {
      if (one?.state === 'moved') return `moved to ${one.startLine}-${one.endLine}`;
      return one?.state;
    });
  const digestOf = async (memory: Checked) => {
    const [one] = await checker.check(memory);
    return one !== undefined && 'digest' in one ? one.digest : undefined;
  };
  const excerptHash = ({ evidence: [pointer] }: Checked) => (pointer?.kind === 'file' ? pointer.excerptHash : undefined);

  describe('in one line of a file (A12)', () => {
    let memory: Checked;
    beforeEach(async () => {
      write('src/a.ts', lines(30));
      memory = await restingOn(file('src/a.ts', 7));
      assert.deepEqual(await stateOf(memory), ['intact']);
    });

    it('(a) has moved when ten lines are inserted above it', async () => {
      write('src/a.ts', 'new\n'.repeat(10) + lines(30));
      assert.deepEqual(await checker.check(memory), [{ state: 'moved', startLine: 17, endLine: 17, digest: excerptHash(memory) }]);
    });

    it('(b) has changed when the line is changed', async () => {
      write('src/a.ts', lines(30).replace('line 7\n', 'line seven\n'));
      assert.deepEqual(await stateOf(memory), ['changed']);
    });

    it('(c) is missing when the file is deleted, and intact once it is back', async () => {
      rmSync(join(root, 'src/a.ts'));
      assert.deepEqual(await stateOf(memory), ['missing']);
      write('src/a.ts', lines(30));
      assert.deepEqual(await stateOf(memory), ['intact']);
    });

    it('(d) is intact when the file is only touched', async () => {
      const before = statSync(join(root, 'src/a.ts')).mtimeMs;
      utimesSync(join(root, 'src/a.ts'), new Date(), new Date(before + 60_000));
      assert.deepEqual(await stateOf(memory), ['intact']);
    });
  });

  it('is found in the place nearest to the old one when the same lines are there several times', async () => {
    write('a.ts', `${lines(20)}needle\nthread\n${lines(5)}`);
    const memory = await restingOn(file('a.ts', 21, 22));
    const pair = 'needle\nthread\n';
    write('a.ts', `${pair}${lines(17)}${pair}${lines(40)}${pair}`);
    assert.deepEqual(await stateOf(memory), ['moved to 20-21']);
    write('a.ts', `${lines(20)}${pair}${pair}`);
    assert.deepEqual(await stateOf(memory), ['intact']);
    write('a.ts', `${pair}${lines(2)}`);
    assert.deepEqual(await stateOf(memory), ['moved to 1-2']);
  });

  it('is the same under other line ends, and in any script', async () => {
    const text = 'eins\nдва — 二\n👩‍💻 трі\nvier\n';
    write('a.txt', text);
    const [some, whole] = [await restingOn(file('a.txt', 2, 3)), await restingOn(file('a.txt'))];
    write('a.txt', text.replaceAll('\n', '\r\n'));
    assert.deepEqual([await stateOf(some), await stateOf(whole)], [['intact'], ['intact']]);
    write('a.txt', `нуль\r\n${text.replaceAll('\n', '\r\n')}`);
    assert.deepEqual([await stateOf(some), await stateOf(whole)], [['moved to 3-4'], ['changed']]);
    write('a.txt', text.replace('два', 'дві'));
    assert.deepEqual([await stateOf(some), await stateOf(whole)], [['changed'], ['changed']]);
  });

  it('is compared byte by byte also where the bytes are no text', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x0a, 0xe2, 0x82, 0x0a, 0x41]);
    write('a.bin', bytes);
    const memory = await restingOn(file('a.bin', 2, 3), file('a.bin'));
    assert.deepEqual(await stateOf(memory), ['intact', 'intact']);
    write('a.bin', Buffer.concat([Buffer.from('top\n'), bytes]));
    assert.deepEqual(await stateOf(memory), ['moved to 3-4', 'changed']);
  });

  it('may be the first and the last line, with or without a line end', async () => {
    write('a.ts', 'first\nmiddle\nlast');
    const memory = await restingOn(file('a.ts', 1, 1), file('a.ts', 3), file('a.ts', undefined, 2));
    assert.deepEqual(await stateOf(memory), ['intact', 'intact', 'intact']);
    write('a.ts', 'first\nmiddle\nlast\n');
    assert.deepEqual(await stateOf(memory), ['intact', 'intact', 'intact']);
    write('a.ts', 'last\nfirst\nmiddle\n');
    assert.deepEqual(await stateOf(memory), ['moved to 2-2', 'moved to 1-1', 'moved to 2-3']);
    write('a.ts', '');
    assert.deepEqual(await stateOf(memory), ['changed', 'changed', 'changed']);
  });

  it('may be an empty line, which is not there beyond the end of the file', async () => {
    write('a.ts', 'a\n\nb\n\n');
    const memory = await restingOn(file('a.ts', 4));
    assert.deepEqual(await stateOf(memory), ['intact']);
    write('a.ts', 'a\n\nb\n');
    assert.deepEqual(await stateOf(memory), ['moved to 2-2']);
    write('a.ts', 'a\nb\n');
    assert.deepEqual(await stateOf(memory), ['changed']);
  });

  it('may be an empty file, and a whole file is intact or changed', async () => {
    write('empty.ts', '');
    write('whole.ts', lines(3));
    const memory = await restingOn(file('empty.ts'), file('whole.ts'));
    assert.deepEqual(await stateOf(memory), ['intact', 'intact']);
    write('empty.ts', 'x\n');
    write('whole.ts', `top\n${lines(3)}`);
    assert.deepEqual(await stateOf(memory), ['changed', 'changed']);
  });

  it('is missing where a folder took its place, and not verified where something else did', async () => {
    write('a.ts', lines(3));
    writeFileSync(join(folder, 'outside.ts'), lines(3));
    write('.env', lines(3));
    const memory = await restingOn(file('a.ts', 2));
    const replacedBy = async (make: (path: string) => void) => {
      rmSync(join(root, 'a.ts'), { recursive: true, force: true });
      make(join(root, 'a.ts'));
      return (await stateOf(memory))[0];
    };
    const table: [string, (path: string) => void, string][] = [
      [
        'a folder',
        (path) => {
          mkdirSync(path);
        },
        'missing',
      ],
      [
        'a link to nowhere',
        (path) => {
          symlinkSync(join(root, 'nowhere'), path);
        },
        'missing',
      ],
      [
        'a link outside',
        (path) => {
          symlinkSync(join(folder, 'outside.ts'), path);
        },
        'unverifiable',
      ],
      [
        'a link to secrets',
        (path) => {
          symlinkSync(join(root, '.env'), path);
        },
        'unverifiable',
      ],
      [
        'a link to itself',
        (path) => {
          symlinkSync(path, path);
        },
        'unverifiable',
      ],
      ['a pipe', (path) => execFileSync('mkfifo', [path]), 'unverifiable'],
      [
        'more than 4 MB',
        (path) => {
          writeFileSync(path, Buffer.alloc(4 * 2 ** 20 + 1, 10));
        },
        'unverifiable',
      ],
      [
        'the same lines',
        (path) => {
          writeFileSync(path, lines(3));
        },
        'intact',
      ],
      [
        'a link to the same lines inside',
        (path) => {
          symlinkSync(join(root, 'b.ts'), path);
        },
        'intact',
      ],
    ];
    write('b.ts', lines(3));
    for (const [what, make, state] of table) assert.equal(await replacedBy(make), state, what);
  });

  it('is not said to be missing when the whole work tree is away', async () => {
    write('a.ts', lines(3));
    const memory = await restingOn(file('a.ts', 2));
    renameSync(root, `${root}-away`);
    assert.deepEqual(await stateOf(memory), ['unverifiable']);
    renameSync(`${root}-away`, root);
    assert.deepEqual(await stateOf(memory), ['intact']);
  });

  it('is not looked at outside the folder of the session', async () => {
    write('lib/a.ts', lines(3));
    write('app/b.ts', lines(3));
    const memory = await restingOn(file('lib/a.ts', 2), file('app/b.ts', 2));
    checker = aChecker('app');
    assert.deepEqual(await stateOf(memory), [undefined, 'intact']);
  });

  it('is not checked where it is no file and no commit', async () => {
    const memory = await restingOn(
      { kind: 'url', url: 'https://example.org/' },
      { kind: 'issue', ref: '#1' },
      { kind: 'quote', speaker: 'the team', text: 'so be it' },
      { kind: 'memory', id: crypto.randomUUID() },
    );
    assert.deepEqual(await stateOf(memory), [undefined, undefined, undefined, undefined]);
  });

  it('has a digest of what is there now, under the salt of its memory', async () => {
    write('a.ts', lines(9));
    const [memory, other] = [await restingOn(file('a.ts', 4, 5)), await restingOn(file('a.ts', 4, 5))];
    assert.equal(await digestOf(memory), excerptHash(memory));
    assert.notEqual(await digestOf(memory), await digestOf(other));
    write('a.ts', lines(9).replace('line 4', 'line four'));
    const drifted = await digestOf(memory);
    assert.notEqual(drifted, excerptHash(memory));
    write('a.ts', lines(9).replace('line 4', 'line four').replace('line 9', 'line nine'));
    assert.equal(await digestOf(memory), drifted);
    write('a.ts', lines(9).replace('line 4', 'line IV'));
    assert.notEqual(await digestOf(memory), drifted);
  });

  describe('within a budget', () => {
    it('is checked for the first items of a reply and not for those beyond it', async () => {
      for (const name of ['a', 'b', 'c']) write(`${name}.ts`, lines(3));
      const memory = await restingOn(file('a.ts', 2), file('b.ts', 2), file('a.ts', 3), file('c.ts', 2));
      const within = (limits: ConstructorParameters<typeof CheckBudget>[0]) => {
        checker = aChecker(); // which remembers nothing yet
        return stateOf(memory, new CheckBudget(limits));
      };
      assert.deepEqual(await within({ files: 2 }), ['intact', 'intact', 'intact', undefined]);
      assert.deepEqual(await within({ paths: 1 }), ['intact', undefined, 'intact', undefined]);
      assert.deepEqual(await within({ hashes: 1 }), ['intact', undefined, undefined, undefined]);
      assert.deepEqual(await within({ bytes: 30 }), ['intact', undefined, undefined, undefined]);
      assert.deepEqual(await within({}), ['intact', 'intact', 'intact', 'intact']);
      const shared = new CheckBudget({ files: 1 });
      assert.deepEqual(await stateOf(await restingOn(file('a.ts', 1)), shared), ['intact']);
      assert.deepEqual(await stateOf(await restingOn(file('b.ts', 1), file('a.ts', 2)), shared), [undefined, 'intact']);
    });

    it('is left open rather than called changed when the search for it is cut short', async () => {
      write('a.ts', `needle\n${lines(100)}`);
      const memory = await restingOn(file('a.ts', 1));
      write('a.ts', `${lines(100)}needle\n`);
      assert.deepEqual(await stateOf(memory, new CheckBudget({ hashes: 50 })), [undefined]);
      assert.deepEqual(await stateOf(memory), ['moved to 101-101']);
    });

    it('is looked for as far as 20,000 windows from its old place', async () => {
      write('a.ts', `needle\n${lines(3)}`);
      const memory = await restingOn(file('a.ts', 1));
      write('a.ts', `${lines(20_000)}needle\n`);
      assert.deepEqual(await stateOf(memory), ['moved to 20001-20001']);
      write('a.ts', `${lines(20_001)}needle\n`);
      assert.deepEqual(await stateOf(memory), ['changed']);
    });

    it('is not read again while the file stays as it is, and is forgotten with its memory', async () => {
      write('a.ts', lines(3));
      const memory = await restingOn(file('a.ts', 2));
      const nothingLeft = () => new CheckBudget({ files: 0, hashes: 0, bytes: 0 });
      assert.deepEqual(await stateOf(memory, nothingLeft()), [undefined]);
      await setTimeout(150); // until the file has settled
      assert.deepEqual(await stateOf(memory), ['intact']);
      assert.deepEqual(await stateOf(memory, nothingLeft()), ['intact']);
      checker.forget(memory.id);
      assert.deepEqual(await stateOf(memory, nothingLeft()), [undefined]);
      const running = checker.check(memory);
      checker.forget(memory.id);
      assert.equal((await running)[0]?.state, 'intact');
      assert.deepEqual(await stateOf(memory, nothingLeft()), [undefined]);
    });

    it('is seen to change when the file keeps its size and its time', async () => {
      write('a.ts', 'one\ntwo\n');
      const memory = await restingOn(file('a.ts', 2));
      await setTimeout(150);
      assert.deepEqual(await stateOf(memory), ['intact']);
      const { atime, mtime } = statSync(join(root, 'a.ts'));
      write('a.ts', 'one\nowt\n');
      utimesSync(join(root, 'a.ts'), atime, mtime);
      assert.deepEqual(await stateOf(memory), ['changed']);
    });

    it('is seen to change however soon after it was looked at', async () => {
      write('a.ts', 'one\ntwo\n');
      const memory = await restingOn(file('a.ts', 2));
      for (let round = 0; round < 50; round += 1) {
        write('a.ts', 'one\nowt\n');
        assert.deepEqual(await stateOf(memory), ['changed']);
        write('a.ts', 'one\ntwo\n');
        assert.deepEqual(await stateOf(memory), ['intact']);
      }
    });
  });

  describe('in a commit', () => {
    const absent = { kind: 'commit', sha: 'd'.repeat(40) } as const;
    let sha: string;
    beforeEach(() => {
      write('a.ts', lines(3));
      git(root, 'init', '-q');
      git(root, 'add', '-A');
      git(root, 'commit', '-q', '-m', 'first');
      sha = git(root, 'rev-parse', 'HEAD');
    });
    const memoryOf = (...evidence: Checked['evidence']): Checked => ({ id: 'of-commits', salt: '00', evidence });

    it('is intact where the commit is and missing where it is not', async () => {
      const blob = { kind: 'commit', sha: git(root, 'rev-parse', 'HEAD:a.ts') } as const;
      assert.deepEqual(await stateOf(memoryOf({ kind: 'commit', sha }, absent, blob)), ['intact', 'missing', 'missing']);
      git(root, 'commit', '-q', '--allow-empty', '-m', 'second');
      assert.deepEqual(await stateOf(memoryOf({ kind: 'commit', sha: git(root, 'rev-parse', 'HEAD') })), ['intact']);
    });

    it('is not verified without a repository, without an answer of git, and where a shallow clone may leave it out', async () => {
      const both = memoryOf({ kind: 'commit', sha }, absent);
      writeFileSync(join(root, '.git/shallow'), `${sha}\n`);
      assert.deepEqual(await stateOf(both), ['intact', 'unverifiable']);
      rmSync(join(root, '.git/shallow'));
      checker = aChecker();
      writeFileSync(join(root, '.git/config'), 'no configuration at all [');
      assert.deepEqual(await stateOf(both), ['unverifiable', 'unverifiable']);
      rmSync(join(root, '.git'), { recursive: true });
      assert.deepEqual(await stateOf(both), ['unverifiable', 'unverifiable']);
    });

    it('is asked about once when it is there, and within the budget', async () => {
      const both = memoryOf(absent, { kind: 'commit', sha });
      assert.deepEqual(await stateOf(both, new CheckBudget({ commits: 1 })), ['missing', undefined]);
      assert.deepEqual(await stateOf(both), ['missing', 'intact']);
      assert.deepEqual(await stateOf(both, new CheckBudget({ commits: 1 })), ['missing', 'intact']);
    });

    it('runs no program that the configuration names', async () => {
      const mark = join(folder, 'it-ran');
      write('trap.sh', `#!/bin/sh\ntouch '${mark}'\nexit 1\n`);
      chmodSync(join(root, 'trap.sh'), 0o755);
      for (const [key, value] of [
        ['core.fsmonitor', join(root, 'trap.sh')],
        ['extensions.partialClone', 'origin'],
        ['remote.origin.promisor', 'true'],
        ['remote.origin.url', folder],
        ['remote.origin.uploadpack', join(root, 'trap.sh')],
      ] as const)
        git(root, 'config', key, value);
      assert.deepEqual((await stateOf(memoryOf({ kind: 'commit', sha }, absent)))[0], 'intact');
      assert.equal(existsSync(mark), false);
    });
  });
});
