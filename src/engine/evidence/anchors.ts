/** Does a memory apply to a file, how near, and why: in words a person can read. */
import { matchesGlob } from '../domain/globs';
import type { Anchor } from '../domain/memory';

export interface Match {
  /** 0 for the file itself; larger is farther. Compared, never shown. */
  readonly distance: number;
  readonly why: string;
}

/**
 * The nearest of a memory's anchors that covers a file.
 * @param path relative to the work tree's root.
 */
export function nearestAnchor(anchors: readonly Anchor[], path: string): Match | undefined {
  const matches = anchors.flatMap((anchor) => matchOf(anchor, path) ?? []);
  return nearest(matches);
}

const nearest = (matches: readonly Match[]): Match | undefined =>
  matches.reduce<Match | undefined>((best, match) => (best === undefined || match.distance < best.distance ? match : best), undefined);

/** How an anchor covers a file, if it does. */
export function matchOf(anchor: Anchor, path: string): Match | undefined {
  if ('symbol' in anchor) return anchor.file === path ? { distance: 1, why: `about ${anchor.symbol} in this file` } : undefined;
  if ('file' in anchor) return anchor.file === path ? { distance: 0, why: 'anchored to this file' } : undefined;
  if ('glob' in anchor) return matchesGlob(anchor.glob, path) ? { distance: 2, why: `matches ${anchor.glob}` } : undefined;
  if (anchor.folder === '') return { distance: 3 + depthOf(path), why: 'the whole folder' };
  return path.startsWith(`${anchor.folder}/`)
    ? { distance: 3 + depthOf(path) - depthOf(anchor.folder), why: `folder ${anchor.folder}` }
    : undefined;
}

const depthOf = (path: string) => path.split('/').length;
