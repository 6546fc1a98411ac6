/** The ports as the running system supplies them. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Ids } from './ports';

export const systemClock: Clock = { now: () => new Date() };

export const systemIds: Ids = { id: () => randomUUID(), salt: () => randomBytes(16).toString('hex') };
