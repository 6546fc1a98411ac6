/**
 * Keeps the write-ahead log short. SQLite would move it into the file inside the commit that passes a limit, tries that at every
 * further commit while a reader holds it, and leaves the file at its greatest length. So its own care is off, and after a commit
 * was answered the log is looked at here: past the limit it is moved into the file and cut; while it is held, at most once in a while.
 */
import { StetError } from '../errors';
import type { Statements } from './database';
import { bytesOf } from './places';

/** The journal is cut when it is longer than this. */
export const journalLimitBytes = 4 * 1024 * 1024;

/** How long a held journal is left alone before it is tried again. */
const retryMs = 500;

export interface JournalHealth {
  readonly bytes: number;
  /** Whether it is past the limit because another connection, mostly another program's, keeps reading from it. */
  readonly held: boolean;
}

/**
 * Moves the whole journal into the file and cuts it to nothing, without waiting for anybody.
 * @returns false when a reader or a writer holds it.
 */
export async function cutJournal(writer: Pick<Statements, 'get'>): Promise<boolean> {
  try {
    return Number((await writer.get('PRAGMA wal_checkpoint(TRUNCATE)'))?.['busy']) === 0;
  } catch (error) {
    if (error instanceof StetError && error.code === 'store_busy') return false;
    throw error;
  }
}

export class Journal {
  #held = false;
  #looking = false;
  #lookAgain = false;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param cut cuts the journal between transactions, and says whether it could. */
  constructor(
    private readonly storeFile: string,
    private readonly cut: () => Promise<boolean>,
  ) {}

  async bytes(): Promise<number> {
    return (await bytesOf(`${this.storeFile}-wal`)) ?? 0;
  }

  async health(): Promise<JournalHealth> {
    const bytes = await this.bytes();
    return { bytes, held: this.#held && bytes > journalLimitBytes };
  }

  /** Looks at the journal in the background; the caller waits for nothing. */
  grown(): void {
    this.#lookAgain = this.#looking;
    if (!this.#looking && this.#retry === undefined && !this.#stopped) void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const tooLong = (await this.bytes()) > journalLimitBytes;
    // What goes wrong here is met again, and told, by the next transaction.
    this.#held = tooLong && !(await this.cut().catch(() => false));
    this.#looking = false;
    if (this.#held) this.#tryLater();
    else if (this.#lookAgain) this.grown();
  }

  #tryLater(): void {
    if (this.#stopped) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.grown();
    }, retryMs);
    this.#retry.unref();
  }
}
