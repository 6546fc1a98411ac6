/** What a memory is: immutable content, and the words used for its parts everywhere in Stet. */

export const kinds = ['decision', 'constraint', 'preference', 'lesson', 'workflow', 'fact'] as const;
export type Kind = (typeof kinds)[number];

/** Kinds that guide conduct, and so must say when they apply. */
export const guidanceKinds: readonly Kind[] = ['constraint', 'preference', 'lesson', 'workflow'];

/** What a memory applies to. Paths are relative to the work tree's root, with `/` between the parts. */
export type Anchor =
  { readonly file: string } | { readonly glob: string } | { readonly folder: string } | { readonly file: string; readonly symbol: string };

/** A statement as data: whether the slot (subject, predicate) holds one value or many is only suggested here. */
export interface Claim {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly cardinality?: 'one' | 'many';
}

/** What a memory rests on, as stored: resolved against the work tree when it was proposed. */
export type Evidence =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly startLine?: number;
      readonly endLine?: number;
      /** HMAC-SHA256 of the excerpt (line ends as LF) under the memory's salt, hex: so it can be compared, not guessed. */
      readonly excerptHash: string;
      /** The commit the work tree stood on, when there was one. */
      readonly commit?: string;
    }
  | { readonly kind: 'commit'; readonly sha: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'issue'; readonly ref: string }
  | { readonly kind: 'quote'; readonly speaker: string; readonly text: string }
  | { readonly kind: 'memory'; readonly id: string };

/** Where a memory came from. Stamped by the host; each arm carries the proof that its tag demands. */
export type Provenance =
  | { readonly tag: 'stated'; readonly surface: string; readonly at: string }
  | {
      readonly tag: 'inferred';
      readonly session: string;
      readonly client: string;
      readonly clientVersion: string;
      /** The model as the client reported it, or `unreported`. */
      readonly model: string;
    };

/** The words and pointers of a memory, and nothing that changes: what the content hash and a person's signature cover. */
export interface Content {
  readonly kind: Kind;
  readonly title: string;
  readonly statement: string;
  readonly rationale?: string;
  readonly alternatives: readonly string[];
  readonly tags: readonly string[];
  readonly appliesWhen?: string;
  readonly steps: readonly string[];
  readonly claim?: Claim;
  readonly anchors: readonly Anchor[];
  readonly evidence: readonly Evidence[];
  /** `workspace`, `path:<folder>/`, or `user` in the store of what holds everywhere. */
  readonly scope: string;
  readonly occurredAt?: string;
  readonly validFrom?: string;
  readonly validTo?: string;
  /** Ids of the memories it is meant to replace. */
  readonly replaces: readonly string[];
  /** Ids of the memories whose words it was made from: the proposal a person edited, the members of a contest they settled. */
  readonly derivedFrom?: readonly string[];
  /** `<store id>/<memory id>` of the memory in another store that it is a person's copy of. */
  readonly copyOf?: string;
  readonly provenance: Provenance;
}

/** A memory not yet in the store: its identity and the salt of its hashes are fixed before anybody signs. */
export interface NewMemory {
  readonly id: string;
  /** 16 random bytes, hex. Destroyed when the memory is forgotten, so that its hashes answer no guess. */
  readonly salt: string;
  readonly content: Content;
}

/** Where and when a memory holds: its content's own bounds until a person's act narrows them. */
export interface Bounds {
  readonly scope: string;
  readonly validFrom?: string;
  readonly validTo?: string;
}

/** A memory as the store holds it now. */
export interface Memory extends NewMemory {
  /** When the store learned it. */
  readonly recordedAt: string;
  readonly state: State;
  /** When it entered this state. */
  readonly stateSince: string;
  readonly bounds: Bounds;
  /** The memories its state is about: those it is contested with, or the one it was superseded by. Ids, sorted. */
  readonly others: readonly string[];
}

export const states = ['pending', 'active', 'contested', 'superseded', 'retired', 'rejected', 'amended', 'expired', 'forgotten'] as const;
export type State = (typeof states)[number];
