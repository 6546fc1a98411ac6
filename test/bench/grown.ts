/** A store of many memories, grown once through the ledger and kept between runs. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../../scripts/project';
import { keyId, type Signer } from '../../src/engine';
import { git } from '../support/git';
import { proposals } from './corpus';
import { openLedger, type Files } from './ledger';

export interface Grown {
  readonly files: Files;
  readonly signer: Signer;
  /** How long growing it took, whenever that was. */
  readonly seconds: number;
}

/** The present schema of the store: it is not migrated here, but grown anew. */
const schema = 2;

/** How many proposals are under way at once, so that the waiting of one is another's time. */
const atOnce = 25;

/** Goes on where an earlier run was stopped. */
export async function grownStore(size: number): Promise<Grown> {
  const corpus = createHash('sha256')
    .update(readFileSync(inProject('test/bench/corpus.ts')))
    .digest('hex')
    .slice(0, 12);
  const folder = inProject(`out/bench/${size}-schema-${schema}-${corpus}`);
  const files: Files = { store: join(folder, 'store', 'memory.db'), keys: join(folder, 'keys.json'), root: join(folder, 'work') };
  const signer = signerIn(folder, files.keys);
  const doneFile = join(folder, 'grown.json');
  workIn(files.root);
  if (!existsSync(doneFile)) await grow(files, signer, size, doneFile);
  const { seconds } = JSON.parse(readFileSync(doneFile, 'utf8')) as { seconds: number };
  return { files, signer, seconds };
}

/** Nine of ten stand, one waits. */
async function grow(files: Files, signer: Signer, size: number, doneFile: string): Promise<void> {
  const ledger = await openLedger(files, signer);
  try {
    // What a power cut takes from a store that is being grown is grown again.
    await ledger.parts.database.alone((writer) => writer.exec('PRAGMA synchronous=OFF'));
    const begun = performance.now();
    const from = Number((await ledger.parts.database.read.get('SELECT count(*) AS n FROM memories'))?.['n']);
    const session = { id: crypto.randomUUID(), client: 'bench', clientVersion: '1.0.0', startedAt: new Date().toISOString() };
    for (let start = from; start < size; start += atOnce) {
      const ids = await Promise.all(
        [...proposals(start, Math.min(atOnce, size - start))].map((proposal) => ledger.propose(proposal, session)),
      );
      await ledger.decideAll(
        ids.filter((_, index) => (start + index + 1) % 10 !== 0),
        'approve',
      );
      if ((start / atOnce) % 40 === 0) {
        const seconds = (performance.now() - begun) / 1000;
        process.stderr.write(`${start + ids.length} memories, ${((start + ids.length - from) / seconds).toFixed(0)} a second\n`);
      }
    }
    await ledger.signHead();
    writeFileSync(doneFile, JSON.stringify({ seconds: (performance.now() - begun) / 1000, from }));
  } finally {
    await ledger.close();
  }
}

/** The same small repository for every store: the file that proposals rest on. */
export function workIn(root: string): void {
  if (existsSync(root)) return;
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src', 'evidence.ts'), 'a line\n'.repeat(20));
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'first');
}

/** The key of the store's person. It is kept beside the store, since it is only a bench's. */
function signerIn(folder: string, keysFile: string): Signer {
  const file = join(folder, 'person.pem');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    writeFileSync(keysFile, JSON.stringify({ version: 1, keys: [pinOf(privateKey)] }));
  }
  const key = createPrivateKey(readFileSync(file));
  return { keyId: pinOf(key).id, authority: 'person', sign: (bytes) => Promise.resolve(sign(null, bytes, key)) };
}

function pinOf(key: KeyObject) {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { id: keyId(der), publicKey: der.toString('base64'), since: '2026-01-01T00:00:00.000Z' };
}
