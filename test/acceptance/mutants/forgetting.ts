/** Forgetting: the words leave each table, the bytes below, the backups and the record of questions. */
import { erasures } from '../../../src/engine/ledger/erase';
import type { Edit, Mutant, NamedTest } from './mutant';

const forgotten = (title: string): NamedTest => ({ spec: 'test/engine/ledger/erase.test.ts', title });
const swept = (title: string): NamedTest => ({ spec: 'test/engine/store/sweep.test.ts', title });
const sweep = 'src/engine/store/sweep.ts';
const negative = { mark: 'negative_eval' } as const;

/** Leaves one table out of the forgetting. */
const table = (name: keyof typeof erasures): Mutant => ({
  name: `the erasing of ${name}`,
  ...negative,
  file: 'src/engine/ledger/erase.ts',
  in: 'eraseWords',
  find: 'Object.values(erasures)',
  replace: `Object.entries(erasures).flatMap(([name, sql]) => (name === '${name}' ? [] : [sql]))`,
  tests: [forgotten(`the table ${name}`)],
});

const movedOut: Edit = {
  file: 'src/engine/ledger/apply.ts',
  in: 'applyStep',
  find: 'if (memory !== undefined && moves) await',
  replace: "if (memory !== undefined && moves && act !== 'forget') await",
};

const unsaid: Edit = {
  file: 'src/engine/engine.ts',
  find: 'if (forgotten.length > 0) await eraseTexts(tx, sought.contains);',
  replace: 'void eraseTexts;',
};

/** What takes the words out of a table besides: the act itself out of what is served, the look for words out of texts about others. */
const besides: Readonly<Partial<Record<keyof typeof erasures, readonly Edit[]>>> = {
  served_index: [movedOut],
  reasons: [unsaid],
  challenges: [unsaid],
};

export const forgetting: readonly Mutant[] = [
  ...(Object.keys(erasures) as (keyof typeof erasures)[]).map((name): Mutant => {
    const behind = besides[name];
    return behind === undefined ? table(name) : { ...table(name), behind };
  }),
  {
    name: 'the sweep below the tables',
    ...negative,
    file: 'src/engine/forgetting.ts',
    in: 'finishErasures',
    find: 'await sweep(database)',
    replace: "(void sweep, 'done' as string)",
    tests: [forgotten('takes them out of every byte of the store')],
  },
  {
    name: 'old segments of the full-text index are merged',
    ...negative,
    file: sweep,
    in: 'rebuild',
    find: `for (const { name } of indexes) await writer.exec(\`INSERT INTO "\${String(name)}" ("\${String(name)}") VALUES ('optimize')\`);`,
    replace: 'void indexes;',
    tests: [swept('takes erased words out of the file, the journal and the shared memory')],
  },
  {
    name: 'free pages are built anew',
    ...negative,
    file: sweep,
    in: 'rebuild',
    find: "await writer.exec('VACUUM');",
    replace: '',
    tests: [swept('reaches what a program left in free pages')],
  },
  {
    name: 'the journal is cut',
    ...negative,
    file: sweep,
    in: 'sweep',
    find: "return (await cutWithPatience(writer)) ? 'done' : 'held';",
    replace: "return 'done';",
    tests: [swept('takes erased words out of the file, the journal and the shared memory')],
  },
  {
    name: 'a held journal is said to be held',
    ...negative,
    file: sweep,
    in: 'sweep',
    find: "if (!(await cutWithPatience(writer))) return 'held';",
    replace: "if (!(await cutWithPatience(writer))) return 'done';",
    tests: [swept('says that it is held while another program reads')],
  },
  {
    name: 'the backups are rewritten',
    ...negative,
    file: 'src/engine/forgetting.ts',
    in: 'finishErasures',
    find: 'await rewriteBackups(database.file, async (tx) =>',
    replace: '(void rewriteBackups, (_: unknown) => ({ failed: [] as string[] }))(async (tx: Statements) =>',
    tests: [forgotten('takes them out of the backups')],
  },
  {
    name: 'texts about other memories lose the words',
    ...negative,
    ...unsaid,
    tests: [
      {
        spec: 'test/engine/forget/forget.test.ts',
        title: 'takes its words out of what was written about others, in the backups too, and leaves the rest of that',
      },
    ],
  },
  {
    name: 'texts about other memories lose the words in backups',
    ...negative,
    file: 'src/engine/forgetting.ts',
    find: 'await eraseTextsInCopy(tx, left);',
    replace: 'void [eraseTextsInCopy, left];',
    tests: [
      {
        spec: 'test/engine/forget/forget.test.ts',
        title: 'takes its words out of what was written about others, in the backups too, and leaves the rest of that',
      },
    ],
  },
  {
    name: 'questions in backups are blanked',
    ...negative,
    file: 'src/engine/forgetting.ts',
    in: 'forgetIn',
    find: 'await eraseEveryQuestion(tx);',
    replace: 'void eraseEveryQuestion;',
    tests: [forgotten('in a backup, every question')],
  },
  {
    name: 'questions that it answered are blanked',
    ...negative,
    file: 'src/engine/engine.ts',
    in: 'openStore',
    find: 'await eraseQuestions(tx, grant, sought, await questionsTouching(tx, grant, sought));',
    replace: 'void [eraseQuestions, questionsTouching, sought];',
    tests: [forgotten('the questions that it answered or that hold its words')],
  },
  {
    name: 'questions that were ticked are blanked',
    ...negative,
    file: 'src/engine/engine.ts',
    in: 'openStore',
    find: 'await eraseNamedQuestions(tx, questions);',
    replace: 'void [eraseNamedQuestions, questions];',
    tests: [forgotten('the questions that the person ticked')],
  },
];
