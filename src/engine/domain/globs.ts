/** The globs that anchors may use, compiled once. */
import picomatch from 'picomatch';

/** Plain globs: `*`, `**`, `?`, `[…]` and `{a,b}`. Extended patterns can be made to run for minutes and are left out. */
const options: picomatch.PicomatchOptions = { dot: true, noextglob: true };

/** @throws TypeError for a text that is not a glob. */
export const checkGlob = (glob: string): void => void picomatch.makeRe(glob, options);

/** The folder below which a glob can match, `''` for the work tree. */
export function globBase(glob: string): string {
  const { base } = picomatch.scan(glob, options);
  return base === '.' ? '' : base;
}

const matchers = new Map<string, (path: string) => boolean>();

/** Whether a path matches; the number of compiled globs is bounded, since they come from callers. */
export function matchesGlob(glob: string, path: string): boolean {
  const known = matchers.get(glob);
  if (known !== undefined) return known(path);
  if (matchers.size >= 10_000) matchers.clear();
  const matcher = picomatch(glob, options);
  matchers.set(glob, matcher);
  return matcher(path);
}
