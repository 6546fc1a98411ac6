/** Every mechanism that a guarantee rests on, with what it looks like when it is missing: see `docs/guarantees.md`. */
import { forgetting } from './forgetting';
import { gateMutants } from './gates';
import type { Mutant } from './mutant';
import { readers } from './readers';
import { record } from './record';
import { signatures } from './signatures';
import { time } from './time';
import { tombstones } from './tombstones';

export const mutants: readonly Mutant[] = [...tombstones, ...signatures, ...time, ...readers, ...record, ...gateMutants, ...forgetting];
