/** The tool by which an agent says what helped. Nothing that ranks or decides reads it; the person does. */
import * as z from 'zod';
import { reportUseSchema, type UseCounts } from '../../engine';
import { tool } from '../tool';

const counts = z.object({ recallId: z.string(), used: z.int(), helped: z.int(), notHelped: z.int() });

export const reportUse = tool({
  name: 'memory_report_use',
  title: 'Report what was used',
  description: 'Say which memories of one of your own replies you used, and whether they helped. Only the person sees it.',
  kind: 'report',
  input: reportUseSchema,
  fields: { recallId: 'of the reply', ids: 'those used' },
  output: counts,
  ask: (agent, asked) => agent.reportUse(asked),
  text: ({ recallId, used, helped, notHelped }: UseCounts) =>
    `Noted for recall ${recallId}: ${used} used, ${helped} helped, ${notHelped} did not.`,
});
