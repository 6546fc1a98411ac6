/**
 * Every column of the store that can hold text, declared: whose text it is, which gates it has passed, and how forgetting reaches it.
 * A test holds this against the schema, so that a column that is declared nowhere fails.
 */

/** `form`: a schema with sizes. `secrets` and `hidden`: refused where found; hidden characters in an agent's text. `mask`: secrets are replaced. */
export type Gate = 'form' | 'secrets' | 'hidden' | 'mask';

/** What becomes of it when its memory is forgotten. */
export type Reached =
  /** Overwritten, or its row deleted, by the statements of `ledger/erase`. */
  | 'erased'
  /** Blanked where it holds words of what is forgotten, or answered with it. */
  | 'where it touches'
  /** It stays: a place, a date or a name, and no words of a memory. */
  | 'stays';

export type DeclaredText =
  | { readonly of: 'caller'; readonly gates: readonly Gate[]; readonly forgetting: Reached }
  /** Made by Stet: ids, digests, states, times. `erased` where it would help to guess the words. */
  | { readonly of: 'stet'; readonly forgetting: Reached };

const words = { of: 'caller', gates: ['form', 'secrets', 'hidden'], forgetting: 'erased' } as const;
/** Named by a caller, parsed, and no words: a scope's folder, a date. */
const named = { of: 'caller', gates: ['form', 'secrets', 'hidden'], forgetting: 'stays' } as const;
/** What a client calls itself: cut to plain characters by the server before it comes here. */
const client = { of: 'caller', gates: ['form'], forgetting: 'stays' } as const;
const stet = { of: 'stet', forgetting: 'stays' } as const;
const telling = { of: 'stet', forgetting: 'erased' } as const;

export const declaredTexts: Readonly<Record<string, Readonly<Record<string, DeclaredText>>>> = {
  store: { id: stet, salt: stet, identity: stet, created_at: stet },
  sessions: { id: stet, client, client_version: client, started_at: stet },
  memories: {
    id: stet,
    scope: named,
    kind: named,
    recorded_at: stet,
    occurred_at: named,
    valid_from: named,
    valid_to: named,
    salt: telling,
    value_key: telling,
    origin: stet,
    surface: stet,
    stated_at: stet,
    session: stet,
    model: stet,
    tags: words,
    replaces: words,
    derived_from: telling,
    copy_of: words,
    claim: words,
    title: words,
    applies_when: words,
    alternatives: words,
    steps: words,
    rationale: words,
    statement: words,
  },
  anchors: { kind: telling, path: words, symbol: words, base: words },
  evidence: { pointer: words },
  events: { hash: stet, body: stet, memory: stet },
  reasons: { text: words },
  statuses: { state: stet, known_from: stet, known_to: stet, scope: named, valid_from: named, valid_to: named, others: stet },
  /** The command id is the agent's own text. */
  receipts: { client: { ...client, forgetting: 'erased' }, grant_name: telling, command: words, payload_hash: telling, state: telling, hints: telling }, // prettier-ignore
  claims: { slot: telling, object: telling },
  slots: { slot: stet, cardinality: stet },
  tombstones: { digest: stet, scope: named, kind: stet },
  challenges: { id: stet, wants: stet, session: stet, at: stet, salt: telling, question: telling, reason: words, evidence: words },
  verdicts: { question: stet },
  rulings: { subject: stet },
  erasures: { at: stet, swept_at: stet },
  recalls: {
    id: stet,
    session: stet,
    client,
    surface: stet,
    at: stet,
    scope: named,
    question: { of: 'caller', gates: ['mask'], forgetting: 'where it touches' },
    mode: stet,
  },
  recalled: { scope: named },
  uses: { scope: named, at: stet },
  served_index: { title: words, body: words },
  waiting_index: { title: words, body: words },
};
