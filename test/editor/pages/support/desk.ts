/** A folder with its store as they are outside the editor: what an agent's server, another process and any program see of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AgentAccess,
  locate,
  openEngine,
  states,
  storeFile,
  type Engine,
  type PersonAccess,
  type PersonAct,
  type Proposal,
  type Reviewed,
  type SeenMemory,
  type State,
} from '../../../../src/engine';
import { connect, type Connection } from '../../../mcp/support/client';
import { sqlShell, type SqlShell } from '../../../mcp/support/sql-shell';
import type { TestKey } from '../../../support/keys';
import { agentOf, aProposal, seen, type PlainAct } from '../../../support/store';

export interface DeskParts {
  readonly folder: string;
  readonly globalStorage: string;
  readonly files: Readonly<Record<string, string>>;
  /** What earlier decisions were signed with. */
  readonly key: TestKey;
  /** The server as it was installed with the extension. */
  readonly server: () => string;
}

export class Desk {
  readonly folder: string;
  readonly storeFile: string;
  readonly keysFile: string;
  #engine: Promise<Engine> | undefined;
  #agent: Promise<AgentAccess> | undefined;
  readonly #open: { close(): Promise<void> }[] = [];

  constructor(private readonly parts: DeskParts) {
    this.folder = parts.folder;
    for (const [path, text] of Object.entries(parts.files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
    this.storeFile = storeFile(join(parts.globalStorage, 'stores'), locate(this.folder));
    this.keysFile = join(parts.globalStorage, 'trusted-keys.json');
  }

  /** Opened, and so the store made, at first use. */
  engine(): Promise<Engine> {
    return (this.#engine ??= openEngine({
      storeFile: this.storeFile,
      userStoreFile: join(this.parts.globalStorage, 'user', 'memory.db'),
      root: this.folder,
      keysFile: this.keysFile,
    }));
  }

  async person(): Promise<PersonAccess> {
    return (await this.engine()).forPerson();
  }

  /** The person's door to what holds everywhere. */
  async everywhere(): Promise<PersonAccess> {
    const person = (await this.engine()).forPersonEverywhere();
    if (person === undefined) throw new Error('there is no store of what holds everywhere');
    return person;
  }

  /** Proposes as an agent, in one session. @returns the id. */
  async propose(parts: Partial<Proposal> = {}): Promise<string> {
    this.#agent ??= this.engine().then((engine) => agentOf(engine, 'earlier-agent'));
    return (await (await this.#agent).propose(aProposal(parts))).id;
  }

  /** Proposes, and approves with the test's key, which must be pinned. */
  async stand(parts: Partial<Proposal> = {}): Promise<string> {
    const id = await this.propose(parts);
    await this.decide('approve', id);
    return id;
  }

  /** Saves a memory of a person's own with the test's key. @returns the id. */
  async save(draft: Readonly<Record<string, unknown>>): Promise<string> {
    return (await (await this.person()).save(draft, 'a test', this.parts.key)).id;
  }

  /** Decides on one memory as it is now, with the test's key and a reason where the act needs one. */
  async decide(act: PlainAct, id: string, reason = 'no longer so'): Promise<void> {
    const plain = act === 'approve' || act === 'lapse' || act === 'undo';
    await this.act({ act, ...(await this.seen(id)), ...(!plain && { reason }) } as PersonAct);
  }

  /** Decides with the test's key. */
  async act(decision: PersonAct): Promise<void> {
    await (await this.person()).decide(decision, this.parts.key);
  }

  /** A memory as the person sees it now, for an act. */
  async seen(id: string): Promise<SeenMemory> {
    const memory = await seen(await this.person(), id);
    if (memory.seen === undefined) throw new Error('nothing to decide on');
    return { id, seen: memory.seen };
  }

  async memory(id: string): Promise<Reviewed> {
    return seen(await this.person(), id);
  }

  /** Every memory's state, by id. */
  async states(): Promise<Record<string, State>> {
    const all = await (await this.person()).list({ states, limit: 1_000, offset: 0 });
    return Object.fromEntries(all.map(({ id, state }) => [id, state]));
  }

  /** A server process of its own, as an agent's client starts it. */
  async server(client = 'test-client'): Promise<Connection> {
    const connection = await connect({
      server: this.parts.server(),
      store: this.storeFile,
      root: this.folder,
      keys: this.keysFile,
      client,
    });
    this.#open.push(connection);
    return connection;
  }

  async sql(): Promise<SqlShell> {
    const shell = await sqlShell(this.storeFile);
    let closed = false;
    const once: SqlShell = {
      ...shell,
      close: async () => {
        if (!closed) await shell.close();
        closed = true;
      },
    };
    this.#open.push(once);
    return once;
  }

  async close(): Promise<void> {
    for (const one of this.#open.splice(0)) await one.close();
    await (await this.#engine)?.close();
    this.#engine = undefined;
    this.#agent = undefined;
  }
}
