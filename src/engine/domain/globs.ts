/**
 * The globs that anchors may use. They come from callers and are matched against paths that callers choose, by regular expressions
 * that backtrack; so only shapes are taken whose cost stays polynomial and small: `*`, `**`, `?`, `[…]` and `{a,b}`, few of each.
 */
import picomatch from 'picomatch';

const options: picomatch.PicomatchOptions = { dot: true, noextglob: true, windows: false };

/** What is wrong with a glob, as the end of a sentence about it; undefined for one that may be used. */
export function globProblem(glob: string): string | undefined {
  const plain = withoutEscapes(glob);
  if (plain.startsWith('!')) return 'says what it matches, so it cannot start with "!"';
  if (/[()|]/.test(plain)) return 'may use *, **, ?, [...] and {a,b}, but no groups';
  const segments = plain.split('/');
  if (segments.filter((segment) => segment.includes('**')).length > 2) return 'may hold ** at most twice';
  if (segments.some((segment) => segment !== '**' && segment.split('*').length > 3)) return 'may hold * at most twice between two slashes';
  if (plain.split('{').length > 3) return 'may hold {...} at most twice';
  if (/\{[^}]*\.\./.test(plain)) return 'may not hold ranges like {1..9}';
  try {
    picomatch.makeRe(glob, options);
    return undefined;
  } catch {
    return 'is not a glob';
  }
}

/** A folder's path as the start of a glob: what is special in it stands for itself. */
export const globPrefix = (folder: string): string => folder.replace(/[\\*?[\]{}()!|+@]/g, '\\$&');

/** The folder below which a glob can match: its leading parts that match only themselves; `''` for the work tree. */
export function globBase(glob: string): string {
  const segments = glob.split('/');
  const first = segments.findIndex((segment) => /[*?[\]{}]/.test(withoutEscapes(segment)));
  return (first < 0 ? segments : segments.slice(0, first)).map((segment) => segment.replace(/\\(.)/g, '$1')).join('/');
}

const withoutEscapes = (glob: string) => glob.replace(/\\./g, '_');

const matchers = new Map<string, (path: string) => boolean>();

/** Whether a path matches; never for a glob that may not be used. The number of compiled globs is bounded. */
export function matchesGlob(glob: string, path: string): boolean {
  const known = matchers.get(glob);
  if (known !== undefined) return known(path);
  if (matchers.size >= 10_000) matchers.clear();
  const matcher = globProblem(glob) === undefined ? picomatch(glob, options) : () => false;
  matchers.set(glob, matcher);
  return matcher(path);
}
