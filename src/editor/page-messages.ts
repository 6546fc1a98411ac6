/**
 * What the host and its two pages, the memory page and the save page, say to each other. The page sends no memory and no id: it names
 * what it shows by a token that was drawn for that showing. Loaded by the host when the first page opens; the pages use its types.
 */
import * as z from 'zod';
import type { Shown } from './shown-text';

export type PageDecision = 'approve' | 'reject' | 'retire';

/** One memory as the page draws it: every text in pieces, nothing to interpret. */
export interface PageMemory {
  /** By which the page knows its own again; it is not what a decision goes by. */
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly stateName: string;
  readonly title: Shown;
  /** Says what is wrong with it. */
  readonly tampering?: string;
  readonly statement?: Shown;
  readonly appliesWhen?: Shown;
  readonly steps: readonly Shown[];
  readonly rationale?: Shown;
  readonly alternatives: readonly Shown[];
  readonly claim?: { readonly subject: Shown; readonly predicate: Shown; readonly object: Shown };
  readonly tags: readonly Shown[];
  readonly appliesTo: readonly Pointer[];
  readonly restsOn: readonly Pointer[];
  readonly replaces: readonly Shown[];
  readonly facts: readonly { readonly name: string; readonly value: Shown }[];
  readonly history: readonly { readonly what: string; readonly by: Shown; readonly at: string; readonly reason?: Shown }[];
  readonly hiddenCharacters: number;
  readonly decisions: readonly PageDecision[];
}

/** Something a memory points to; it opens when the host can open it. */
export interface Pointer {
  readonly text: Shown;
  readonly opens: boolean;
}

/** How many wait, and which of them this is, where the reader goes through them. */
export interface Position {
  readonly at?: number;
  readonly of: number;
}

export interface Draft {
  /** What the parts of the form are called. */
  readonly labels: Readonly<Record<SavePart, string>>;
  readonly kinds: readonly { readonly value: string; readonly name: string; readonly guidance: boolean }[];
  readonly kind: string;
  /** The folders it may be saved for, when there are several. */
  readonly places: readonly string[];
  readonly appliesTo: string;
  /** The lines it rests on, as they are now. */
  readonly lines?: { readonly name: string; readonly excerpt: Shown };
  readonly limits: { readonly title: number; readonly statement: number; readonly rationale: number; readonly appliesWhen: number };
}

/** A way on that is offered beside what was said. */
export interface Offer {
  /** To take the last approval back, to go on to what waits, or to open the memory that is there already. */
  readonly is: 'retireLast' | 'next' | 'openSame';
  /** The title of what is taken back. */
  readonly about?: string;
}

/** A part of the save page's form: the lines it rests on are no field, but can be wrong. */
export type SavePart = keyof Extract<FromPage, { type: 'save' }>['fields'] | 'lines';

export type ToPage =
  | {
      readonly type: 'memory';
      readonly token: string;
      readonly memory: PageMemory;
      readonly position?: Position;
      /** The reason that is asked for at once. */
      readonly asks?: 'reject' | 'retire';
      /** Nobody asked for it: the reader keeps the place and the focus. */
      readonly quietly: boolean;
    }
  /** What is counted around the memory that is shown has changed, and nothing else. */
  | { readonly type: 'counts'; readonly position: Position | undefined; readonly facts: PageMemory['facts'] }
  | { readonly type: 'nothing'; readonly title: string; readonly text: string; readonly restart?: string; readonly quietly: boolean }
  | { readonly type: 'draft'; readonly token: string; readonly draft: Draft }
  | {
      readonly type: 'said';
      readonly text: string;
      readonly failed: boolean;
      /** What was asked for was not done: it can be asked for again. */
      readonly again?: boolean;
      readonly offers?: Offer;
    }
  /** What is wrong with a part of the form. */
  | { readonly type: 'problem'; readonly part: SavePart; readonly text: string };

const token = z.string().max(100);
const text = z.string().max(20_000);

export const fromPage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('decide'), token, decision: z.enum(['approve', 'reject', 'retire']), reason: text.optional() }),
  z.strictObject({ type: z.literal('skip'), token }),
  /** Forgets what was skipped and begins anew. */
  z.strictObject({ type: z.literal('startAgain') }),
  z.strictObject({ type: z.literal('next') }),
  /** Opens a pointer of the memory that is shown. */
  z.strictObject({ type: z.literal('follow'), token, list: z.enum(['appliesTo', 'restsOn']), index: z.int().min(0).max(1_000) }),
  z.strictObject({ type: z.literal('retireLast') }),
  /** Opens the memory that is there already. */
  z.strictObject({ type: z.literal('openSame') }),
  /** Whether there is anything in the form that would be lost. */
  z.strictObject({ type: z.literal('written'), token, empty: z.boolean() }),
  z.strictObject({
    type: z.literal('save'),
    token,
    place: z.int().min(0).max(1_000),
    withLines: z.boolean(),
    fields: z.strictObject({
      kind: text,
      title: text,
      statement: text,
      rationale: text,
      appliesWhen: text,
      steps: text,
      tags: text,
      appliesTo: text,
      validFrom: text,
      validTo: text,
    }),
  }),
]);
export type FromPage = z.infer<typeof fromPage>;
