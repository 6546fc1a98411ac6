/** `npm test`: every check of the project, one after the other, and one line that sums them up. */
import { spawn } from 'node:child_process';
import { inProject } from '../scripts/project';

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** How many tests the output tells of; without it the check is one test. */
  readonly count?: (output: string) => Totals;
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const script = (file: string, ...args: string[]): readonly [string, ...string[]] => [process.execPath, '--import', 'tsx', file, ...args];
const installed = (file: string, ...args: string[]): readonly [string, ...string[]] => [
  process.execPath,
  inProject('node_modules', file),
  ...args,
];

const checks: readonly Check[] = [
  { name: 'Types', command: installed('typescript/bin/tsc', '--noEmit') },
  { name: 'Types of the pages', command: installed('typescript/bin/tsc', '--noEmit', '-p', 'webview-ui') },
  { name: 'Lint', command: installed('eslint/bin/eslint.js', '.') },
  { name: 'Format', command: installed('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '**/*.{ts,mjs,json,css}') },
  {
    name: 'Architecture, engine, server, torture',
    command: installed(
      'mocha/bin/mocha.js',
      'test/architecture.test.ts',
      'test/engine/**/*.test.ts',
      'test/mcp/**/*.test.ts',
      'test/editor/unit/**/*.test.ts',
      'test/scripts/**/*.test.ts',
      'test/torture/**/*.test.ts',
      'test/acceptance/*.test.ts',
    ),
    count: (output) => ({
      passed: numberBefore('passing', output),
      failed: numberBefore('failing', output),
      skipped: numberBefore('pending', output),
    }),
  },
  {
    name: 'In a real editor',
    command: script('test/editor/run.ts'),
    count: (output) => ({
      passed: numberBefore('passed', output),
      failed: numberBefore('failed', output),
      skipped: numberBefore('skipped', output),
    }),
  },
  { name: 'The tour', command: script('scripts/start.ts', '--tour') },
];

async function main(): Promise<void> {
  let total: Totals = { passed: 0, failed: 0, skipped: 0 };
  for (const check of checks) {
    console.log(`\n== ${check.name}`);
    const { code, output } = await run(check.command);
    const counted = check.count?.(output) ?? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
    // A runner that ends badly without naming a failed test has still failed.
    const failed = code !== 0 && counted.failed === 0 ? 1 : counted.failed;
    total = { passed: total.passed + counted.passed, failed: total.failed + failed, skipped: total.skipped + counted.skipped };
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** Runs a program, showing what it prints and keeping it. */
function run([program, ...args]: readonly [string, ...string[]]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: inProject(), stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      process.stdout.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output });
    });
  });
}

/** The last number that stands before a word, 0 where none does. */
function numberBefore(name: string, output: string): number {
  return Number([...output.matchAll(new RegExp(`(\\d+) ${name}\\b`, 'g'))].at(-1)?.[1] ?? 0);
}

void main();
