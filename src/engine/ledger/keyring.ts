/** The public keys that a person's acts may be signed with, pinned in a file outside the workspace and the store. */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { signedBytes, type SignedAct, type SignedRule } from '../domain/events';
import { keysUnreadable, signatureInvalid, untrustedKey } from '../errors';
import type { TrustedKey } from '../ports';

const pinnedKey = z.object({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  publicKey: z.base64(),
  since: z.string(),
  until: z.iso.datetime({ offset: true }).exactOptional(),
});

/** The pin file's form. A key with `until` was replaced then, and stays trusted for what it signed before. */
export const pinFile = z.object({ version: z.literal(1), keys: z.array(pinnedKey).max(100) });
export type PinFile = z.infer<typeof pinFile>;

/** A key's id: SHA-256 of its SPKI DER form, hex. */
export const keyId = (publicKey: Buffer): string => createHash('sha256').update(publicKey).digest('hex');

export interface KeyRing {
  /**
   * The keys as they are pinned now; none when no file is pinned or it is not there yet.
   * @throws `keys_unreadable` when the file is there and is not a pin file.
   */
  trusted(): Promise<Keys>;
}

/** A snapshot of the trusted keys, with the signatures they were seen to have made. */
export interface Keys {
  readonly size: number;
  /**
   * @param event the hash of the event that holds the act or rule, if it is in one: it covers all of it, so what was sound stays so.
   * @throws `untrusted_key` or `signature_invalid`.
   */
  verify(signed: SignedAct | SignedRule, event?: string): void;
  /**
   * For what is signed beside the acts.
   * @throws `untrusted_key` or `signature_invalid`.
   */
  verifyBytes(bytes: Uint8Array, by: Signature): void;
}

/** Whose signature it is, and when the signed bytes say that they were signed. */
export interface Signature {
  readonly key: string;
  /** Ed25519, base64. */
  readonly signature: string;
  readonly at: string;
}

/** Follows a pin file: it is read again when it has changed, so that a key made later is known to a server already running. */
export function keyRing(file: string | undefined): KeyRing {
  let seen = '';
  let keys = keysOf([]);
  return {
    trusted: async () => {
      if (file === undefined) return keys;
      const found = await stat(file).catch(() => undefined); // not there yet: nothing is trusted yet
      const stamp = found === undefined ? '' : `${found.mtimeMs}:${found.ctimeMs}:${found.size}:${found.ino}`;
      if (stamp === seen) return keys;
      keys = keysOf(found === undefined ? [] : await readPinFile(file));
      seen = stamp;
      return keys;
    },
  };
}

/**
 * The keys of a pin file.
 * @throws `keys_unreadable` for anything that is not one, or an entry whose name is not its key's.
 */
export async function readPinFile(file: string): Promise<TrustedKey[]> {
  try {
    if (!(await stat(file)).isFile()) throw new Error('not a file'); // a pipe would never end
    const { keys } = pinFile.parse(JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, '')));
    if (keys.some((key) => keyId(Buffer.from(key.publicKey, 'base64')) !== key.id)) throw new Error('a key has another id');
    return keys;
  } catch (cause) {
    throw keysUnreadable('The file of trusted keys cannot be read as one.', cause);
  }
}

function keysOf(trusted: readonly TrustedKey[]): Keys {
  const byId = new Map(trusted.map((key) => [key.id, { publicKey: publicKeyOf(key), until: key.until }]));
  const sound = new Set<string>(); // events; what was verified stays verified as long as the keys are the same
  const verifyBytes = (bytes: Uint8Array, { key: id, signature, at }: Signature) => {
    const key = byId.get(id);
    if (key === undefined || !wasInUse(key.until, at)) throw untrustedKey();
    if (!verify(null, bytes, key.publicKey, Buffer.from(signature, 'base64'))) throw signatureInvalid();
  };
  return {
    size: byId.size,
    verifyBytes,
    verify: ({ statement, key, signature }, event) => {
      if (event !== undefined && sound.has(event)) return;
      verifyBytes(signedBytes(statement), { key, signature, at: statement.at });
      if (event === undefined) return;
      if (sound.size >= 200_000) sound.clear();
      sound.add(event);
    },
  };
}

/**
 * Whether a key was not replaced yet at a time. The time is the signer's own word: who holds an old private key can date an act back.
 * The chain limits that: such an act still has to follow the events that are there, at its place at the chain's end.
 */
const wasInUse = (until: string | undefined, at: string): boolean => until === undefined || Date.parse(at) <= Date.parse(until);

function publicKeyOf(key: TrustedKey): KeyObject {
  try {
    const object = createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), format: 'der', type: 'spki' });
    if (object.asymmetricKeyType === 'ed25519') return object;
  } catch (cause) {
    throw keysUnreadable('A trusted key is damaged.', cause);
  }
  throw keysUnreadable('A trusted key is not an Ed25519 key.');
}
