/** A person's key pair that another process can be given. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { keyId } from '../../../src/engine';
import type { TestKey } from '../../support/keys';

/** @returns the private half: PKCS8, base64. */
export const newPersonKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

export function personKey(pkcs8: string): TestKey {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const id = keyId(spki);
  return {
    keyId: id,
    authority: 'person',
    sign: (bytes) => Promise.resolve(sign(null, bytes, privateKey)),
    pin: { id, publicKey: spki.toString('base64'), since: '2026-01-01T00:00:00.000Z' },
  };
}
