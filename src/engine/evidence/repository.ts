/** What is asked of git: the commit a work tree stands on, whether a commit is there, whether a path is ignored. */
import type { SimpleGit } from 'simple-git';

export interface Repository {
  /** The full id of the checked-out commit; undefined without a repository or without any commit. */
  head(): Promise<string | undefined>;
  /** The full id of a commit given by its id or the start of it; undefined when this repository does not have it. */
  commit(sha: string): Promise<string | undefined>;
  /** Those of the paths (relative to the work tree) that git ignores. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

/** An agent proposes several things at once: for so long the commit that was checked out is not asked for again. */
const headAgeMs = 2_000;

/** The repository a work tree belongs to, asked through the git program, whose environment variables are not passed on. */
export function repositoryAt(workTree: string): Repository {
  let opened: Promise<SimpleGit> | undefined;
  const ask = async (...args: string[]) => {
    try {
      return (await (await (opened ??= open(workTree))).raw(args)).trim();
    } catch (error) {
      if (isWithoutGit(error)) return ''; // ordinary: there is then no commit, and nothing is ignored
      throw error;
    }
  };
  const commitOf = async (name: string) => (await ask('rev-parse', '--verify', '--quiet', `${name}^{commit}`)) || undefined;
  let head: { readonly asked: number; readonly commit: Promise<string | undefined> } | undefined;
  return {
    head: () => {
      if (head === undefined || performance.now() - head.asked > headAgeMs) head = { asked: performance.now(), commit: commitOf('HEAD') };
      return head.commit;
    },
    commit: commitOf,
    ignored: async (paths) => {
      // A line for every path in order: file, line and text of the pattern that decides, or `::` where none does. (Without
      // --non-matching git often prints nothing, and the library waits a while for a program that prints nothing.)
      const lines = (await ask('-c', 'core.quotePath=false', 'check-ignore', '--verbose', '--non-matching', '--', ...paths)).split('\n');
      return new Set(paths.filter((_, index) => /^.*?:\d+:(?!!)/.test(lines[index] ?? '')));
    },
  };
}

/** What git needs of the environment. Anything else could lead it elsewhere (`GIT_DIR`) or make it run other programs. */
const passedOn = ['PATH', 'Path', 'HOME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'XDG_CONFIG_HOME'];

async function open(workTree: string): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git'); // not needed by a session that only reads
  const environment = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return simpleGit({ baseDir: workTree, timeout: { block: 10_000 } }).env({ ...environment, LC_ALL: 'C' });
}

/** No repository here, no git on this machine, or a repository of another owner that git will not look into. */
const isWithoutGit = (error: unknown): boolean =>
  error instanceof Error && /not a git repository|ENOENT|dubious ownership/.test(error.message);
