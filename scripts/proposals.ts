/** Proposals made by a real MCP client of the built server: the sample's, or a folder of decision records. */
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { locate, storeFile, type Receipt } from '../src/engine';
import { connect } from '../test/mcp/support/client';
import { inProject } from './project';

/** A proposal as it is sent, and the name of the client that sends it. */
export interface Sent {
  readonly client: string;
  readonly proposal: Record<string, unknown> & { readonly title: string };
}

export interface Target {
  readonly server: string;
  readonly store: string;
  readonly root: string;
  readonly keys: string;
}

/** The store that the extension will open for a folder, in an editor with this profile; the build's server on it. */
export function targetIn(userDataDir: string, folder: string): Target {
  const globalStorage = join(userDataDir, 'User/globalStorage/stet.stet');
  return {
    server: inProject('dist/mcp.js'),
    store: storeFile(join(globalStorage, 'stores'), locate(folder)),
    root: folder,
    keys: join(globalStorage, 'trusted-keys.json'),
  };
}

const line = z.looseObject({ session: z.string(), title: z.string() });

/** The sample: what two agents learned about the invented service. */
export async function sampleProposals(): Promise<Sent[]> {
  const text = await readFile(inProject('sample/decisions.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => {
      const { session, ...proposal } = line.parse(JSON.parse(one));
      return { client: session, proposal: { ...proposal, title: proposal.title } };
    });
}

/**
 * Copies decision records (`.md`, `.rst`) into a folder and makes a proposal of each: its path, title and first 4,000 characters.
 * @param limit at most so many, taken evenly over the folder so that every house's records are among them.
 */
export async function recordProposals(records: string, into: string, limit: number): Promise<Sent[]> {
  const all = (await readdir(records, { recursive: true })).filter((name) => /\.(md|rst)$/i.test(name)).sort();
  const below = all.filter((name) => dirname(name) !== '.'); // beside the houses' folders stands what describes them
  const names = below.length > 0 ? below : all;
  if (names.length === 0) throw new Error(`There are no .md or .rst records below ${records}.`);
  const count = Math.min(limit, names.length);
  const chosen = Array.from({ length: count }, (_, index) => names[Math.floor((index * names.length) / count)] ?? '');
  const sent: Sent[] = [];
  for (const name of chosen) {
    await mkdir(dirname(join(into, name)), { recursive: true });
    await cp(join(records, name), join(into, name));
    const text = await readFile(join(records, name), 'utf8');
    const path = name.replaceAll('\\', '/');
    sent.push({
      client: 'record-reader',
      proposal: {
        kind: 'decision',
        title: titleOf(text, name),
        statement: firstCharacters(text, 4_000),
        anchors: [{ file: path }],
        evidence: [{ kind: 'file', path }],
      },
    });
  }
  return sent;
}

/** The first heading, or the file's name where there is none. */
function titleOf(record: string, name: string): string {
  const text = record.replace(/^---\r?\n.*?\r?\n---\r?\n/s, ''); // front matter, whose comments look like headings
  const heading = /^#\s+(.+)$/m.exec(text)?.[1] ?? /^([^\s=].*)\r?\n={3,}\s*$/m.exec(text)?.[1];
  return (heading ?? basename(name)).trim().slice(0, 200);
}

function firstCharacters(text: string, count: number): string {
  const start = text.slice(0, count);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** Sends the proposals, each client in a session of its own. @returns their receipts in order. */
export async function propose(all: readonly Sent[], target: Target): Promise<Receipt[]> {
  const receipts = new Map<Sent, Receipt>();
  for (const client of new Set(all.map((one) => one.client))) {
    const agent = await connect({ ...target, client });
    try {
      for (const sent of all.filter((one) => one.client === client))
        receipts.set(sent, await agent.ask<Receipt>('memory_propose', sent.proposal));
    } finally {
      await agent.close();
    }
  }
  return all.flatMap((sent) => receipts.get(sent) ?? []);
}
