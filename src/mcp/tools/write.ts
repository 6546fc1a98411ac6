/** The tools that ask a person for something. None of them decides anything. */
import * as z from 'zod';
import { proposalFields, type Receipt } from '../../engine';
import { tool } from '../tool';

const hints = z.array(z.object({ id: z.string(), state: z.string(), date: z.string(), title: z.string().optional() }));

const receipt = z.object({
  id: z.string(),
  state: z.string(),
  replayed: z.boolean(),
  duplicate: z.boolean(),
  resembles: hints,
  replacedBefore: hints,
  conflicts: hints,
});

export const propose = tool({
  name: 'memory_propose',
  title: 'Propose a memory',
  description:
    'Propose durable project knowledge for a person to approve; until then no agent can read it. ' +
    'For what later work must know and the code does not say: what was decided and why, what must hold, what went wrong. ' +
    'Task notes belong in your own memory, secrets nowhere. One idea each, resting on evidence that exists; what a person said is a quote. ' +
    'All kinds but decision and fact need appliesWhen; a workflow needs steps.',
  kind: 'propose',
  input: proposalFields,
  fields: {
    title: 'one line',
    statement: 'what holds, readable on its own',
    alternatives: 'not taken',
    anchors: 'code it applies to',
    scope: '"workspace" or "path:<folder>/"',
    replaces: 'ids it makes obsolete',
    commandId: 'same id on a retry: no second proposal',
  },
  output: receipt,
  ask: (agent, asked) => agent.propose(asked),
  text: receiptText,
});

function receiptText({ id, state, replayed, duplicate }: Receipt): string {
  const what = duplicate ? 'The same memory was here already' : replayed ? 'This was proposed before' : 'Proposed';
  const now = state === 'pending' ? 'it waits for a person and is not recalled until they let it stand' : `it is ${state}`;
  return `${what}: ${id}; ${now}.`;
}
