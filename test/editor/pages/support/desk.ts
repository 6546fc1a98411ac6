/** A folder with its store as they are outside the editor: what an agent's server, another process and any program see of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AgentAccess,
  locate,
  openEngine,
  storeFile,
  type Decision,
  type Engine,
  type Proposal,
  type Reviewed,
  type State,
} from '../../../../src/engine';
import { connect, type Connection } from '../../../mcp/support/client';
import { sqlShell, type SqlShell } from '../../../mcp/support/sql-shell';
import type { TestKey } from '../../../support/keys';
import { agentOf, aProposal, seen } from '../../../support/store';

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
    return (this.#engine ??= openEngine({ storeFile: this.storeFile, root: this.folder, keysFile: this.keysFile }));
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

  async decide(decision: Decision, id: string, reason?: string): Promise<void> {
    const person = (await this.engine()).forPerson();
    const memory = await seen(person, id);
    if (memory.seen === undefined) throw new Error('nothing to decide on');
    await person.decide(decision, id, memory.seen, this.parts.key, reason);
  }

  async memory(id: string): Promise<Reviewed> {
    return seen((await this.engine()).forPerson(), id);
  }

  /** Every memory's state, by id. */
  async states(): Promise<Record<string, State>> {
    const states: State[] = ['pending', 'active', 'retired', 'rejected'];
    const all = await (await this.engine()).forPerson().list({ states, limit: 1_000, offset: 0 });
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
    this.#open.push(shell);
    return shell;
  }

  async close(): Promise<void> {
    for (const one of this.#open.splice(0)) await one.close();
    await (await this.#engine)?.close();
    this.#engine = undefined;
  }
}
