/** A person's folder with its store: agents come to it over stdio alone, the person through the engine's own door or the editor. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  openEngine,
  restoreBackup,
  StetError,
  type Engine,
  type PersonAccess,
  type PersonAct,
  type Proposal,
  type Receipt,
  type Reviewed,
  type SeenMemory,
} from '../../src/engine';
import { until } from '../editor/harness/until';
import { connect, type Connection, type Start } from '../mcp/support/client';
import { sqlShell, type SqlShell } from '../mcp/support/sql-shell';
import { git } from '../support/git';
import { pinKeys, testKey, type TestKey } from '../support/keys';
import { aProposal, codeOf, lines } from '../support/store';

/** Where a world is. The editor's own places can be named, so that a window shows it. */
export interface Places {
  readonly root: string;
  readonly storeFile: string;
  readonly keysFile: string;
  readonly key: TestKey;
  readonly userStoreFile?: string;
  /** The server's file; without one it is built. */
  readonly server?: string;
}

/** A token that no text holds by chance and no model could guess: it is looked for wherever words could be. */
export const canary = (): string => `k${randomBytes(16).toString('hex')}`;

export class World {
  readonly root: string;
  readonly storeFile: string;
  readonly keysFile: string;
  readonly key: TestKey;
  #engine: Engine | undefined;
  readonly #servers = new Map<string, Promise<Connection>>();

  private constructor(
    private readonly places: Places,
    private readonly scratch: string | undefined,
  ) {
    this.root = places.root;
    this.storeFile = places.storeFile;
    this.keysFile = places.keysFile;
    this.key = places.key;
  }

  /** A repository with some files, and a store that is made at first use. */
  static async make(given?: Places): Promise<World> {
    const scratch = given === undefined ? mkdtempSync(join(tmpdir(), 'stet-accept-')) : undefined;
    const world = new World(given ?? placesIn(scratch ?? '', testKey()), scratch);
    if (scratch !== undefined) pinKeys(world.keysFile, world.key);
    for (const [path, text] of Object.entries(files)) world.write(path, text);
    git(world.root, 'init');
    git(world.root, 'add', '.');
    git(world.root, 'commit', '-m', 'The first files');
    await world.reopen();
    return world;
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('The store is closed.');
    return this.#engine;
  }

  get person(): PersonAccess {
    return this.engine.forPerson();
  }

  get folder(): string {
    return dirname(this.storeFile);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Closes the store and opens it again, as a restarted host does. */
  async reopen(): Promise<void> {
    await this.#engine?.close();
    this.#engine = await this.opened();
  }

  /** Puts a backup in the place of the store, as Restore from Backup does, and opens it. */
  async restored(backupFile: string): Promise<void> {
    await this.endServers();
    await this.engine.close();
    const { storeFile, root, keysFile, key: signer } = this;
    // A window that was closed lets go of the store a little later.
    await until('the store to be nobody’s', () =>
      restoreBackup({ storeFile, root, keysFile, backupFile, signer }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof StetError && error.code === 'store_busy') return false;
          throw error;
        },
      ),
    );
    this.#engine = await this.opened();
  }

  /** The store opened once more, with a clock of its own where one is given. Close it. */
  opened(clock?: { now(): Date }): Promise<Engine> {
    const { userStoreFile } = this.places;
    return openEngine({
      storeFile: this.storeFile,
      root: this.root,
      keysFile: this.keysFile,
      ...(userStoreFile !== undefined && { userStoreFile }),
      ...(clock !== undefined && { clock }),
    });
  }

  /** A server process for a client in a folder of the work tree, kept until the servers are restarted. */
  server(client = 'first-agent', folder = '.', start: Partial<Start> = {}): Promise<Connection> {
    const key = JSON.stringify([client, folder, start]);
    const { server } = this.places;
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    const made = connect({
      store: this.storeFile,
      root: join(this.root, folder),
      keys: this.keysFile,
      client,
      ...(server !== undefined && { server }),
      ...start,
    });
    this.#servers.set(key, made);
    return made;
  }

  /** Ends every server process; each is started anew when it is wanted again. */
  async endServers(): Promise<void> {
    const all = [...this.#servers.values()];
    this.#servers.clear();
    for (const one of all) await (await one).close();
  }

  /** Proposes over stdio. */
  async propose(proposal: Partial<Proposal>, client?: string, folder?: string): Promise<Receipt> {
    return (await this.server(client, folder)).ask<Receipt>('memory_propose', { ...aProposal(proposal) });
  }

  /** The code with which a proposal is refused, or `accepted`. */
  async refusal(proposal: Partial<Proposal> & Record<string, unknown>, client?: string, folder?: string): Promise<string> {
    const { error } = await (await this.server(client, folder)).call('memory_propose', { ...aProposal(), ...proposal });
    return error?.code ?? 'accepted';
  }

  /** Proposes over stdio, and approves. */
  async stand(proposal: Partial<Proposal>, client?: string, folder?: string): Promise<string> {
    const { id } = await this.propose(proposal, client, folder);
    await this.decide({ act: 'approve', ...(await this.seen(id)) });
    return id;
  }

  async decide(act: PersonAct): Promise<void> {
    await this.person.decide(act, this.key);
  }

  /** The code with which the person's own act is refused, or `done`. */
  async refused(act: Promise<unknown>): Promise<string> {
    try {
      await act;
      return 'done';
    } catch (error) {
      return codeOf(error);
    }
  }

  async seen(id: string): Promise<SeenMemory> {
    const { seen } = await this.memory(id);
    if (seen === undefined) throw new Error(`nothing to decide on: ${id}`);
    return { id, seen };
  }

  async memory(id: string): Promise<Reviewed> {
    const found = await this.person.one(id);
    if (found === undefined) throw new Error(`no memory ${id}`);
    return found;
  }

  async reject(id: string, reason = 'It was never right.'): Promise<void> {
    await this.decide({ act: 'reject', ...(await this.seen(id)), reason });
  }

  async retire(id: string, reason = 'It holds no longer.'): Promise<void> {
    await this.decide({ act: 'retire', ...(await this.seen(id)), reason });
  }

  async forget(...ids: readonly string[]): Promise<void> {
    const memories = [];
    for (const id of ids) memories.push(await this.seen(id));
    await this.decide({ act: 'forget', memories, questions: [] });
  }

  /** Every event's kind and detail, newest first. */
  async audit(): Promise<{ what: string; detail: string; memory: string }[]> {
    const entries = await this.person.audit({ limit: 10_000 });
    return entries.map(({ what, detail, memory }) => ({ what, detail: detail ?? '', memory }));
  }

  async refusals(): Promise<string[]> {
    return (await this.audit()).filter(({ what }) => what === 'refused').map(({ detail }) => detail);
  }

  /** The file as any program of this user sees it, for as long as the work takes. */
  async sql<T>(work: (shell: SqlShell) => Promise<T>, file = this.storeFile): Promise<T> {
    const shell = await sqlShell(file);
    try {
      return await work(shell);
    } finally {
      await shell.close();
    }
  }

  async close(): Promise<void> {
    await this.endServers();
    await this.#engine?.close();
    this.#engine = undefined;
    if (this.scratch !== undefined) rmSync(this.scratch, { recursive: true, force: true });
  }
}

const files: Readonly<Record<string, string>> = {
  'src/mail/post.ts': lines(30),
  'packages/a/main.ts': lines(20),
  'packages/b/main.ts': lines(20),
  'docs/first.md': lines(12),
  'docs/second.md': lines(12),
};

function placesIn(scratch: string, key: TestKey): Places {
  const root = join(scratch, 'work');
  mkdirSync(root, { recursive: true });
  return { root, storeFile: join(scratch, 'store', 'memory.db'), keysFile: join(scratch, 'keys.json'), key };
}
