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

/** The repository a work tree belongs to, asked through the git program, whose environment variables are not passed on. */
export function repositoryAt(workTree: string): Repository {
  let opened: Promise<SimpleGit> | undefined;
  const git = () => (opened ??= open(workTree));
  // A work tree without git, or a machine without it, is ordinary: there is then no commit and nothing is ignored.
  const ask = async (...args: string[]) => {
    try {
      return (await (await git()).raw(args)).trim();
    } catch {
      return '';
    }
  };
  return {
    head: async () => (await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')) || undefined,
    commit: async (sha) => (await ask('rev-parse', '--verify', '--quiet', `${sha}^{commit}`)) || undefined,
    ignored: async (paths) =>
      new Set((await ask('-c', 'core.quotePath=false', 'check-ignore', '--', ...paths)).split('\n').filter((line) => line !== '')),
  };
}

async function open(workTree: string): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git'); // not needed by a session that only reads
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return simpleGit({ baseDir: workTree, timeout: { block: 10_000 } }).env({ ...environment, LC_ALL: 'C' });
}
