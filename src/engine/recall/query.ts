/** What an agent may ask of recall. Schemas of the arguments, shared by everything that asks. */
import * as z from 'zod';
import { instant, limits, wellFormed } from '../domain/input';
import { kinds } from '../domain/memory';

export const searchSchema = z.strictObject({
  query: wellFormed(limits.query),
  k: z.int().min(1).max(20).default(8),
  kinds: z.array(z.enum(kinds)).max(kinds.length).optional(),
  tags: z.array(wellFormed(limits.tag)).max(limits.list).optional(),
  path: wellFormed(limits.path).optional(),
  since: instant.optional(),
  until: instant.optional(),
  validAt: instant.optional(),
  maxTokens: z.int().min(200).max(4_000).default(1_500),
});
export type Search = z.infer<typeof searchSchema>;

export const forFileSchema = z.strictObject({
  path: wellFormed(limits.path),
  k: z.int().min(1).max(20).default(8),
});
export type ForFile = z.infer<typeof forFileSchema>;

export const getSchema = z.strictObject({ id: wellFormed(200) });
