/** How much is given: k and the token budget are bounds of what is put together, and contested ones count. */
import { lacking, readings } from '../doors/agents';
import type { Matrix } from '../matrix';
import { estimatedTokens } from '../../../src/engine/recall/budget';
import { canary, World } from '../world';

interface Given {
  readonly items: readonly { readonly id: string; readonly contestedWith?: readonly string[] }[];
}

const many = 200;

export async function retrievalRows(matrix: Matrix): Promise<void> {
  const world = await World.make();
  try {
    await matrix.ask('retrieval.k_is_an_upper_bound', 'M', async ({ control, must, none }) => {
      const word = canary();
      const anchors = [{ file: 'src/mail/post.ts' }];
      const long = (n: number) => `Long ${n} of ${word}: ${`bales are stacked in the yard ${n}, `.repeat(80)}`;
      for (let n = 0; n < many; n += 1) await world.stand({ title: `Bales ${n}`, statement: long(n), anchors });
      const pair: string[] = [];
      for (const object of ['here', 'there'])
        pair.push(await world.stand({ title: `Pair ${object}`, statement: `Pair of ${word} ${word} is ${object}.`, anchors }));
      const [first = '', second = ''] = pair;
      await world.decide({ act: 'contest', ...(await world.seen(first)), with: await world.seen(second), reason: 'They differ.' });

      const agent = await world.server();
      const searched = async (k: number, maxTokens: number) => {
        const reply = await agent.call('memory_search', { query: word, k, maxTokens });
        return { items: (reply.data as unknown as Given).items, tokens: estimatedTokens(reply.text) };
      };
      for (const [k, maxTokens] of [
        [1, 4_000],
        [3, 4_000],
        [8, 1_500],
        [20, 4_000],
        [20, 200],
        [2, 200],
      ] as const) {
        const { items, tokens } = await searched(k, maxTokens);
        must(`at most ${k} are given for k ${k}: ${items.length}`, items.length <= k);
        must(`at most ${maxTokens} tokens: ${tokens}`, tokens <= maxTokens);
        none(
          `for k ${k} and ${maxTokens} tokens, contested ones without their counterpart`,
          items.filter((item) => (item.contestedWith ?? []).some((id) => !items.some((other) => other.id === id))).map(({ id }) => id),
        );
      }
      control('exactly k where there is room', (await searched(3, 4_000)).items.length === 3);
      const both = (await searched(8, 4_000)).items.map(({ id }) => id);
      control(
        'the pair is given together where it fits',
        pair.every((id) => both.includes(id)),
      );
      must(
        'a pair that does not fit is given not at all',
        (await searched(1, 4_000)).items.every(({ id }) => !pair.includes(id)),
      );
      for (const k of [1, 5, 20]) {
        const { items } = (await agent.call('memory_for_file', { path: 'src/mail/post.ts', k })).data as unknown as Given;
        must(`memory_for_file gives at most ${k}: ${items.length}`, items.length <= k && items.length > 0);
      }
      const one = { id: first, token: word, topic: 'pair', path: 'src/mail/post.ts' };
      control('each reading tool gives something of it', lacking(await readings(agent, one), word).length === 0);
    });
  } finally {
    await world.close();
  }
}
