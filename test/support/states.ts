/** A memory brought into each state by the acts that lead there. */
import type { State } from '../../src/engine';
import { aProposal, type Bench } from './store';

/** @returns the id of a memory that is in this state now. */
export async function inState(bench: Bench, state: State): Promise<string> {
  const { id } = await bench.agent.propose(aProposal());
  const { person, key } = bench;
  switch (state) {
    case 'pending':
      return id;
    case 'active':
      await bench.decide('approve', id);
      return id;
    case 'contested':
      await bench.decide('approve', id);
      await bench.decide('contest', id);
      return id;
    case 'superseded': {
      await bench.decide('approve', id);
      const by = await inState(bench, 'active');
      await person.decide({ act: 'supersede', ...(await bench.seen(id)), by: await bench.seen(by) }, key);
      return id;
    }
    case 'retired':
      await bench.decide('approve', id);
      await bench.decide('retire', id);
      return id;
    case 'rejected':
      await bench.decide('reject', id);
      return id;
    case 'amended': {
      const draft = aProposal();
      await person.decide({ act: 'amend', ...(await bench.seen(id)), draft, surface: 'memory page' }, key);
      return id;
    }
    case 'expired':
      await bench.decide('lapse', id);
      return id;
    case 'forgotten':
      await bench.decide('approve', id);
      await person.decide({ act: 'forget', memories: [await bench.seen(id)], questions: [] }, key);
      return id;
  }
}
