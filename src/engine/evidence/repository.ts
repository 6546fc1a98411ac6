/**
 * What is asked of git: the commit a work tree stands on, whether a commit is there, whether paths are ignored.
 *
 * Most of it is in the repository's files (`git-files`); the program is asked what they do not say plainly.
 * The program is run by itself and not through a library: a repository's own configuration is not to be trusted, and can name programs
 * for git to run (`core.fsmonitor`, a remote's `uploadpack` for a missing object). So git is told which repository it works on, that it
 * may fetch nothing, and gets no variable of the agent's but those it needs; and it is only run where there is a repository at all.
 */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { evidenceUnresolved } from '../errors';
import { locate } from '../scope/locate';
import { headFrom, trackedAmong } from './git-files';

export interface Repository {
  /** The full id of the checked-out commit; undefined without a repository or without any commit. */
  head(): Promise<string | undefined>;
  /** The full id of a commit given by its id or the start of it; undefined when this repository does not have it. */
  commit(sha: string): Promise<string | undefined>;
  /** Whether a commit, given by its full id, is in this repository; undefined where nobody can say: no repository, no git, a shallow clone. */
  has(sha: string): Promise<boolean | undefined>;
  /**
   * Those of the paths (relative to the work tree) that git ignores.
   * @throws `evidence_unresolved` when there is a repository and git cannot say.
   */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

/** An agent proposes several things at once: for so long what git said of the checked-out commit is not asked again. */
const headAgeMs = 2_000;

/** The repository whose work tree this is, looked up each time: a folder can become one while a session runs. */
export function repositoryAt(workTree: string): Repository {
  const here = () => {
    const place = locate(workTree);
    return place.workTree === workTree && place.gitDirectory !== undefined ? { ...place, gitDirectory: place.gitDirectory } : undefined;
  };
  const askCommit = async (name: string) => {
    const place = here();
    return place && runGit(workTree, place.gitDirectory, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  };
  const commitOf = async (name: string) => {
    const found = (await askCommit(name))?.output.trim();
    return found === '' ? undefined : found;
  };
  let asked: { readonly at: number; readonly commit: Promise<string | undefined> } | undefined;
  const askHead = () => {
    if (asked === undefined || performance.now() - asked.at > headAgeMs) asked = { at: performance.now(), commit: commitOf('HEAD') };
    return asked.commit;
  };
  return {
    head: async () => {
      const place = here();
      return place && ((await headFrom(place)) ?? askHead());
    },
    commit: async (sha) => {
      const found = await commitOf(sha);
      return found?.startsWith(sha) === true ? found : undefined; // a branch may be called like the start of an id
    },
    has: async (sha) => {
      const answer = await askCommit(sha);
      if (answer?.code === 0) return answer.output.trim() === sha;
      const place = here();
      return answer?.code === 1 && place !== undefined && !existsSync(join(place.identity, 'shallow')) ? false : undefined;
    },
    ignored: async (paths) => {
      const place = here();
      if (place === undefined) return new Set();
      const tracked = await trackedAmong(paths, place.gitDirectory);
      const doubtful = paths.filter((path) => !tracked.has(path));
      if (doubtful.length === 0) return new Set();
      const input = doubtful.map((path) => `./${path}\0`).join(''); // ./, so that none is read as magic
      const { code, output } = await runGit(workTree, place.gitDirectory, ['check-ignore', '-z', '--stdin'], input);
      if (code > 1) throw evidenceUnresolved('Git could not say whether the file is ignored, so it cannot be looked at.');
      return new Set(output.split('\0').flatMap((path) => (path.startsWith('./') ? [path.slice(2)] : [])));
    },
  };
}

/** Keys whose values git would run, or that would make it ask others. */
const harmless = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.alternateRefsCommand=',
  '-c',
  'safe.bareRepository=explicit',
];

/** What git needs of the environment. */
const passedOn = ['PATH', 'Path', 'HOME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'XDG_CONFIG_HOME'];

function runGit(workTree: string, gitDirectory: string, args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  const git = gitOutside(workTree);
  if (git === undefined) return Promise.resolve({ code: 127, output: '' });
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const confined = {
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
  return new Promise((resolve) => {
    const child = execFile(
      git,
      ['--git-dir', gitDirectory, '--work-tree', workTree, ...harmless, ...args],
      { cwd: workTree, env: { ...env, ...confined }, encoding: 'utf8', timeout: 10_000, maxBuffer: 4 * 2 ** 20, windowsHide: true },
      (error, output) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 128, output });
      },
    );
    child.stdin?.on('error', () => undefined); // it ended without reading, and its code says why
    child.stdin?.end(input);
  });
}

let known: { readonly path: string | undefined; readonly git: string | undefined } | undefined;

/** The git program, by PATH, but never one that lies in the work tree itself. */
function gitOutside(workTree: string): string | undefined {
  const path = process.env['PATH'] ?? process.env['Path'];
  if (known?.path !== path) {
    const name = process.platform === 'win32' ? 'git.exe' : 'git';
    const found = (path ?? '')
      .split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, name));
    known = { path, git: found.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true) };
  }
  const git = known?.git;
  return git === undefined || !relative(workTree, git).startsWith('..') ? undefined : git;
}
