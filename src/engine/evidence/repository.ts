/**
 * What is asked of git: the commit a work tree stands on, whether a commit is there, whether paths are ignored.
 *
 * The program is run by itself and not through a library: a repository's own configuration is not to be trusted, and can name programs
 * for git to run (`core.fsmonitor`, a remote's `uploadpack` for a missing object). So git is told which repository it works on, that it
 * may fetch nothing, and gets no variable of the agent's but those it needs; and it is only run where there is a repository at all.
 */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { evidenceUnresolved } from '../errors';
import { locate } from '../scope/locate';

export interface Repository {
  /** The full id of the checked-out commit; undefined without a repository or without any commit. */
  head(): Promise<string | undefined>;
  /** The full id of a commit given by its id or the start of it; undefined when this repository does not have it. */
  commit(sha: string): Promise<string | undefined>;
  /**
   * Those of the paths (relative to the work tree) that git ignores.
   * @throws `evidence_unresolved` when there is a repository and git cannot say.
   */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

/** An agent proposes several things at once: for so long the commit that was checked out is not asked for again. */
const headAgeMs = 2_000;

/** The repository whose work tree this is, looked up each time: a folder can become one while a session runs. */
export function repositoryAt(workTree: string): Repository {
  const ask = async (args: readonly string[], input = '') => {
    const place = locate(workTree);
    const here = place.workTree === workTree ? place.gitDirectory : undefined;
    return here === undefined ? undefined : runGit(workTree, here, args, input);
  };
  const commitOf = async (name: string) => {
    const answer = await ask(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
    const found = answer?.output.trim();
    return found === '' ? undefined : found;
  };
  let head: { readonly asked: number; readonly commit: Promise<string | undefined> } | undefined;
  return {
    head: () => {
      if (head === undefined || performance.now() - head.asked > headAgeMs) head = { asked: performance.now(), commit: commitOf('HEAD') };
      return head.commit;
    },
    commit: async (sha) => {
      const found = await commitOf(sha);
      return found?.startsWith(sha) === true ? found : undefined; // a branch may be called like the start of an id
    },
    ignored: async (paths) => {
      const answer = await ask(['check-ignore', '-z', '--stdin'], paths.map((path) => `./${path}\0`).join(''));
      if (answer === undefined) return new Set();
      const { code, output } = answer;
      if (code > 1) throw evidenceUnresolved('Git could not say whether the file is ignored, so it cannot be looked at.');
      return new Set(output.split('\0').flatMap((path) => (path.startsWith('./') ? [path.slice(2)] : []))); // ./, so that none is read as magic
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

function runGit(workTree: string, gitDirectory: string, args: readonly string[], input: string): Promise<{ code: number; output: string }> {
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
