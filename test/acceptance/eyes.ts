/** What a person sees: the same memory looked for on each surface of the editor. Without an editor nobody looks. */
import type { Reading, Subject } from './doors/agents';
import type { Column } from './protocol';

export type Seen = 'S' | 'T' | 'V' | 'C';

export interface Eyes {
  /** Everything that each view, document and box of one kind shows when it is asked for a memory. */
  look(column: Seen, subject: Subject): Promise<Reading[]>;
  /** Waits until a tree shows, or does not show, a text. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  approve(subject: Subject): Promise<void>;
  forget(subject: Subject): Promise<void>;
  /** Tries to save by hand. @returns whether it was refused. */
  saveRefused(title: string, statement: string): Promise<boolean>;
  restart(): Promise<void>;
}

export const seenColumns: readonly (Column & Seen)[] = ['S', 'T', 'V', 'C'];
