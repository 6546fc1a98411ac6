import { forFile, get, history, search } from './read';
import { reportUse } from './use';
import { contest, propose, requestRetire } from './write';
import type { Tool } from '../tool';

/** Every tool there is, in the order clients list them. Agents decide nothing, so nothing here approves, retires or forgets. */
export const tools: readonly Tool[] = [search, forFile, get, history, propose, contest, requestRetire, reportUse];
