/** A person with a store, and servers on it: what is there at the end of a test is closed and removed. */
import type { Found, Receipt } from '../../../src/engine';
import { aBench, type Bench } from '../../support/store';
import { connect, type Connection, type Start } from './client';

export interface Room extends Bench {
  /** Starts a server on the store; with the pinned keys unless told otherwise. */
  connect(start?: Partial<Start>): Promise<Connection>;
}

export async function aRoom(files?: Readonly<Record<string, string>>): Promise<Room> {
  const bench = await aBench(files);
  const open: Connection[] = [];
  return {
    ...bench,
    connect: async (start = {}) => {
      const connection = await connect({ store: bench.storeFile, root: bench.root, keys: bench.keysFile, ...start });
      open.push(connection);
      return connection;
    },
    close: async () => {
      await Promise.all(open.map((one) => one.close()));
      await bench.close();
    },
  };
}

export const propose = (to: Connection, proposal: object): Promise<Receipt> => to.ask<Receipt>('memory_propose', { ...proposal });

export const search = async (at: Connection, query: string, more: object = {}): Promise<string[]> =>
  (await at.ask<Found>('memory_search', { query, k: 20, maxTokens: 4_000, ...more })).items.map((item) => item.id);

export const forFile = async (at: Connection, path: string): Promise<string[]> =>
  (await at.ask<Found>('memory_for_file', { path, k: 20 })).items.map((item) => item.id);

/** The state of a memory as the agent reads it by id, or the code of the refusal. */
export async function byId(at: Connection, id: string): Promise<string> {
  const { data, error } = await at.call('memory_get', { id });
  return error?.code ?? String(data['state']);
}

/** Where an agent meets a memory: each of the three ways to read. */
export async function met(at: Connection, id: string, { query, path }: { query: string; path: string }) {
  const [searched, filed, state] = await Promise.all([search(at, query), forFile(at, path), byId(at, id)]);
  return { search: searched.includes(id), file: filed.includes(id), get: state };
}

export const everywhere = { search: true, file: true, get: 'active' };
export const nowhere = { search: false, file: false, get: 'not_found' };
