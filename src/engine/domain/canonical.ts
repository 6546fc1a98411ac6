/** One spelling for data that is hashed or signed (RFC 8785), and the hashes made of it. */
import { createHash, createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 JSON of a value; properties that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('only JSON data has a canonical form');
  return text;
}

/** SHA-256, hex. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** HMAC-SHA256 under a hex salt, hex: a commitment that cannot be guessed back once the salt is gone. */
export const saltedHash = (salt: string, data: string | Uint8Array): string =>
  createHmac('sha256', Buffer.from(salt, 'hex')).update(data).digest('hex');
