/** Contested memories travel together: a ranking becomes a list of units, of which each is whole or not there at all. */
import type { Grant } from '../scope/grant';
import { memoriesById } from '../store/memories';
import type { Keys } from '../ledger/keyring';
import { check, mayBeServed, type LedgerParts, type Served } from '../ledger/parts';

/**
 * The ranking with each contested memory's counterparts right after it.
 * @param k the most memories there may be, counterparts counted; what would go beyond it is left out as a whole.
 * @returns the list, how many of the ranking were left out because a counterpart may not be served, and how many because they would not
 * have fitted with it.
 */
export async function withCompanions<T extends { readonly served: Served }>(
  ranking: readonly T[],
  k: number,
  grant: Grant,
  parts: LedgerParts,
  keys: Keys,
): Promise<{ listed: (T | { readonly served: Served })[]; alone: number; tooMany: number }> {
  const listed: (T | { readonly served: Served })[] = [];
  const there = new Set<string>();
  const known = new Map(ranking.map(({ served }) => [served.stored.id, served]));
  const tooMany = new Set<string>();
  let alone = 0;
  for (const one of ranking) {
    if (there.has(one.served.stored.id)) continue;
    const companions = await companionsOf(one.served);
    if (companions === undefined) {
      alone += 1;
      continue;
    }
    const fresh = companions.filter(({ stored }) => !there.has(stored.id));
    if (listed.length + 1 + fresh.length > k) {
      if (fresh.length > 0) for (const { stored } of [one.served, ...fresh]) tooMany.add(stored.id);
      continue; // a smaller one further down may still have its place
    }
    const ranked = (served: Served) => ranking.find((other) => other.served === served) ?? { served };
    for (const each of [one, ...fresh.map(ranked)]) {
      listed.push(each);
      there.add(each.served.stored.id);
    }
  }
  return { listed, alone, tooMany: tooMany.size };

  /** Everything it is contested with, directly or through another; undefined when one of them may not be served. */
  async function companionsOf(served: Served): Promise<Served[] | undefined> {
    const unit = new Map<string, Served>([[served.stored.id, served]]);
    for (let wanted = served.stored.others; wanted.length > 0;) {
      const missing = wanted.filter((id) => !known.has(id));
      for (const checked of await check(parts.database.read, await memoriesById(parts.database.read, grant, missing), parts.store, keys))
        if (mayBeServed(checked, grant)) known.set(checked.stored.id, checked);
      const found = wanted.flatMap((id) => known.get(id) ?? []);
      if (found.length < wanted.length) return undefined;
      for (const one of found) unit.set(one.stored.id, one);
      wanted = [...new Set(found.flatMap(({ stored }) => stored.others))].filter((id) => !unit.has(id));
      if (unit.size > 20) return undefined; // more than any answer holds
    }
    unit.delete(served.stored.id);
    return [...unit.values()];
  }
}
