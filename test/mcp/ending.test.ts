import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { aProposal } from '../support/store';
import { serverFile } from './support/bundle';
import { serverArguments } from './support/client';
import { handshake, startRaw, startWith } from './support/raw';

/** The outcome, or a failure where it takes longer than a server may take to end. */
const within5s = <T>(outcome: Promise<T>): Promise<T> =>
  Promise.race([
    outcome,
    delay(5_000, undefined, { ref: false }).then(() => {
      throw new Error('the server still runs after 5 seconds');
    }),
  ]);

describe('a server ends', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'stet-test-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const start = () => ({ store: join(folder, 'store', 'memory.db'), root: folder });
  const left = () => readdirSync(join(folder, 'store'));

  const working = async () => {
    const server = await startRaw(start());
    await server.ask(1, 'initialize', handshake());
    server.send({ method: 'notifications/initialized' });
    await server.ask(2, 'tools/call', { name: 'memory_propose', arguments: aProposal() });
    return server;
  };

  it('with its input, and leaves nothing but the store (A7)', async () => {
    const server = await working();
    server.process.stdin.end();
    assert.equal(await within5s(server.ended()), 0);
    assert.deepEqual(left(), ['memory.db']);
    assert.equal(server.stderr(), '');
  });

  it('only after it has answered what was asked before', async () => {
    const server = await startRaw(start());
    server.send({ id: 1, method: 'initialize', params: handshake() });
    server.send({ method: 'notifications/initialized' });
    for (let id = 2; id < 22; id += 1)
      server.send({ id, method: 'tools/call', params: { name: 'memory_propose', arguments: aProposal() } });
    server.send({ id: 22, method: 'tools/list' });
    server.process.stdin.end();
    assert.equal(await within5s(server.ended()), 0);
    assert.equal(server.lines().length, 22);
  });

  it('with a parent that was killed, even when something else holds its input open (A7)', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const input = openSync(pipe, 'r+');
    const parent = spawn(
      process.execPath,
      [
        '-e',
        'require("node:child_process").spawn(process.execPath, JSON.parse(process.argv[1]), { stdio: "inherit" })',
        JSON.stringify([await serverFile(), ...serverArguments(start())]),
      ],
      { stdio: [input, 'pipe', 'inherit'] },
    );
    const send = (message: object) => writeSync(input, `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'initialize', params: handshake() });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'memory_propose', arguments: aProposal() } });
    let out = '';
    const { stdout } = parent;
    assert.ok(stdout);
    stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    while (!out.includes('"id":2')) await once(stdout, 'data');

    // The server has inherited stdout, which therefore closes when the server, its last holder, is gone.
    const gone = once(stdout, 'close');
    parent.kill('SIGKILL');
    await within5s(gone);
    assert.deepEqual(left(), ['memory.db']);
    closeSync(input);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`with ${signal}`, async function () {
      if (process.platform === 'win32') this.skip();
      const server = await working();
      server.process.kill(signal);
      assert.equal(await within5s(server.ended()), 0);
      assert.deepEqual(left(), ['memory.db']);
    });

  it('when nobody reads its answers', async () => {
    const server = await working();
    server.process.stdout.destroy();
    server.send({ id: 3, method: 'tools/list' });
    assert.equal(await within5s(server.ended()), 0);
  });

  for (const [what, args, sentence] of [
    ['no store', ['--root', '.'], '--store FILE is missing.'],
    ['no root', ['--store', 'memory.db'], '--root FOLDER is missing.'],
    ['nothing', [], '--store FILE is missing.'],
    ['an unknown option', ['--store', 'memory.db', '--root', '.', '--approve'], "Unknown option '--approve'."],
    ['a stray word', ['--store', 'memory.db', '--root', '.', 'serve'], "Unexpected argument 'serve'."],
    ['an option without its value', ['--store', 'memory.db', '--root'], "Option '--root <value>' argument missing."],
    ['a file that has no name', ['--store', 'memory.db', '--root', '.', '--keys', ''], '--keys names no file.'],
  ] as const)
    it(`with 2 and one sentence when it is started with ${what}`, async () => {
      const server = await startWith(args);
      assert.equal(await within5s(server.ended()), 2);
      assert.equal(
        server.stderr(),
        `stet: ${sentence} Start it with --store FILE --root FOLDER [--user-store FILE] [--keys FILE] [--name NAME].\n`,
      );
      assert.deepEqual(server.lines(), []);
    });
});
