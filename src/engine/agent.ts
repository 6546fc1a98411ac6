/** An agent's door: it reads what stands, proposes, doubts, and says what helped. Every answer is noted in the record of what it saw. */
import { reportUseSchema } from './audit/exposure-query';
import type { Surface, Withdrawn } from './audit/answer';
import { history, historySchema, type HistoryQuestion, type Timeline } from './audit/history';
import type { UseCounts } from './audit/use';
import { parse } from './domain/input';
import type { OpenStore } from './engine';
import { asStetError, notFound, outsideGrant } from './errors';
import { append } from './ledger/append';
import type { AgentSession, ChallengeReceipt, Receipt } from './ledger/commands';
import { isServed, type Served } from './ledger/parts';
import { refuseWhilePaused } from './ledger/rules';
import { estimatedTokens } from './recall/budget';
import { forFileSchema, getSchema, searchSchema } from './recall/query';
import * as recall from './recall/recall';
import { renderFound, renderItem, renderWhole } from './recall/render';
import type { Found, Whole } from './recall/view';
import { refuseBehind } from './ahead';
import { fitTimeline, renderTimeline } from './render-timeline';

/** What an agent's process may do. Arguments come as they were sent and are parsed here. */
export interface AgentAccess {
  search(asked: unknown): Promise<Found>;
  forFile(asked: unknown): Promise<Found>;
  get(asked: unknown): Promise<Whole & { readonly recallId: string }>;
  history(asked: unknown): Promise<Timeline>;
  propose(proposal: unknown): Promise<Receipt>;
  contest(asked: unknown): Promise<ChallengeReceipt>;
  requestRetire(asked: unknown): Promise<ChallengeReceipt>;
  reportUse(report: unknown): Promise<UseCounts>;
}

/** @param session names the client after its handshake; it may be asked late. */
export function agentAccess(own: OpenStore, user: OpenStore | undefined, session: () => AgentSession): AgentAccess {
  const { reader, parts } = own.source;
  const stores = user === undefined ? [own] : [own, user];
  const sources: recall.Sources = { own: own.source, user: user?.source };

  /** What has to hold before anything is read: the store is the one that was opened, not paused, and not set back. */
  async function readable<T>(read: () => Promise<T>): Promise<T> {
    for (const store of stores) {
      await store.source.parts.database.checkInPlace();
      await refuseBehind(store);
    }
    await refuseWhilePaused(parts.database.read, parts);
    return read();
  }

  async function withdrawn(): Promise<readonly Withdrawn[]> {
    const named = [];
    for (const store of stores)
      named.push(...(await store.exposure.noLongerHeld(session().id, store.source.parts.database.read, store.source.reader.grant)).named);
    return named;
  }

  function note(
    answer: {
      readonly id: string;
      readonly surface: Surface;
      readonly question?: string;
      readonly tokens: number;
      readonly leftOut: number;
    },
    served: readonly Served[],
    gone: readonly Withdrawn[],
    tokensOf: (id: string) => { readonly tokens: number; readonly shortened: boolean },
  ): void {
    for (const store of stores) {
      const items = served
        .filter((one) => ofStore(one, store, stores))
        .map(({ stored }) => ({ seq: stored.seq, id: stored.id, ...tokensOf(stored.id) }));
      if (store !== own && items.length === 0) continue; // what holds everywhere had no part in it
      store.exposure.note({
        ...answer,
        session: session(),
        scope: store.source.reader.grant.home,
        items,
        withdrawn: store === own ? gone : [],
        ...(answer.surface === 'search' && { mode: 'lexical' as const }),
      });
    }
  }

  async function found(surface: 'search' | 'file', question: string, given: recall.Given): Promise<Found> {
    const gone = await withdrawn();
    const answer: Found = gone.length === 0 ? given.found : { ...given.found, noLongerHolds: gone.map(({ id, state }) => ({ id, state })) };
    const now = parts.clock.now();
    const items = new Map(answer.items.map((item) => [item.id, item]));
    note(
      {
        id: answer.recallId,
        surface,
        question,
        tokens: estimatedTokens(renderFound(answer, now)),
        leftOut: Object.values(answer.omitted).reduce((sum, count) => sum + count, answer.overBudget.length),
      },
      given.served,
      gone,
      (id) => {
        const item = items.get(id);
        return { tokens: item === undefined ? 0 : estimatedTokens(renderItem(item, now)), shortened: item?.shortened === true };
      },
    );
    return answer;
  }

  /** An id is in one of the stores; a claim may have been made in both. @throws `not_found` as `history` does. */
  async function timelineOf(asked: HistoryQuestion): ReturnType<typeof history> {
    const found: Awaited<ReturnType<typeof history>>[] = [];
    for (const { source } of stores)
      try {
        found.push(await history(asked, source.reader.grant, source.parts));
      } catch (error) {
        if (asStetError(error).code !== 'not_found') throw error; // the other store may have it
      }
    const [first] = found;
    if (first === undefined) throw notFound();
    const omitted = found.map(({ timeline }) => timeline.omitted).reduce(recall.added);
    return {
      timeline: { ...first.timeline, memories: found.flatMap(({ timeline }) => timeline.memories), omitted },
      told: found.flatMap(({ told }) => told),
    };
  }

  /** What is written to a store that was set back would make it another one. */
  const written = async <T>(write: () => Promise<T>): Promise<T> => {
    await refuseBehind(own);
    const result = await write();
    own.changed();
    return result;
  };
  /** An agent's doubt reaches the folder's own store. @throws `outside_grant` for what holds everywhere, which only the person changes. */
  const doubt = (wants: 'contest' | 'retire', asked: unknown) =>
    written(async () => {
      try {
        return await append({ type: 'challenge', wants, session: session(), asked, ...origin }, parts);
      } catch (error) {
        const id = (asked as { readonly id?: unknown } | null)?.id;
        const holdsEverywhere =
          user !== undefined && asStetError(error).code === 'not_found' && typeof id === 'string' && (await isServed(user.source.parts, user.source.reader.grant, id)); // prettier-ignore
        throw holdsEverywhere ? outsideGrant('user') : error;
      }
    });
  const origin = { grant: reader.grant, place: reader.place };
  return {
    search: (asked) =>
      readable(async () => {
        const question = parse(searchSchema, asked);
        return found('search', question.query, await recall.search(question, sources));
      }),
    forFile: (asked) =>
      readable(async () => {
        const question = parse(forFileSchema, asked);
        return found('file', question.path, await recall.forFile(question, sources));
      }),
    get: (asked) =>
      readable(async () => {
        const { whole, served } = await recall.get(parse(getSchema, asked).id, sources);
        const recallId = parts.ids.id();
        const tokens = estimatedTokens(renderWhole(whole, parts.clock.now()));
        note({ id: recallId, surface: 'get', tokens, leftOut: 0 }, served, [], () => ({ tokens, shortened: false }));
        return { ...whole, recallId };
      }),
    history: (asked) =>
      readable(async () => {
        const { timeline: whole, told } = await timelineOf(parse(historySchema, asked));
        const timeline = fitTimeline(whole);
        const tokens = estimatedTokens(renderTimeline(timeline));
        const served = told.filter((one): one is Served => one.stored.readable);
        note({ id: timeline.recallId, surface: 'history', tokens, leftOut: 0 }, served, [], () => ({ tokens: 0, shortened: false }));
        return timeline;
      }),
    propose: (proposal) => written(() => append({ type: 'propose', session: session(), proposal, ...origin }, parts)),
    contest: (asked) => doubt('contest', asked),
    requestRetire: (asked) => doubt('retire', asked),
    reportUse: async (sent) => {
      await refuseWhilePaused(parts.database.read, parts);
      const report = parse(reportUseSchema, sent);
      const everywhere = new Set(user?.exposure.served(session().id) ?? []);
      const inOwn = report.ids.filter((id) => !everywhere.has(id));
      const counts = [];
      if (inOwn.length > 0 || everywhere.size === 0) counts.push(await own.exposure.reportUse(session().id, { ...report, ids: inOwn }));
      const inUser = report.ids.filter((id) => everywhere.has(id));
      if (user !== undefined && inUser.length > 0) counts.push(await user.exposure.reportUse(session().id, { ...report, ids: inUser }));
      return counts.reduce((sum, one) => ({
        ...sum,
        used: sum.used + one.used,
        helped: sum.helped + one.helped,
        notHelped: sum.notHelped + one.notHelped,
      }));
    },
  };
}

/** Sequence numbers are a store's own, so what was served is told apart by the scope that only the user's store has. */
const ofStore = ({ stored }: Served, store: OpenStore, stores: readonly OpenStore[]): boolean =>
  stores.length === 1 || (stored.scope === 'user') === (store !== stores[0]);
