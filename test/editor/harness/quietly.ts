/** Runs `work` without what it prints: vsce lists the files of each package and cannot be told not to. */
export async function quietly(work: () => Promise<unknown>): Promise<void> {
  const { log, info, warn } = console;
  console.log = console.info = console.warn = () => undefined;
  try {
    await work();
  } finally {
    Object.assign(console, { log, info, warn });
  }
}
