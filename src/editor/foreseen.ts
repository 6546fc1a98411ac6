/** In words, what an act would do besides what its button says. */
import type { Preview, PreviewedStep } from '../engine';

/**
 * @param about the ids of the memories that the person decides on.
 * @param day a date in the person's own format.
 */
export function consequences({ steps }: Preview, about: readonly string[], day: (iso: string) => string): string[] {
  const others = steps.filter(({ id, from }) => !about.includes(id) && from !== 'none');
  const own = steps.filter(({ id, from }) => about.includes(id) || from === 'none');
  const now = new Date().toISOString();
  return [...own.flatMap((step) => aboutItself(step, others, now, day)), ...others.map((step) => aboutOther(step, now, day))];
}

function aboutItself(
  { act, to, validTo, title }: PreviewedStep,
  others: readonly PreviewedStep[],
  now: string,
  day: (iso: string) => string,
): string[] {
  switch (act) {
    case 'undo':
      return [`It goes back to: ${plainStates[to]}.`];
    case 'limit':
      return validTo !== null && validTo > now ? [`It stands until ${day(validTo)} and no longer after.`] : [];
    case 'approve':
    case 'save':
    case 'restore':
      if (to !== 'contested' || others.some((other) => other.to === 'contested')) return [];
      return [`“${title}” will be contested.`];
    default:
      return [];
  }
}

function aboutOther({ act, from, to, validTo, title }: PreviewedStep, now: string, day: (iso: string) => string): string {
  const name = `“${title === '' ? 'A forgotten memory' : title}”`;
  switch (act) {
    case 'supersede':
      return `This also replaces ${name}.`;
    case 'limit':
      return validTo !== null && validTo > now ? `${name} stands until ${day(validTo)} and is replaced then.` : `${name} is narrowed.`;
    case 'contest':
      return from === 'contested'
        ? `${name} stays contested, by what is left.`
        : `${name} says otherwise: the two will be contested with each other.`;
    case 'settle':
      return `${name} stands alone again.`;
    case 'retire':
      return `${name} is retired: it no longer holds.`;
    case 'reject':
      return `${name} is rejected: it was never right.`;
    case 'forget':
      return `${name} is forgotten as well.`;
    case 'undo':
      return `${name} goes back to: ${plainStates[to]}.`;
    default:
      return `${name} becomes: ${plainStates[to]}.`;
  }
}

const plainStates: Readonly<Record<PreviewedStep['to'], string>> = {
  pending: 'waits for review',
  active: 'stands',
  contested: 'contested',
  superseded: 'replaced',
  retired: 'retired',
  rejected: 'rejected',
  amended: 'approved in other words',
  expired: 'set aside',
  forgotten: 'forgotten',
};
