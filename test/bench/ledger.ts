/** A store's ledger in this process, for what a bench does many times: proposals and signed decisions through `append` itself. */
import type { PersonAct, Proposal, Signer } from '../../src/engine';
import { evidenceChecker } from '../../src/engine/evidence/check';
import { repositoryAt } from '../../src/engine/evidence/repository';
import { append } from '../../src/engine/ledger/append';
import { headKeeper } from '../../src/engine/ledger/heads';
import { keyRing } from '../../src/engine/ledger/keyring';
import type { AgentSession } from '../../src/engine/ledger/commands';
import type { Clock } from '../../src/engine/ports';
import { several } from '../../src/engine/review';
import type { RecallParts } from '../../src/engine/recall/recall';
import type { Origin } from '../../src/engine/ledger/screen';
import { grantFor } from '../../src/engine/scope/grant';
import { locate, placeWithin } from '../../src/engine/scope/locate';
import { Database } from '../../src/engine/store/database';
import { inspect, migrate } from '../../src/engine/store/migrate';
import { systemClock, systemIds } from '../../src/engine/system';

/** Where a bench's store and what belongs to it lie. */
export interface Files {
  readonly store: string;
  readonly keys: string;
  readonly root: string;
}

export interface BenchLedger {
  readonly parts: RecallParts;
  /** What everything here is written as: from the store's own folder, with the grant of all of it. */
  readonly origin: Origin;
  propose(proposal: Proposal, session: AgentSession): Promise<string>;
  /** Decides on memories as they are now, each in an act of its own, many at a time. */
  decideAll(ids: readonly string[], act: 'approve' | 'reject' | 'retire'): Promise<void>;
  /** Signs the newest event, as the editor does after each act; without it the store is behind its head to every reader. */
  signHead(): Promise<void>;
  close(): Promise<void>;
}

export async function openLedger(
  { store: storeFile, keys, root }: Files,
  signer: Signer,
  clock: Clock = systemClock,
): Promise<BenchLedger> {
  const { identity } = locate(root);
  const place = placeWithin(identity, root);
  if (place === undefined) throw new Error('the folder is not its own');
  const database = await Database.open(storeFile, inspect);
  await migrate(database, identity, clock, systemIds);
  const row = await database.read.get('SELECT id, salt FROM store');
  const store = { id: String(row?.['id']), salt: String(row?.['salt']) };
  const workPlace = { workTree: place.workTree, root, named: root };
  const repository = repositoryAt(place.workTree);
  const parts: RecallParts = {
    database,
    store,
    keyRing: keyRing(keys),
    repository,
    evidence: evidenceChecker(workPlace, repository),
    clock,
    ids: systemIds,
    forgetQuestions: () => Promise.resolve(), // nothing is forgotten through it
  };
  const grant = grantFor(store.id, '');
  const origin = { grant, place: workPlace };
  const heads = headKeeper(keys, store.id);
  const seenOf = async (ids: readonly string[]) =>
    (await several(ids, origin, parts)).map(({ id, seen }) => {
      if (seen === undefined) throw new Error('nothing to decide on');
      return { id, seen };
    });
  const decide = (decision: PersonAct) => append({ type: 'decide', decision, signer, ...origin }, parts);
  return {
    parts,
    origin,
    propose: async (proposal, session) => (await append({ type: 'propose', session, proposal, ...origin }, parts)).id,
    decideAll: async (ids, act) => {
      const reason = act === 'approve' ? {} : { reason: 'no longer so' };
      await Promise.all((await seenOf(ids)).map((memory) => decide({ act, ...memory, ...reason } as PersonAct)));
    },
    signHead: async () => {
      await heads.advance({ read: database.read, storeFile, at: clock.now().toISOString() }, signer, await parts.keyRing.trusted());
    },
    close: () => database.close(),
  };
}
