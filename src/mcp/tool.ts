/** A tool as a value: what an agent is told about it, and what it asks of the engine. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { AgentAccess } from '../engine';

/** What a call does to memory. */
export type ToolKind = 'read' | 'propose' | 'doubt' | 'report';

export interface ToolOf<T extends object> {
  readonly name: string;
  readonly title: string;
  /** The first sentence stands alone, since clients shorten the rest. */
  readonly description: string;
  readonly kind: ToolKind;
  /** Only shown to the agent; the engine does the parsing, once. */
  readonly input: z.ZodType;
  /** What a field's name and form do not say, by field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly output: z.ZodType;
  readonly ask: (agent: AgentAccess, asked: unknown) => Promise<T>;
  readonly text: (answer: T, now: Date) => string;
}

/** The answer twice, since some clients read only one of the two: as data, and as text for a model. */
export interface Answer {
  readonly data: object;
  readonly text: string;
}

export interface Tool extends Omit<ToolOf<object>, 'ask' | 'text'> {
  readonly answer: (agent: AgentAccess, asked: unknown) => Promise<Answer>;
}

export function tool<T extends object>({ ask, text, ...told }: ToolOf<T>): Tool {
  return {
    ...told,
    answer: async (agent, asked) => {
      const data = await ask(agent, asked);
      return { data, text: text(data, new Date()) };
    },
  };
}

/** A memory is a closed world, and nothing that an agent may call destroys anything. */
export const annotations = {
  read: { readOnlyHint: true, openWorldHint: false },
  propose: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // The same doubt waits once, and the last report on a memory counts.
  doubt: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  report: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} as const satisfies Record<ToolKind, ToolAnnotations>;
