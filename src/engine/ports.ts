/** What the engine needs from outside, as narrow interfaces: time, ids, keys and signers. */

export interface Clock {
  now(): Date;
}

export interface Ids {
  /** A new UUID. */
  id(): string;
  /** 16 random bytes, hex. */
  salt(): string;
}

/** A public key that a person's acts may be signed with. */
export interface TrustedKey {
  /** SHA-256 of the key's SPKI DER form, hex: its name everywhere. */
  readonly id: string;
  /** Ed25519, SPKI DER, base64. */
  readonly publicKey: string;
  /** When another key took its place, ISO 8601; absent while it is in use. */
  readonly until?: string;
}

/** Holds a private key and signs with it. Only the extension host and the development tools have one. */
export interface Signer {
  readonly keyId: string;
  /** In whose name it signs. The ledger knows a policy's authority and refuses it. */
  readonly authority: 'person' | 'policy';
  /** The Ed25519 signature over exactly these bytes. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** What a statement's parameter or column can be. */
export type SqlValue = string | number | Buffer | null;
