/** The reviewed timeline as text for an agent: data between fences, each entry beginning with what became of it and when. */
import type { Belief, Remembered, Timeline } from './audit/history';
import { cut } from './recall/budget';
import { fenced, harmless } from './recall/render';

/** A timeline as text. What holds no longer says so before its words do. */
export function renderTimeline({ recallId, memories, omitted }: Timeline): string {
  const left = Object.entries(omitted).map(([reason, count]) => `${reason}: ${count}`);
  const notes = left.length === 0 ? [] : [`Left out: ${left.join(', ')}.`];
  if (memories.length === 0) return ['No reviewed memory is in this timeline.', ...notes].join('\n');
  const heading = `Timeline of ${memories.length} ${memories.length === 1 ? 'memory' : 'memories'} (recall ${recallId}).`;
  const body = memories.map((one, index) => `${index + 1}. ${remembered(one)}`);
  return `${heading}\n${fenced([...body, ...notes].join('\n\n'))}`;
}

/** Bytes of statements in a timeline: about 3,000 tokens. */
const statementBytes = 9_000;
const leastBytes = 150;

/** A timeline whose statements together keep within the bound, each shortened to its part; `memory_get` has the whole of what stands. */
export function fitTimeline(timeline: Timeline): Timeline {
  const told = timeline.memories.filter(({ text }) => text !== undefined).length;
  const share = Math.max(leastBytes, Math.floor(statementBytes / Math.max(told, 1)));
  return {
    ...timeline,
    memories: timeline.memories.map((one) => {
      if (one.text === undefined) return one;
      const statement = cut(one.text.statement, share);
      return statement === one.text.statement ? one : { ...one, text: { ...one.text, statement, shortened: true } };
    }),
  };
}

function remembered({ id, state, text, beliefs }: Remembered): string {
  const last = beliefs.at(-1);
  const label = state.toUpperCase() + (last === undefined ? '' : whenOf(last));
  if (text === undefined) return `${label} · id ${id} · its words are not told.`;
  const { kind, title, statement, claim } = text;
  const lines = [
    label,
    title,
    `id ${id} · ${kind}`,
    `${statement}${text.shortened === true ? ' [shortened]' : ''}`,
    ...(claim === undefined ? [] : [`claim: ${claim.subject} | ${claim.predicate} | ${claim.object}`]),
    ...beliefs.slice(0, -1).map((belief) => `before: ${belief.state}${whenOf(belief)}`),
  ];
  return harmless(lines.join('\n'));
}

/** ` since 2026-03-01T00:00:00.000Z, replaced by <id> · valid until 2026-03-01T00:00:00.000Z · scope workspace`. */
function whenOf({ state, knownFrom, knownTo, validFrom, validTo, scope, others }: Belief): string {
  const known = knownTo === undefined ? `since ${knownFrom}` : `from ${knownFrom} until ${knownTo}`;
  const about = others.length === 0 ? '' : `, ${relations[state] ?? 'beside'} ${others.join(', ')}`;
  const held = [validFrom === undefined ? [] : [`from ${validFrom}`], validTo === undefined ? [] : [`until ${validTo}`]].flat();
  return ` ${known}${about}${held.length === 0 ? '' : ` · valid ${held.join(' ')}`} · scope ${scope}`;
}

/** How a state's other memories stand to it. */
const relations: Readonly<Partial<Record<Belief['state'], string>>> = { superseded: 'replaced by', contested: 'contested with' };
