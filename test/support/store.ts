/** A fresh store over a fresh folder, as a test's own, with a person who decides and agents who propose. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  openEngine,
  StetError,
  type AgentAccess,
  type DecisionReceipt,
  type Engine,
  type ErrorCode,
  type PersonAccess,
  type PersonAct,
  type Proposal,
  type Reviewed,
  type SeenMemory,
} from '../../src/engine';
import type { Clock } from '../../src/engine/ports';
import { pinKeys, testKey, type TestKey } from './keys';

/** Acts on one memory that need no more than a reason. */
export type PlainAct = 'approve' | 'reject' | 'lapse' | 'retire' | 'contest' | 'lift' | 'undo';

export interface Bench {
  readonly folder: string;
  readonly root: string;
  readonly storeFile: string;
  readonly keysFile: string;
  readonly key: TestKey;
  readonly engine: Engine;
  readonly agent: AgentAccess;
  readonly person: PersonAccess;
  agentNamed(client: string): AgentAccess;
  /** Proposes and approves. */
  stand(proposal: Partial<Proposal>): Promise<string>;
  /** Decides on one memory as it is now, with a reason where the act needs one. */
  decide(act: PlainAct, id: string, reason?: string): Promise<DecisionReceipt>;
  /** A memory as the person sees it now, for an act. */
  seen(id: string): Promise<SeenMemory>;
  /** Opens the same store again, from another folder of the same work tree if asked. */
  reopen(options?: { root?: string; keysFile?: string | undefined }): Promise<Engine>;
  close(): Promise<void>;
}

/** @param files written below the root, by path. */
export async function aBench(
  files: Readonly<Record<string, string>> = { 'src/billing/invoice.ts': lines(40) },
  clock?: Clock,
): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'stet-test-'));
  const root = join(folder, 'work');
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const storeFile = join(folder, 'store', 'memory.db');
  const keysFile = join(folder, 'keys.json');
  const key = testKey();
  pinKeys(keysFile, key);
  const opened: Engine[] = [];
  const open = async (options: { root?: string; keysFile?: string | undefined } = {}) => {
    const engine = await openEngine({ storeFile, root, keysFile, ...(clock !== undefined && { clock }), ...options });
    opened.push(engine);
    return engine;
  };
  const engine = await open();
  const person = engine.forPerson();
  const agentNamed = (client: string) => agentOf(engine, client);
  const agent = agentNamed('test-client');
  const seenOf = async (id: string): Promise<SeenMemory> => {
    const { seen: saw } = await seen(person, id);
    if (saw === undefined) throw new Error('nothing to decide on');
    return { id, seen: saw };
  };
  const decide = async (act: PlainAct, id: string, reason?: string) => {
    const given = reason ?? (['approve', 'lapse', 'undo'].includes(act) ? undefined : 'no longer so');
    return person.decide({ act, ...(await seenOf(id)), ...(given !== undefined && { reason: given }) } as PersonAct, key);
  };
  return {
    folder,
    root,
    storeFile,
    keysFile,
    key,
    engine,
    agent,
    person,
    agentNamed,
    decide,
    seen: seenOf,
    stand: async (proposal) => {
      const { id } = await agent.propose(aProposal(proposal));
      await decide('approve', id);
      return id;
    },
    reopen: open,
    close: async () => {
      for (const one of opened) await one.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An agent's door, as a client of this name would have it. */
export function agentOf(engine: Engine, client: string): AgentAccess {
  const session = { id: crypto.randomUUID(), client, clientVersion: '1.0.0', startedAt: new Date().toISOString() };
  return engine.forAgent(() => session);
}

export async function seen(person: PersonAccess, id: string): Promise<Reviewed> {
  const memory = await person.one(id);
  if (memory === undefined) throw new Error(`no memory ${id}`);
  return memory;
}

let count = 0;

/** A proposal of its own wording; a test states only what matters to it. */
export function aProposal(parts: Partial<Proposal> = {}): Proposal {
  count += 1;
  return {
    kind: 'decision',
    title: `Decision ${count}`,
    statement: `The service keeps its answer number ${count}.`,
    evidence: [{ kind: 'quote', speaker: 'the team', text: 'we agreed on it' }],
    ...parts,
  };
}

/** A text of numbered lines. */
export const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n') + '\n';

/** The stable code of a refusal; anything else is a fault of the test or of Stet, and says so. */
export function codeOf(error: unknown): ErrorCode {
  if (error instanceof StetError) return error.code;
  throw error;
}
