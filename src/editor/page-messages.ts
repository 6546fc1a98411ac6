/**
 * What the host and its two pages, the memory page and the save page, say to each other. The page sends no memory and no id: it names
 * what it shows by a token that was drawn for that showing, an act by its key in that showing, and another memory by its number there.
 * Loaded by the host when the first page opens; the pages use its types.
 */
import * as z from 'zod';
import type { Shown } from './shown-text';
import type { Changes } from './word-diff';

/** The words of a memory as the page draws them: every text in pieces, nothing to interpret. */
export interface PageText {
  readonly kind: string;
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
  readonly facts: readonly { readonly name: string; readonly value: Shown }[];
  readonly hiddenCharacters: number;
}

/** One memory as its own page draws it. */
export interface PageMemory extends PageText {
  /** By which the page knows its own again; it is not what a decision goes by. */
  readonly id: string;
  readonly waits: boolean;
  /** The rejected and other memories that it resembles. */
  readonly resembles: readonly (Linked & { readonly rejected: boolean; readonly reason?: Shown })[];
  /** Where else the same was rejected. */
  readonly rejectedIn: readonly Shown[];
  /** What it is meant to replace, with what changes against each. */
  readonly replaces: readonly (Linked & { readonly changes?: Changes })[];
  /** What it is contested with, was replaced by, or was made from. */
  readonly others: readonly (Linked & { readonly how: string; readonly changes?: Changes })[];
  readonly challenges: readonly PageChallenge[];
  /** Whether its claim's slot holds one value or many; absent without a claim. */
  readonly slot?: 'one' | 'many' | 'unsaid';
  /** The key of the act that says it is right all the same, where its evidence has changed. */
  readonly stillRight?: string;
  readonly history: readonly PageHistoryEntry[];
}

/** Another memory, which the page can open by its number. */
export interface Linked {
  readonly link: number;
  readonly title: Shown;
  readonly stateName: string;
}

export interface PageChallenge {
  readonly what: string;
  readonly by: Shown;
  readonly at: string;
  readonly reason: Shown;
  readonly evidence: readonly Shown[];
  readonly counterpart?: Linked;
  /** The keys of the two answers. */
  readonly accept: string;
  readonly decline: string;
}

export interface PageHistoryEntry {
  readonly what: string;
  readonly by: Shown;
  readonly at: string;
  readonly reason?: Shown;
  readonly others: readonly Linked[];
  /** When it holds from this act on, where the act has changed that. */
  readonly holds?: string;
}

/** Something a memory points to; it opens when the host can open it. */
export interface Pointer {
  readonly text: Shown;
  readonly opens: boolean;
  /** Whether it still says so. */
  readonly state?: { readonly name: string; readonly drifted: boolean };
}

/** What an act would do besides the obvious, or why it cannot be done. */
export interface Foreseen {
  /** The question that it answers. */
  readonly asked: number;
  readonly lines: readonly Shown[];
  readonly problem?: string;
  /** More that could go with it, for a forgetting. */
  readonly leavings?: PageLeavings;
}

/** Something that a person can do to what is shown. */
export interface PageAct {
  /** By which the page knows it again when it is drawn anew. */
  readonly key: string;
  /** What is written on the button. */
  readonly opens: string;
  /** In the first row, behind More, or at a place of its own in the text. */
  readonly where: 'first' | 'more' | 'beside';
  readonly how:
    | { readonly is: 'press'; readonly foreseen: Foreseen }
    | {
        readonly is: 'form';
        readonly question: string;
        readonly confirms: string;
        readonly fields: readonly FormField[];
        readonly twice?: string;
      }
    /** It leads to another page. */
    | { readonly is: 'goes' };
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What is said when it is left empty. */
  readonly required?: string;
  /** Shown only while another field has one of these values. */
  readonly when?: { readonly field: string; readonly is: readonly string[] };
}

export type FormField = Field &
  (
    | { readonly is: 'reason' | 'line' }
    | { readonly is: 'date'; readonly min?: string; readonly max?: string; readonly value?: string }
    | { readonly is: 'choice'; readonly value: string; readonly options: readonly { readonly value: string; readonly name: Shown }[] }
    /** Another memory that stands, found by its words. */
    | { readonly is: 'other' }
  );

/** How many wait, and which of them this is, where the reader goes through them. */
export interface Position {
  readonly at?: number;
  readonly of: number;
}

/** What derives from, quotes or restates what is to be forgotten. */
export interface PageLeavings {
  readonly memories: readonly (Linked & { readonly because: string })[];
  /** In words, what else goes. */
  readonly also: readonly string[];
}

export type SavedFields = Readonly<Record<SaveField, string>>;

export interface Draft {
  readonly heading: string;
  readonly intro: string;
  /** What is written on the button that signs it. */
  readonly confirms: string;
  /** What the parts of the form are called. */
  readonly labels: Readonly<Record<SavePart, string>>;
  readonly kinds: readonly { readonly value: string; readonly name: string; readonly guidance: boolean }[];
  /** The folders it may be saved for, when there are several. */
  readonly places: readonly string[];
  /** The scopes it may be saved for, by place; the first is meant. */
  readonly scopes: readonly (readonly { readonly name: string; readonly everywhere: boolean }[])[];
  /** What the form begins with. */
  readonly values: Partial<SavedFields>;
  /** The lines it rests on, as they are now; or what an edited memory rested on. */
  readonly lines?: { readonly name: string; readonly excerpt?: Shown };
  /** What an edited memory was meant to replace. */
  readonly replaces?: string;
  /** The wording that is edited. */
  readonly against?: { readonly title: string; readonly statement: string };
  readonly asksReason: boolean;
  readonly limits: Readonly<Record<'title' | 'statement' | 'rationale' | 'appliesWhen' | 'claim' | 'reason', number>>;
}

/** A way on that is offered beside what was said. */
export interface Offer {
  /** To take the last act back, to go on to what waits, or to open the memory that is there already. */
  readonly is: 'undo' | 'next' | 'openSame';
  /** The title of what is taken back. */
  readonly about?: string;
}

const saveFields = [
  ...['kind', 'title', 'statement', 'rationale', 'alternatives', 'appliesWhen', 'steps', 'tags', 'appliesTo', 'scope', 'validFrom'],
  ...['validTo', 'occurredAt', 'subject', 'predicate', 'object', 'cardinality', 'reason'],
] as const;
export type SaveField =
  | 'kind'
  | 'title'
  | 'statement'
  | 'rationale'
  | 'alternatives'
  | 'appliesWhen'
  | 'steps'
  | 'tags'
  | 'appliesTo'
  | 'scope'
  | 'validFrom'
  | 'validTo'
  | 'occurredAt'
  | 'subject'
  | 'predicate'
  | 'object'
  | 'cardinality'
  | 'reason';

/** A part of the save page's form: the lines it rests on and what it replaces are no fields, but can be wrong. */
export type SavePart = SaveField | 'lines' | 'replaces';

/** One of several memories that are decided on together. */
export interface PageItem extends PageText {
  readonly number: number;
  readonly foreseen?: Foreseen;
}

interface Drawn {
  readonly token: string;
  readonly acts: readonly PageAct[];
  /** The key of the act whose form is open at once. */
  readonly asks?: string;
  /** Nobody asked for it: the reader keeps the place and the focus. */
  readonly quietly: boolean;
}

export type ToPage =
  | ({ readonly type: 'memory'; readonly memory: PageMemory; readonly position?: Position } & Drawn)
  | ({ readonly type: 'contest'; readonly members: readonly PageText[] } & Drawn)
  | ({ readonly type: 'forget'; readonly items: readonly PageItem[]; readonly leavings: PageLeavings } & Drawn)
  | ({ readonly type: 'approveRead'; readonly items: readonly PageItem[] } & Drawn)
  /** What is counted around the memory that is shown has changed, and nothing else. */
  | { readonly type: 'counts'; readonly position: Position | undefined; readonly facts: PageMemory['facts'] }
  | { readonly type: 'nothing'; readonly title: string; readonly text: string; readonly restart?: string; readonly quietly: boolean }
  | { readonly type: 'draft'; readonly token: string; readonly draft: Draft }
  | { readonly type: 'foreseen'; readonly token: string; readonly key: string; readonly foreseen: Foreseen }
  | { readonly type: 'found'; readonly asked: number; readonly memories: readonly (Linked & { readonly detail: Shown })[] }
  | {
      readonly type: 'said';
      readonly text: string;
      readonly failed: boolean;
      /** What was asked for was not done: it can be asked for again. */
      readonly again?: boolean;
      readonly offers?: readonly Offer[];
    }
  /** What is wrong with a part of the form. */
  | { readonly type: 'problem'; readonly part: SavePart; readonly text: string };

const token = z.string().max(100);
const text = z.string().max(20_000);
const number = z.int().min(0).max(100_000);
const key = z.string().max(100);
/** What stands in a form, by field. */
const values = z.record(z.string().regex(/^[a-zA-Z]{1,20}\d{0,5}$/), z.string().max(2_000));

export const fromPage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  /** What would this act do, with what stands in its form? */
  z.strictObject({ type: z.literal('ask'), token, key, asked: number, values }),
  /** Does it, exactly as it was foreseen in the answer to that question. */
  z.strictObject({ type: z.literal('decide'), token, key, asked: number, values }),
  /** Leads to the page of an act that has one. */
  z.strictObject({ type: z.literal('go'), token, key }),
  /** Approves those of several memories whose text was on the screen. */
  z.strictObject({ type: z.literal('approveRead'), token, read: z.array(number).max(1_000) }),
  z.strictObject({ type: z.literal('slot'), token, cardinality: z.enum(['one', 'many']) }),
  z.strictObject({ type: z.literal('find'), token, asked: number, query: z.string().max(1_000) }),
  /** Opens another memory that is named on the page. */
  z.strictObject({ type: z.literal('open'), token, link: number }),
  z.strictObject({ type: z.literal('skip'), token }),
  /** Forgets what was skipped and begins anew. */
  z.strictObject({ type: z.literal('startAgain') }),
  z.strictObject({ type: z.literal('next') }),
  /** Opens a pointer of the memory that is shown. */
  z.strictObject({ type: z.literal('follow'), token, list: z.enum(['appliesTo', 'restsOn']), index: z.int().min(0).max(1_000) }),
  /** Takes back the act that was done last. */
  z.strictObject({ type: z.literal('undo') }),
  /** Opens the memory that is there already. */
  z.strictObject({ type: z.literal('openSame') }),
  /** Whether there is anything in the form that would be lost. */
  z.strictObject({ type: z.literal('written'), token, empty: z.boolean() }),
  z.strictObject({
    type: z.literal('save'),
    token,
    place: z.int().min(0).max(1_000),
    withLines: z.boolean(),
    withReplaces: z.boolean(),
    fields: z.strictObject(Object.fromEntries(saveFields.map((name) => [name, text])) as Record<SaveField, typeof text>),
  }),
]);
export type FromPage = z.infer<typeof fromPage>;
