/** What a person sees: memories looked for on each surface of the editor. Without an editor nobody looks. */
import type { Reading, Subject } from './doors/agents';

/** The columns of what is seen in the editor. */
export const seenColumns = ['S', 'T', 'V', 'C'] as const;
export type Seen = (typeof seenColumns)[number];

export interface Eyes {
  /**
   * Everything that the views, documents or boxes of one kind show of some memories.
   * @param settled looked again until this holds, for as long as a screen may take to be drawn anew.
   */
  look(column: Seen, subjects: readonly Subject[], settled: (readings: readonly Reading[]) => boolean): Promise<Reading[]>;
  /** Presses Approve on the page of what waits. */
  approve(subject: Subject): Promise<void>;
  /** Chooses Forget on the row of what stands, and confirms it on the page. */
  forget(subject: Subject): Promise<void>;
  /** Saves by hand. @returns whether it was refused. */
  saveRefused(title: string, statement: string): Promise<boolean>;
  restart(): Promise<void>;
  /** Closes the window, and with it the store in its host. */
  close(): Promise<void>;
}
