/** The engine behind the tools, opened when it is first wanted and not before the client has its list of tools. */
import { openEngine, type Engine, type EngineOptions } from '../engine';

export interface Store {
  /** The open engine. What fails to open is tried again at the next call. @throws the engine's own errors. */
  engine(): Promise<Engine>;
  /** Says that the open store could not be used, so that the next call opens it anew. */
  giveUp(): void;
  close(): Promise<void>;
}

export function storeAt(options: EngineOptions): Store {
  let opening: Promise<Engine> | undefined;
  return {
    engine: () => {
      opening ??= openEngine(options).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    giveUp: () => {
      const given = opening;
      opening = undefined;
      void given?.then((engine) => engine.close()).catch(() => undefined); // it was of no use any more
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined); // what never opened needs no closing
      await opened?.close();
    },
  };
}
