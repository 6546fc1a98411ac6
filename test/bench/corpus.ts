/** Invented memories for measuring: as long and as varied as real ones, and the same in every run. */
import type { Proposal } from '../../src/engine';

/** A small generator with a fixed seed (mulberry32), so that two runs measure the same store. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const syllables =
  'ba be bi bo da de di do fa fe ga go ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi vo za zo'.split(
    ' ',
  );

/** The n-th invented word; small numbers are common words. */
const word = (n: number): string => {
  let rest = n + 60;
  let text = '';
  while (rest > 0) {
    text += syllables[rest % syllables.length] ?? '';
    rest = Math.floor(rest / syllables.length);
  }
  return text;
};

/** Words as often as in prose: the n-th most common is used in proportion to 1/n, out of 20,000. */
const drawWord = (next: () => number): string => word(Math.floor(20_000 ** next()) - 1);

const words = (next: () => number, count: number): string => Array.from({ length: count }, () => drawWord(next)).join(' ');

const folders = Array.from({ length: 200 }, (_, index) => `src/${word(index * 3)}/${word(index * 7 + 1)}`);

const claim = (next: () => number): NonNullable<Proposal['claim']> => ({
  subject: words(next, 2),
  predicate: word(Math.floor(next() * 40)),
  object: words(next, 2),
  ...(next() < 0.1 && { cardinality: 'one' }),
});

/** The memories numbered from `start`, about 90 words each. */
export function* proposals(start: number, count: number): Generator<Proposal> {
  for (let number = start; number < start + count; number += 1) {
    const next = random(number + 1);
    const folder = folders[Math.floor(next() * folders.length)] ?? 'src';
    yield {
      kind: next() < 0.7 ? 'decision' : 'fact',
      title: words(next, 7),
      statement: `${words(next, 70)} ${number}.`,
      rationale: words(next, 15),
      tags: [word(Math.floor(next() * 50))],
      anchors: [next() < 0.5 ? { file: `${folder}/${word(number % 900)}.ts` } : next() < 0.5 ? { folder } : { glob: `${folder}/**/*.ts` }],
      evidence: [
        next() < 0.3
          ? { kind: 'file', path: 'src/evidence.ts', startLine: 3, endLine: 9 }
          : { kind: 'quote', speaker: 'the team', text: words(next, 8) },
      ],
      ...(next() < 0.2 && { claim: claim(next) }),
    };
  }
}

/** The commonest words stand for the function words of a language, which a search does not look for. */
const functionWords = 60;

const contentWords = (next: () => number, count: number): string =>
  Array.from({ length: count }, () => word(Math.floor(functionWords * (20_000 / functionWords) ** next()))).join(' ');

/** Questions as agents ask them: a sentence around some common and some rarer content words. */
export const questions = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const next = random(1_000_000 + index);
    return `how do we handle ${contentWords(next, 4)} when the ${contentWords(next, 2)} is there?`;
  });

/** Files that memories are anchored near. */
export const filesToOpen = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const next = random(2_000_000 + index);
    return `${folders[Math.floor(next() * folders.length)] ?? 'src'}/${word(index)}.ts`;
  });
