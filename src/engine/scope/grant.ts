/**
 * What a session may read and write, worked out by the host from where the agent runs, and the one SQL predicate made of it.
 * There is no other way to write a read of memories: each takes the predicate.
 */
import { outsideGrant } from '../errors';
import type { SqlValue } from '../ports';

/** Scopes of a workspace's store: the whole workspace, or a folder of it as `path:<folder>/`. */
export const workspaceScope = 'workspace';
/** The one scope of the store of what holds everywhere. */
export const userScope = 'user';
export const pathScope = (folder: string): string => `path:${folder}/`;

/** A set of scopes: one by its name, or every path scope at or below a folder (`''` is the work tree's root). */
export type ScopeSet = { readonly scope: string } | { readonly below: string };

export interface Grant {
  /** The id of the store the grant is for. */
  readonly store: string;
  readonly read: readonly ScopeSet[];
  readonly write: readonly ScopeSet[];
  /** Where a proposal goes that names no scope. */
  readonly home: string;
}

/**
 * The grant of a session that runs in a folder of the work tree.
 * @param folder relative to the work tree's root with `/`, `''` for the root itself.
 */
export function grantFor(store: string, folder: string): Grant {
  const inside: readonly ScopeSet[] = [{ scope: workspaceScope }, { below: folder }];
  const enclosing = ancestors(folder).map((scope): ScopeSet => ({ scope: pathScope(scope) }));
  return { store, read: [...inside, ...enclosing], write: inside, home: folder === '' ? workspaceScope : pathScope(folder) };
}

/** The grant of a person over the user store; agents read through {@link readOnly} of it. */
export const userGrant = (store: string): Grant => ({
  store,
  read: [{ scope: userScope }],
  write: [{ scope: userScope }],
  home: userScope,
});

/** The same without the right to write anywhere. */
export const readOnly = (grant: Grant): Grant => ({ ...grant, write: [] });

/** `a/b/c` → `a/b`, `a`. */
function ancestors(folder: string): string[] {
  const parts = folder.split('/').filter((part) => part !== '');
  return parts
    .slice(0, -1)
    .map((_, index) => parts.slice(0, index + 1).join('/'))
    .reverse();
}

/** A condition with its values. */
export interface Predicate {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * The grant as a condition on a scope column. It is never empty: a grant that reads nothing compiles to false.
 * @param column a column of the statement it goes into, such as `m.scope`.
 */
export function readPredicate(grant: Grant, column: string): Predicate {
  const conditions = grant.read.map((set): Predicate => {
    if ('scope' in set) return { sql: `${column} = ?`, values: [set.scope] };
    const prefix = set.below === '' ? 'path:' : pathScope(set.below);
    return { sql: `substr(${column}, 1, length(?)) = ?`, values: [prefix, prefix] }; // SQLite counts code points
  });
  if (conditions.length === 0) return { sql: '0', values: [] };
  return { sql: `(${conditions.map((one) => one.sql).join(' OR ')})`, values: conditions.flatMap((one) => one.values) };
}

/** Whether the grant reads the scope: the check made once more on each row that comes back. */
export const mayRead = (grant: Grant, scope: string): boolean => grant.read.some((set) => includes(set, scope));

/**
 * The scope a proposal is written to.
 * @throws `outside_grant` when the grant does not cover the scope that was named.
 */
export function writeScope(grant: Grant, named: string | undefined): string {
  const scope = named ?? grant.home;
  if (!isScope(scope) || !grant.write.some((set) => includes(set, scope))) throw outsideGrant(scope);
  return scope;
}

const includes = (set: ScopeSet, scope: string): boolean =>
  'scope' in set ? set.scope === scope : scope.startsWith(set.below === '' ? 'path:' : pathScope(set.below));

/** Whether everything in the inner scope also lies in the outer one. */
export function contains(outer: string, inner: string): boolean {
  if (outer === inner || outer === userScope) return true;
  return outer === workspaceScope ? inner.startsWith('path:') : outer.startsWith('path:') && inner.startsWith(outer);
}

/** `workspace`, `user`, or a path scope of plain folder names. */
const isScope = (scope: string): boolean =>
  scope === workspaceScope ||
  scope === userScope ||
  (/^path:[^\\\0]+\/$/.test(scope) &&
    scope
      .slice(5, -1)
      .split('/')
      .every((part) => part !== '' && part !== '.' && part !== '..'));

/** A short name of the grant, for keys that belong to a session's authority. */
export const grantName = (grant: Grant): string => `${grant.store}:${grant.home}`;
