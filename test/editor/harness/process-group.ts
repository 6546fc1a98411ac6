import { readFileSync, readdirSync } from 'node:fs';

/** Sends a signal to every process of a group; a group that is gone is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** True while a process of the group runs. One that ended and waits to be collected does not count. */
export function groupIsAlive(group: number): boolean {
  if (process.platform !== 'linux') return answersSignal(group);
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && runsInGroup(name, group));
}

function runsInGroup(pid: string, group: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return false; // It ended between the listing and this line.
  }
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(processGroup) === group && state !== 'Z' && state !== 'X';
}

function answersSignal(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
