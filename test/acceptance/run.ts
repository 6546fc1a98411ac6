/** `npm run acceptance`: asks the whole protocol through the real doors, prints the matrix, and ends with what was counted. */
import { madePackage, makePackage } from '../../scripts/package';
import { asMain } from '../../scripts/project';
import { toolsOf } from './doors/agents';
import { Studio } from './doors/editor';
import { jobs, unnamed } from './doors/jobs';
import { Matrix } from './matrix';
import { runMutants } from './mutants/run';
import { correctionRows, retractionRow } from './rows/correction';
import { deletionSteps } from './rows/deletion';
import { editorRows, shapesSeen } from './rows/editor';
import { evidenceRows } from './rows/evidence';
import { gatewayRows } from './rows/gateway';
import { promptRows } from './rows/prompt';
import { retrievalRows } from './rows/retrieval';
import { scopeRows } from './rows/scope';
import { tombstoneRows } from './rows/tombstones';
import { scoreRow, scores, shapes, type Score } from './protocol';
import { absentColumns } from './surfaces';
import { World } from './world';

const usage = `Asks the acceptance protocol through the real doors and prints the matrix.
  --no-build   use the package that is in out/ already
  --no-editor  only what needs no editor; its columns are unexercised then
  --mutants    take each mechanism out of a copy of the source instead, and see that a test fails`;

/** Everything that needs no editor: the agents' tools, the housekeeping, the tables and bytes. */
export async function askAgents(matrix: Matrix): Promise<void> {
  for (const rows of [membersRow, scopeRows, evidenceRows, gatewayRows, tombstoneRows, retractionRow, retrievalRows, promptRows])
    await rows(matrix);
}

/** The stories that every surface is asked about: the five contradictions, and the one deletion. */
export async function askStories(matrix: Matrix): Promise<void> {
  for (const story of [correctionRows, deletionSteps]) {
    const world = await World.make();
    try {
      await story(matrix, world, undefined);
    } finally {
      await world.close();
    }
  }
  sumCorrection(matrix);
}

/** The same stories in folders that a real editor has open, and what only the editor is asked. */
export async function askInEditor(matrix: Matrix): Promise<void> {
  const studio = await Studio.open();
  try {
    await editorRows(matrix, studio);
    const corrected = await studio.world('workshop');
    try {
      const told = await correctionRows(matrix, corrected);
      const eyes = await studio.eyes(corrected);
      await shapesSeen(matrix, eyes, told);
      await eyes.close();
    } finally {
      await corrected.close();
    }
    const deletion = await studio.world('ferry');
    try {
      await deletionSteps(matrix, deletion, await studio.eyes(deletion));
    } finally {
      await deletion.close();
    }
  } finally {
    await studio.close();
  }
  sumCorrection(matrix);
}

async function membersRow(matrix: Matrix): Promise<void> {
  const world = await World.make();
  try {
    await matrix.ask('every member has a probe', 'M', async ({ control, none }) => {
      const { reads, writes, unprobed } = await toolsOf(await world.server());
      control('the server lists tools that read and tools that write', reads.length > 0 && writes.length > 0);
      none('tools without a probe', unprobed);
    });
    await matrix.ask('every member has a probe', 'J', ({ control, none }) => {
      control('there are jobs', jobs.length > 0);
      none('functions of the doors that nobody has named', unnamed(world.engine));
    });
  } finally {
    await world.close();
  }
}

function sumCorrection(matrix: Matrix): void {
  const rows = shapes.flatMap((shape) => Object.keys(scores).map((score) => scoreRow(shape, score as Score)));
  matrix.sum('correction.survives_reindex', rows);
}

asMain(import.meta.url, async () => {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    return;
  }
  if (args.includes('--mutants')) {
    if ((await runMutants()) > 0) process.exitCode = 1;
    return;
  }
  const editor = !args.includes('--no-editor');
  // Whole runs test what ships: the package, with its own server.
  if (editor) process.env['STET_VSIX'] = args.includes('--no-build') ? madePackage() : await makePackage();
  const matrix = new Matrix(await absentColumns(editor));
  for (const part of editor ? [askAgents, askInEditor] : [askAgents, askStories])
    await part(matrix).catch((error: unknown) => {
      // What was not asked because of it is failed in the matrix.
      console.error(error);
    });
  const { lines, failed } = matrix.print();
  console.log(lines.join('\n'));
  if (failed > 0) process.exitCode = 1;
});
