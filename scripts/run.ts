import { spawn, type SpawnOptions } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** Show what the program prints as it prints it, instead of keeping it for the error. */
  readonly loud?: boolean;
}

/** Runs a program to its end and returns what it printed. Fails with its last lines when it fails. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const settings: SpawnOptions = {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: options.loud ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, settings);
    let printed = '';
    child.stdout?.on('data', (text: Buffer) => (printed += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (printed += text.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${program} ${args.join(' ')} ${ending(code, signal, options)}\n${lastLines(printed)}`.trim()));
    });
  });
}

const ending = (code: number | null, signal: string | null, options: RunOptions): string =>
  code !== null
    ? `ended with ${code}.`
    : options.timeoutMs
      ? `was stopped (${signal}) after ${options.timeoutMs / 1000} s.`
      : `was stopped by ${signal}.`;

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-15).join('\n');

/**
 * The npm that started this script, or the one on PATH, as a program and its first arguments.
 * Always started through Node where possible, so that it also works where `npm` is a shell wrapper.
 */
export function npm(...args: string[]): [program: string, args: string[]] {
  const cli = process.env['npm_execpath'];
  return cli?.endsWith('npm-cli.js') ? [process.execPath, [cli, ...args]] : ['npm', args];
}

/** The environment without what an outer `npm run` added about its own package. */
export function environmentForNpm(): NodeJS.ProcessEnv {
  const fromOuterRun = /^npm_(package|lifecycle|config_local_prefix|config_global_prefix|config_prefix)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !fromOuterRun.test(name) && name !== 'INIT_CWD'));
}
