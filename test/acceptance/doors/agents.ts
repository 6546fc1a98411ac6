/** The agents' door: how each tool that the server lists is asked for a memory, and how it is tempted to write what it must not. */
import type { Connection, Reply } from '../../mcp/support/client';
import { aProposal } from '../../support/store';

/** A memory that is looked for. */
export interface Subject {
  readonly id: string;
  /** The canary in its title and its statement. */
  readonly token: string;
  /** Words of it that others share. */
  readonly topic: string;
  /** A file it is anchored to. */
  readonly path: string;
  readonly slot?: { readonly subject: string; readonly predicate: string };
  /** What it is asked by, where a question with the canary would itself be words that are kept. */
  readonly question?: string;
}

/** Everything that went out in one reply. */
export interface Reading {
  readonly by: string;
  readonly text: string;
}

type Ask = (at: Connection, subject: Subject) => Promise<Record<string, unknown>[]>;

/** What each reading tool is asked, so that a memory that may be read shows itself. */
const readProbes: Readonly<Record<string, Ask>> = {
  memory_search: (_, { token, topic, path, question = token }) =>
    Promise.resolve([
      { query: question, k: 20, maxTokens: 4_000 },
      { query: `${question} ${topic}`, path, k: 20, maxTokens: 4_000 },
    ]),
  memory_for_file: (_, { path }) => Promise.resolve([{ path, k: 20 }]),
  memory_get: (_, { id }) => Promise.resolve([{ id }]),
  memory_history: (_, { id, slot }) => Promise.resolve([{ id }, ...(slot === undefined ? [] : [{ claim: slot }])]),
};

/** What a writing tool is asked, so that its receipt would tell of a memory that may not be read. */
const receiptProbes: Readonly<Record<string, Ask>> = {
  memory_propose: (_, { topic, slot }) =>
    Promise.resolve([
      {
        ...aProposal({ title: `Near ${topic}`, statement: `Something else of ${topic}, nearly.` }),
        ...(slot && { claim: { ...slot, object: 'other' } }),
      },
    ]),
  memory_contest: (_, { id }) => Promise.resolve([{ id, reason: 'It is doubtful.', evidence: [{ kind: 'issue', ref: '#1' }] }]),
  memory_request_retire: (_, { id }) => Promise.resolve([{ id, reason: 'It is over.' }]),
  memory_report_use: (_, { id }) => Promise.resolve([{ recallId: crypto.randomUUID(), ids: [id] }]),
};

export interface ToolsThere {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Listed tools that nothing here knows how to ask. */
  readonly unprobed: readonly string[];
}

/** The tools as the server lists them. */
export async function toolsOf(at: Connection): Promise<ToolsThere> {
  const { tools } = await at.client.listTools();
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
  const writes = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
  const probed = (name: string) => (reads.includes(name) ? name in readProbes : name in receiptProbes && name in temptations);
  return { reads, writes, unprobed: [...reads, ...writes].filter((name) => !probed(name)) };
}

/** What every reading tool gives out of a memory. */
export async function readings(at: Connection, subject: Subject): Promise<Reading[]> {
  return asked(at, (await toolsOf(at)).reads, readProbes, subject);
}

/** What the receipts of every writing tool give out of a memory. It leaves a proposal behind, without the canary. */
export async function receipts(at: Connection, subject: Subject): Promise<Reading[]> {
  return asked(at, (await toolsOf(at)).writes, receiptProbes, subject);
}

async function asked(
  at: Connection,
  tools: readonly string[],
  probes: Readonly<Record<string, Ask>>,
  subject: Subject,
): Promise<Reading[]> {
  const all: Reading[] = [];
  for (const tool of tools)
    for (const args of (await probes[tool]?.(at, subject)) ?? []) all.push({ by: tool, text: wholeText(await at.call(tool, args)) });
  return all;
}

export const wholeText = ({ data, text }: Reply): string => `${JSON.stringify(data)}\n${text}`;

/** Where the token is. */
export const holding = (all: readonly Reading[], token: string): string[] => [
  ...new Set(all.filter(({ text }) => text.includes(token)).map(({ by }) => by)),
];

/** Where it is missing. */
export const lacking = (all: readonly Reading[], token: string): string[] => {
  const has = holding(all, token);
  return [...new Set(all.map(({ by }) => by))].filter((by) => !has.includes(by));
};

/** What a writing tool must refuse, and the lawful call that it must take. */
export interface Temptation {
  readonly what: string;
  readonly args: Record<string, unknown>;
  /** The codes it may be refused with. */
  readonly codes: readonly string[];
  /** Whether the refusal is an event of the ledger. */
  readonly noted: boolean;
}

/** What there is to be tempted with. */
export interface Bait {
  readonly rejected: string;
  readonly secret: string;
  /** A memory that stands, and one beyond the grant. */
  readonly standing: string;
  readonly foreign: string;
  readonly recallId: string;
}

interface Tempted {
  readonly refused: readonly Temptation[];
  readonly lawful: Record<string, unknown>;
}

const pointer = [{ kind: 'issue', ref: '#7' }];

export const temptations: Readonly<Record<string, (bait: Bait) => Tempted>> = {
  memory_propose: ({ rejected, secret }) => ({
    refused: [
      { what: 'a rejected value', args: aProposal({ statement: rejected }), codes: ['rejected_before'], noted: true },
      { what: 'a secret', args: aProposal({ statement: `Call it with ${secret}.` }), codes: ['secret_refused'], noted: true },
      { what: 'a state of its own', args: { ...aProposal(), state: 'active' }, codes: ['invalid_input'], noted: true },
      { what: 'a foreign scope', args: aProposal({ scope: 'path:packages/b/' }), codes: ['outside_grant'], noted: true },
      { what: 'the scope of everything', args: aProposal({ scope: 'user' }), codes: ['outside_grant'], noted: true },
    ],
    lawful: aProposal(),
  }),
  memory_contest: ({ secret, standing, foreign }) => ({
    refused: [
      { what: 'a secret', args: { id: standing, reason: `Since ${secret}.`, evidence: pointer }, codes: ['secret_refused'], noted: true },
      {
        what: 'an answer of its own',
        args: { id: standing, reason: 'So.', evidence: pointer, state: 'contested' },
        codes: ['invalid_input'],
        noted: true,
      },
      { what: 'a foreign memory', args: { id: foreign, reason: 'So.', evidence: pointer }, codes: ['not_found'], noted: true },
    ],
    lawful: { id: standing, reason: 'The file says otherwise.', evidence: pointer },
  }),
  memory_request_retire: ({ secret, standing, foreign }) => ({
    refused: [
      { what: 'a secret', args: { id: standing, reason: `Since ${secret}.` }, codes: ['secret_refused'], noted: true },
      { what: 'an answer of its own', args: { id: standing, reason: 'So.', state: 'retired' }, codes: ['invalid_input'], noted: true },
      { what: 'a foreign memory', args: { id: foreign, reason: 'So.' }, codes: ['not_found'], noted: true },
    ],
    lawful: { id: standing, reason: 'It is over.' },
  }),
  // It changes no memory, so what it is refused is no event of the ledger.
  memory_report_use: ({ standing, foreign, recallId }) => ({
    refused: [
      { what: 'a state of its own', args: { recallId, ids: [standing], state: 'active' }, codes: ['invalid_input'], noted: false },
      {
        what: 'a recall of nobody',
        args: { recallId: crypto.randomUUID(), ids: [foreign] },
        codes: ['not_found', 'invalid_input'],
        noted: false,
      },
    ],
    lawful: { recallId, ids: [standing] },
  }),
};
