/**
 * Takes each mechanism that a guarantee rests on out of a copy of the source and runs the tests named beside it: one of them must fail,
 * by an assertion of its own, and all of them must pass while the source is as it is.
 */
import { asMain, inProject } from '../../../scripts/project';
import type { Mutant, NamedTest } from './mutant';
import { aScratch, type Scratch, type TestResult } from './scratch';
import { mutants } from './table';

type Verdict =
  | { readonly is: 'killed'; readonly by: string }
  | { readonly is: 'SURVIVED' | 'STALE' | 'BROKEN' | 'UNCONTROLLED'; readonly because: string };

/**
 * Runs all of them, one after the other, and prints a table.
 * @param only those whose name or mark holds this.
 * @returns how many were not killed.
 */
export async function runMutants(only = ''): Promise<number> {
  const chosen = mutants.filter(({ name, mark }) => name.includes(only) || mark === only);
  const scratch = aScratch(inProject());
  try {
    const controls = await controlled(chosen, scratch);
    const width = Math.max(...chosen.map(({ name }) => name.length));
    const verdicts: Verdict[] = [];
    for (const mutant of chosen) {
      const verdict = await verdictOn(mutant, controls, scratch);
      verdicts.push(verdict);
      const said = verdict.is === 'killed' ? `killed by ${verdict.by}` : `${verdict.is}: ${verdict.because}`;
      console.log(`${mutant.name.padEnd(width)}  ${mutant.mark.padEnd(14)}  ${said}`);
    }
    const count = (...kinds: readonly Verdict['is'][]) => verdicts.filter(({ is }) => kinds.includes(is)).length;
    const others = count('STALE', 'BROKEN', 'UNCONTROLLED');
    console.log(
      `\n${count('killed')} killed, ${count('SURVIVED')} survived${others === 0 ? '' : `, ${others} stale, broken or uncontrolled`}`,
    );
    return verdicts.length - count('killed');
  } finally {
    scratch.remove();
  }
}

/** Runs every named test on the source as it is. @returns what each spec's tests came to. */
async function controlled(chosen: readonly Mutant[], scratch: Scratch): Promise<ReadonlyMap<string, readonly TestResult[]>> {
  const titles = new Map<string, Set<string>>();
  for (const { spec, title } of chosen.flatMap(({ tests }) => tests)) titles.set(spec, (titles.get(spec) ?? new Set()).add(title));
  const results = new Map<string, readonly TestResult[]>();
  for (const [spec, named] of titles) results.set(spec, (await scratch.run(spec, [...named].map(literally).join('|'), false)) ?? []);
  return results;
}

async function verdictOn(mutant: Mutant, controls: ReadonlyMap<string, readonly TestResult[]>, scratch: Scratch): Promise<Verdict> {
  const unsound = mutant.tests.find(({ spec, title }) => !allPass(named(controls.get(spec) ?? [], title)));
  if (unsound !== undefined) return { is: 'UNCONTROLLED', because: `"${unsound.title}" does not pass, or is not there, without the edit` };
  const behind = mutant.behind ?? [];
  try {
    if (behind.length > 0) {
      if (!scratch.edit(behind)) return { is: 'STALE', because: 'what stands behind it is not found once' };
      for (const { spec, title } of mutant.tests)
        if (!allPass((await scratch.run(spec, literally(title), true)) ?? []))
          return { is: 'UNCONTROLLED', because: `"${title}" fails for what stands behind it alone` };
    }
    if (!scratch.edit([mutant])) return { is: 'STALE', because: `its text is not found once in ${mutant.file}` };
    return await judged(mutant.tests, scratch);
  } finally {
    scratch.restore();
  }
}

async function judged(tests: readonly NamedTest[], scratch: Scratch): Promise<Verdict> {
  let survived = '';
  for (const { spec, title } of tests) {
    const results = await scratch.run(spec, literally(title), true);
    const failed = results?.find(({ passed }) => !passed);
    if (failed === undefined) survived = results === undefined ? `${spec} did not end` : `${title} passes`;
    // A source that cannot run at all would fail any test, and says nothing.
    else if (failed.why !== 'ERR_ASSERTION') return { is: 'BROKEN', because: `${failed.title}: ${failed.why}` };
    else return { is: 'killed', by: `${spec}: ${failed.title}` };
  }
  return { is: 'SURVIVED', because: survived };
}

const named = (results: readonly TestResult[], title: string) => results.filter((result) => result.title.includes(title));
const allPass = (results: readonly TestResult[]) => results.length > 0 && results.every(({ passed }) => passed);
const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

asMain(import.meta.url, async () => {
  if ((await runMutants(process.argv[2])) > 0) process.exitCode = 1;
});
