/** What the host and the sidebar's page say to each other. Loaded by the host with the first message; the page uses its types. */
import * as z from 'zod';
import type { Shown } from './shown-text';

export interface Card {
  readonly kind: string;
  readonly title: Shown;
  readonly statement: Shown;
  readonly appliesWhen?: Shown;
  readonly steps: readonly Shown[];
  /** Why it applies to the file. */
  readonly why: Shown;
  readonly letStand: string;
  readonly origin: Shown;
  readonly holds?: string;
  /** What a reader has to know before they rely on it: that it is contested, that its evidence has changed. */
  readonly doubts: readonly string[];
}

export type ToSidebar =
  | { readonly type: 'loading' }
  /** There is nothing to show, and this is why. */
  | { readonly type: 'empty'; readonly title: string; readonly text: string; readonly again?: string }
  | { readonly type: 'cards'; readonly token: string; readonly file: Shown; readonly cards: readonly Card[]; readonly beyond: number };

export const fromSidebar = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('tryAgain') }),
  /** Shows a card's memory on its page. */
  z.strictObject({
    type: z.literal('open'),
    token: z.string().max(100),
    index: z.int().min(0).max(1_000),
    asks: z.literal('retire').optional(),
  }),
]);
export type FromSidebar = z.infer<typeof fromSidebar>;
