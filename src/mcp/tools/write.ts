/** The tools that ask a person for something. None of them decides anything. */
import * as z from 'zod';
import { contestSchema, fenced, harmless, proposalFields, requestRetireSchema, type ChallengeReceipt, type Receipt } from '../../engine';
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
  slots: z.array(z.object({ subject: z.string(), predicate: z.string() })).optional(),
  rejectedElsewhere: z.array(z.string()).optional(),
});

const challengeReceipt = z.object({ id: z.string(), memory: z.string(), state: z.literal('waiting'), duplicate: z.boolean() });

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

export const contest = tool({
  name: 'memory_contest',
  title: 'Contest a memory',
  description:
    'Tell the person that a memory looks wrong, with evidence; they decide. ' +
    'Until then it stands, and readers see only that a challenge waits. To offer what holds instead, use memory_propose with replaces.',
  kind: 'doubt',
  input: contestSchema,
  fields: { with: 'id of the memory it contradicts', evidence: 'what says otherwise' },
  output: challengeReceipt,
  ask: (agent, asked) => agent.contest(asked),
  text: challengeText,
});

export const requestRetire = tool({
  name: 'memory_request_retire',
  title: 'Ask to retire a memory',
  description: 'Ask the person to retire a memory that held once and holds no longer; they decide.',
  kind: 'doubt',
  input: requestRetireSchema,
  fields: {},
  output: challengeReceipt,
  ask: (agent, asked) => agent.requestRetire(asked),
  text: challengeText,
});

function receiptText(given: Receipt): string {
  const { id, state, replayed, duplicate } = given;
  const what = duplicate ? 'The same memory was here already' : replayed ? 'This was proposed before' : 'Proposed';
  const now = state === 'pending' ? 'it waits for a person and is not recalled until they let it stand' : `it is ${state}`;
  const near = nearText(given);
  return [`${what}: ${id}; ${now}.`, ...(near.length === 0 ? [] : [fenced(harmless(near.join('\n')))])].join('\n');
}

/** What is near a proposal, a line each. */
function nearText({ conflicts, resembles, replacedBefore, slots = [], rejectedElsewhere = [] }: Receipt): string[] {
  const lines = (what: string, hints: Receipt['conflicts']) =>
    hints.map(({ id, state, date, title }) => `${what}: ${id} · ${state} since ${date}${title === undefined ? '' : ` · ${title}`}`);
  return [
    ...lines('conflicts with', conflicts),
    ...lines('replaced before', replacedBefore),
    ...lines('resembles', resembles),
    ...rejectedElsewhere.map((scope) => `rejected in ${scope}`),
    ...slots.map(({ subject, predicate }) => `slot in use: ${subject} | ${predicate}`),
  ];
}

function challengeText({ id, memory, duplicate }: ChallengeReceipt): string {
  const what = duplicate ? 'The same challenge was waiting already' : 'Passed on to the person';
  return `${what}: ${id}, about ${memory}; the memory stands until they decide, and readers see only that a challenge waits.`;
}
