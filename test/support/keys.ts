/** A key pair of a test's own, pinned in a file as the editor pins it. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { keyId, type PinFile, type Signer } from '../../src/engine';

export interface TestKey extends Signer {
  readonly pin: PinFile['keys'][number];
}

export function testKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const id = keyId(der);
  return {
    keyId: id,
    authority: 'person',
    sign: (bytes) => Promise.resolve(sign(null, bytes, privateKey)),
    pin: { id, publicKey: der.toString('base64'), since: '2026-01-01T00:00:00.000Z' },
  };
}

export function pinKeys(file: string, ...keys: readonly TestKey[]): void {
  writeFileSync(file, JSON.stringify({ version: 1, keys: keys.map((key) => key.pin) } satisfies PinFile));
}
