/**
 * The person's key: Ed25519, its private half in the editor's secret storage, its public half pinned in a file beside the stores.
 * All windows of a profile share it.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { PinFile, Signer } from '../engine';
import { theEngine } from './the-engine';

/** The private half's place in the secret storage: PKCS8 DER, base64. */
const secretName = 'stet.signingKey';

export interface PersonsKey {
  /**
   * The key to sign a decision with; made at first use.
   * @throws `signing_key_missing` when it is gone and the person does not want a new one.
   */
  signer(): Promise<Signer>;
  /** The key, if it is here and pinned already: for what is signed in the background, where nobody may be asked. */
  signerAtHand(): Promise<Signer | undefined>;
  /** The key's id, if there is one already. */
  ownId(): Promise<string | undefined>;
}

export function personsKey(secrets: vscode.SecretStorage, keysFile: string): PersonsKey {
  /** Finds or makes the key. Undefined when keys are pinned and none of them is here: a person has to say so first. */
  const find = (mayReplace: boolean): Promise<Pair | undefined> =>
    alone(keysFile, async () => {
      const pinned = await pinnedKeys(keysFile);
      const kept = await stillTrusted(pairOf(await secrets.get(secretName)), pinned);
      if (kept === undefined && pinned.length > 0 && !mayReplace) return undefined;
      const pair = kept ?? newPair();
      // The secret first: if this ends halfway, the next window pins what it finds.
      if (kept === undefined) await secrets.store(secretName, encoded(pair.privateKey));
      const id = await idOf(pair);
      const now = new Date().toISOString();
      // What an earlier key signed stays; from now on it signs nothing that counts, whoever has it.
      const earlier = pinned.map((pin) => ({ ...pin, until: pin.until ?? now }));
      if (!pinned.some((key) => key.id === id))
        await writePins(keysFile, [...earlier, { id, publicKey: pair.publicKey.toString('base64'), since: now }]);
      return pair;
    });
  return {
    signer: async () => {
      const pair = (await find(false)) ?? ((await mayMakeNewKey()) ? await find(true) : undefined);
      if (pair === undefined) throw (await theEngine()).signingKeyMissing();
      return signerWith(pair);
    },
    signerAtHand: async () => {
      const pair = pairOf(await secrets.get(secretName));
      if (pair === undefined) return undefined;
      const id = await idOf(pair);
      return (await pinnedKeys(keysFile)).some((key) => key.id === id && key.until === undefined) ? signerWith(pair) : undefined;
    },
    ownId: async () => {
      const pair = pairOf(await secrets.get(secretName));
      return pair && idOf(pair);
    },
  };
}

interface Pair {
  readonly privateKey: KeyObject;
  /** SPKI DER. */
  readonly publicKey: Buffer;
}

/**
 * A modal question, because no command can answer one. Its first button is always the default, which Enter presses: the API knows no
 * other. The page's buttons therefore ask only once Enter has been let go.
 */
async function mayMakeNewKey(): Promise<boolean> {
  const make = 'Make a New Key';
  const detail =
    'The key that signed earlier decisions is not in this profile, as on another machine or after a reset. A new key is pinned beside it; what was let stand before stays.';
  return (await vscode.window.showWarningMessage('Sign with a new key?', { modal: true, detail }, make)) === make;
}

function newPair(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }) };
}

/** A kept key; one that cannot be read is as good as none. */
function pairOf(secret: string | undefined): Pair | undefined {
  if (secret === undefined) return undefined;
  try {
    const privateKey = createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' });
    if (privateKey.asymmetricKeyType !== 'ed25519') return undefined;
    return { privateKey, publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }) };
  } catch {
    return undefined;
  }
}

/** The pair, unless another profile has replaced it: what it signs now would not count. */
async function stillTrusted(pair: Pair | undefined, pinned: PinFile['keys']): Promise<Pair | undefined> {
  if (pair === undefined) return undefined;
  const id = await idOf(pair);
  return pinned.some((key) => key.id === id && key.until !== undefined) ? undefined : pair;
}

const encoded = (privateKey: KeyObject) => privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

const signerWith = async (pair: Pair): Promise<Signer> => ({
  keyId: await idOf(pair),
  authority: 'person',
  sign: (bytes) => Promise.resolve(sign(null, bytes, pair.privateKey)),
});

const idOf = async (pair: Pair) => (await theEngine()).keyId(pair.publicKey);

/** The pinned keys. @throws `keys_unreadable` rather than writing over what it cannot read. */
async function pinnedKeys(file: string): Promise<PinFile['keys']> {
  const { pinFile, readPinFile } = await theEngine();
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return [];
  await readPinFile(file); // checks that each key has its own name, too
  return pinFile.parse(JSON.parse(text)).keys;
}

/** Other processes read the file at any time, so they meet the old one or the new one and never a part. */
async function writePins(file: string, keys: PinFile['keys']): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ version: 1, keys } satisfies PinFile, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** One window at a time. */
async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const { lock } = await import('proper-lockfile');
  const release = await lock(file, { realpath: false, retries: { retries: 50, minTimeout: 50, maxTimeout: 200 } });
  try {
    return await work();
  } finally {
    await release();
  }
}
