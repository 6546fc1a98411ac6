/** Housekeeping: every function of the engine's doors is named here by what it is, which the compiler keeps complete, and the jobs are run. */
import { StetError, type Engine, type PersonAccess } from '../../../src/engine';
import type { World } from '../world';

/** What a function of a door is: it reads, it decides in the person's name, or it is work that needs nobody. */
type Nature = 'read' | 'act' | 'job';

const personDoor = {
  overview: 'read',
  list: 'read',
  one: 'read',
  several: 'read',
  nearby: 'read',
  reasons: 'read',
  forFile: 'read',
  search: 'read',
  challenges: 'read',
  drifted: 'job',
  history: 'read',
  sessions: 'read',
  audit: 'read',
  preview: 'read',
  decide: 'act',
  save: 'act',
  leavings: 'read',
  finishErasures: 'job',
  expireWaiting: 'job',
  paused: 'read',
  pause: 'act',
  slot: 'read',
  setSlot: 'act',
  adopt: 'act',
  sessionsSeen: 'read',
  recallsOf: 'read',
  sessionsThatSaw: 'read',
  pruneSeen: 'job',
  verify: 'job',
  signHead: 'act',
  acceptAsItIs: 'act',
  integrity: 'job',
  rebuild: 'job',
  health: 'job',
  journal: 'job',
  backUpIfDue: 'job',
  backups: 'read',
} as const satisfies Record<keyof PersonAccess, Nature>;

const engineDoor = {
  storeId: 'read',
  place: 'read',
  forAgent: 'read',
  forPerson: 'read',
  forPersonEverywhere: 'read',
  everywhereError: 'read',
  verify: 'job', // the person's
  onChange: 'read',
  onError: 'read',
  close: 'act',
} as const satisfies Record<keyof Engine, Nature>;

type JobsOf<T extends Record<string, Nature>> = { [K in keyof T]: T[K] extends 'job' ? K : never }[keyof T];
export type Job = JobsOf<typeof personDoor> | JobsOf<typeof engineDoor>;

/** How each job is run, and what its answer must be for it to have run. */
const runs: Readonly<Record<Job, (engine: Engine) => Promise<boolean>>> = {
  drifted: async (engine) => Array.isArray(await engine.forPerson().drifted(100)),
  finishErasures: async (engine) => (await engine.forPerson().finishErasures()) === 'done',
  expireWaiting: async (engine) => Array.isArray(await engine.forPerson().expireWaiting(30)),
  pruneSeen: async (engine) => (await engine.forPerson().pruneSeen()) >= 0,
  integrity: async (engine) => (await engine.forPerson().integrity()).length === 0,
  rebuild: async (engine) => {
    const { left, lost } = await engine.forPerson().rebuild();
    return left.length === 0 && lost.length === 0;
  },
  health: async (engine) => (await engine.forPerson().health()).sound,
  journal: async (engine) => (await engine.forPerson().journal()).bytes >= 0,
  backUpIfDue: async (engine) => (await engine.forPerson().backUpIfDue()) !== undefined || (await engine.forPerson().backups()).length > 0,
  verify: async (engine) => (await engine.verify()).is === 'intact',
};

export const jobs = Object.keys(runs) as Job[];

/** Functions that the doors have and that nothing here names. */
export const unnamed = (engine: Engine): string[] => [
  ...Object.keys(engine).filter((name) => !(name in engineDoor)),
  ...Object.keys(engine.forPerson()).filter((name) => !(name in personDoor)),
];

/** Runs every job there is, in an order that lets none of them hide another. @returns those that did not do what they should. */
export async function runJobs(engine: Engine): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, run] of Object.entries(runs)) {
    try {
      if (!(await unhindered(() => run(engine)))) failed.push(name);
    } catch (error) {
      failed.push(`${name} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  return failed;
}

/** A job that another process is in the way of is tried again, as the host does at its next turn. */
async function unhindered<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      if (attempt === 5 || !(error instanceof StetError && error.code === 'store_busy')) throw error;
    }
}

/** Runs every job as a host does that is opened this many days later. */
export async function runJobsLater(world: World, days: number): Promise<string[]> {
  const engine = await world.opened({ now: () => new Date(Date.now() + days * 24 * 60 * 60 * 1000) });
  try {
    return await runJobs(engine);
  } finally {
    await engine.close();
  }
}
