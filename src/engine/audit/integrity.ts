/** Whether the store's rows are what content and events say they are: what an altered or removed row hides is named here. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { LedgerParts } from '../ledger/parts';
import {
  examineAgain,
  examined,
  memoriesWithoutRow,
  storeDifferences,
  type DerivedTable,
  type Difference,
  type Examination,
  type Examined,
} from '../ledger/projection';
import type { Tampering } from '../ledger/replay';
import type { Watch } from '../ledger/verify';
import type { Grant } from '../scope/grant';

export type Finding =
  /** It has no present status, so no list and no search shows it. Rebuilding brings it back. */
  | { readonly is: 'hidden'; readonly id: string }
  /** Its content or events are not sound; it is not served, and rebuilding leaves it as it is. */
  | { readonly is: 'tampered'; readonly id: string; readonly why: Tampering }
  /** Rows derived from it are not as they ought to be. Rebuilding puts them right. The id is empty for rows of the store as a whole. */
  | { readonly is: 'differs'; readonly id: string; readonly tables: readonly DerivedTable[] }
  /** It was rejected or forgotten and its value is not refused, since the tombstone is gone. */
  | { readonly is: 'unburied'; readonly id: string; readonly restorable: boolean }
  /** Events tell of it, and there is no such memory. */
  | { readonly is: 'gone'; readonly id: string };

/** Looks at every memory, in pages, and lets other work in between. Changes nothing. */
export async function integrityOf(grant: Grant, parts: LedgerParts, { progress, signal }: Watch = {}): Promise<Finding[]> {
  const { read } = parts.database;
  const how: Examination = { grant, store: parts.store, keys: await parts.keyRing.trusted() };
  const total = Number((await read.get('SELECT count(*) AS n FROM memories'))?.['n']);
  const found: Finding[] = [];
  let done = 0;
  for await (const page of examined(read, how)) {
    if (signal?.aborted === true) return found;
    const suspects = page.filter((one) => findingsOf(one).length > 0).map(({ seq }) => seq);
    // Once more, since somebody may have decided on one between two of the looks.
    if (suspects.length > 0) found.push(...(await examineAgain(read, how, suspects)).flatMap(findingsOf));
    done += page.length;
    progress?.(done, Math.max(total, done));
    await yieldToOthers();
  }
  const tables = tablesOf(await storeDifferences(read, how));
  if (tables.length > 0) found.push({ is: 'differs', id: '', tables });
  return [...found, ...(await memoriesWithoutRow(read)).map((id): Finding => ({ is: 'gone', id }))];
}

function findingsOf({ id, hidden, broken, differences }: Examined): Finding[] {
  const stones = differences.filter(({ table, is }) => table === 'tombstones' && is === 'missing');
  const tables = tablesOf(differences.filter((one) => !stones.includes(one)));
  return [
    ...(hidden ? [{ is: 'hidden', id } as const] : []),
    ...(broken === undefined ? [] : [{ is: 'tampered', id, why: broken } as const]),
    ...(stones.length > 0 ? [{ is: 'unburied', id, restorable: stones.every(({ repair }) => repair.length > 0) } as const] : []),
    ...(tables.length > 0 ? [{ is: 'differs', id, tables } as const] : []),
  ];
}

const tablesOf = (differences: readonly Difference[]): DerivedTable[] => [...new Set(differences.map(({ table }) => table))].sort();
