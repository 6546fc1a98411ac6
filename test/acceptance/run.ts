/** `npm run acceptance`: asks the whole protocol through the real doors, prints the matrix, and ends with what was counted. */
import { asMain } from '../../scripts/project';
import { toolsOf } from './doors/agents';
import { jobs } from './doors/jobs';
import { Matrix } from './matrix';
import { correctionRows, retractionRow } from './rows/correction';
import { deletionSteps } from './rows/deletion';
import { evidenceRows } from './rows/evidence';
import { gatewayRows } from './rows/gateway';
import { promptRows } from './rows/prompt';
import { retrievalRows } from './rows/retrieval';
import { scopeRows } from './rows/scope';
import { tombstoneRows } from './rows/tombstones';
import { protocol, scoreRow, scores, shapes, type Score } from './protocol';
import { absentColumns } from './surfaces';
import { World } from './world';

/** Everything that needs no editor: the agents' tools, the housekeeping, the tables and bytes. */
export async function askWithoutEditor(matrix: Matrix): Promise<void> {
  const world = await World.make();
  try {
    await everyMember(matrix, world);
    await correctionRows(matrix, world);
    sumCorrection(matrix);
  } finally {
    await world.close();
  }
  for (const rows of [scopeRows, evidenceRows, gatewayRows, tombstoneRows, retractionRow, retrievalRows, promptRows]) await rows(matrix);
  const deletion = await World.make();
  try {
    await deletionSteps(matrix, deletion, undefined);
  } finally {
    await deletion.close();
  }
}

async function everyMember(matrix: Matrix, world: World): Promise<void> {
  await matrix.ask('every member has a probe', 'M', async ({ control, none }) => {
    const { reads, writes, unprobed } = await toolsOf(await world.server());
    control('the server lists tools that read and tools that write', reads.length > 0 && writes.length > 0);
    none('tools without a probe', unprobed);
  });
  // The table of jobs is kept complete by the compiler.
  await matrix.ask('every member has a probe', 'J', ({ control, must }) => {
    control('there are jobs', jobs.length > 0);
    must('each of them is run', jobs.length === new Set(jobs).size);
  });
}

export function sumCorrection(matrix: Matrix): void {
  const rows = shapes.flatMap((shape) => Object.keys(scores).map((score) => scoreRow(shape, score as Score)));
  matrix.sum('correction.survives_reindex', rows);
}

asMain(import.meta.url, async () => {
  const matrix = new Matrix(await absentColumns(false));
  await askWithoutEditor(matrix);
  const { lines, failed } = matrix.print();
  console.log(lines.join('\n'));
  if (failed > 0) process.exitCode = 1;
  if (Object.keys(protocol).length === 0) throw new Error('The protocol asks nothing.');
});
