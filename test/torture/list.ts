import { kills } from './kills';
import { fuzzedCalls } from './fuzzed-calls';
import { fuzzedQueries } from './fuzzed-queries';
import { manyProcesses } from './many-processes';
import { stateMachine } from './state-machine';
import type { Torture } from './support/torture';

/** All of them, in the order they run. */
export const tortures: readonly Torture[] = [manyProcesses, kills, fuzzedCalls, fuzzedQueries, stateMachine];
