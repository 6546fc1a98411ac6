/** The engine behind the tools, opened when it is first wanted and not before the client has its list of tools. */
import { openEngine, type Engine, type EngineOptions } from '../engine';

export interface Store {
  /** The open engine. What fails to open is tried again at the next call. @throws the engine's own errors. */
  engine(): Promise<Engine>;
  /** Says that this open store could not be used, so that the next call opens it anew; one that was opened since is kept. */
  giveUp(engine: Engine): void;
  close(): Promise<void>;
}

export function storeAt(options: EngineOptions): Store {
  let opening: Promise<Engine> | undefined;
  let open: Engine | undefined;
  return {
    engine: () => {
      opening ??= openEngine(options).then(
        (engine) => (open = engine),
        (error: unknown) => {
          opening = undefined;
          throw error;
        },
      );
      return opening;
    },
    giveUp: (engine) => {
      if (engine !== open) return;
      opening = open = undefined;
      engine.close().catch(() => undefined); // it was of no use any more
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined); // what never opened needs no closing
      await opened?.close();
    },
  };
}
