/** What an agent may say of the answers it was given. */
import * as z from 'zod';

export const reportUseSchema = z.strictObject({
  recallId: z.uuid(),
  ids: z.array(z.uuid()).min(1, 'names none').max(20),
  helped: z.boolean().optional(),
});
export type ReportUse = z.infer<typeof reportUseSchema>;
