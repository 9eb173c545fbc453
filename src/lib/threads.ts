import { Worker } from "node:worker_threads";

/** A thread whose first message is its data, so that it can boot before anyone knows that data. */
export interface ThreadKind {
  readonly name: string;
  /** The file it runs. */
  readonly entry: URL;
}

/** Starts a thread. Throws if the machine has no room for it. The caller sends the data, and ends the thread. */
export type StartThread = (kind: ThreadKind) => Worker;

export const startThread: StartThread = ({ name, entry }) => {
  // Of the environment a thread gets only the compile cache, to start faster: no key.
  const cache = process.env["NODE_COMPILE_CACHE"];
  return new Worker(entry, {
    ...{ name, env: cache ? { NODE_COMPILE_CACHE: cache } : {}, execArgv: [] },
    // Without a limit the garbage of long conversations grows to 134 MB before anything is collected.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  });
};

/** Threads that boot while the program reads what to tell them: each takes 20 to 45 ms of another core. */
export interface ThreadsAhead {
  /** Hands out the thread that is ahead, once, or starts another. */
  readonly start: StartThread;
  /** Ends those that no one has taken. */
  close(): Promise<void>;
}

/** Boots one thread of each kind. They keep no program alive. Throws if the machine has no room for them. */
export function startAhead(kinds: readonly ThreadKind[]): ThreadsAhead {
  const ahead = new Map(kinds.map((kind) => [kind.entry.href, threadAhead(kind)]));
  return {
    start(kind) {
      const taken = ahead.get(kind.entry.href)?.take() ?? null;
      if (taken === null) return startThread(kind);
      taken.ref();
      return taken;
    },
    async close() {
      await Promise.all([...ahead.values()].map((one) => one.take()?.terminate()));
    },
  };
}

/** `take` returns null if the thread was taken before, or has died. */
function threadAhead(kind: ThreadKind): { take(): Worker | null } {
  let waiting: Worker | null = startThread(kind);
  waiting.unref();
  const forget = () => {
    waiting = null;
  };
  waiting.on("error", forget).on("exit", forget);
  return {
    take() {
      const worker = waiting;
      waiting = null;
      return worker?.off("error", forget).off("exit", forget) ?? null;
    },
  };
}
