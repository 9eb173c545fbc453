import { chownSync, readFileSync } from "node:fs";
import type { Clock } from "../lib/clock.ts";
import type { Channel } from "../mailbox/rpc/channel.ts";
import type { RunnerExit } from "../mailbox/runners.ts";
import { Helper, type SystemUser, withCompileCache } from "../processes/helper-process.ts";
import { signalGroup } from "../processes/process-group.ts";

/** The bundler keeps the entry's name; the sources run as they are. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./agent-process.ts" : "./agent-process.cjs",
  import.meta.url,
);
/** Milliseconds that a process may take to exit after its loop has ended. */
const EXIT_MS = 2_000;
const NO_MEMORY = /heap out of memory|Allocation failed|Zone Allocation/;

export interface AgentProcess {
  readonly channel: Channel;
  /** Undefined if it could not be started. */
  readonly pid: number | undefined;
  /** Resolves with how it ended by itself. */
  readonly ended: Promise<Extract<RunnerExit, { type: "died" | "out-of-memory" }>>;
  /** Lets it exit, as its loop has ended; resolves when it has. */
  end(): Promise<void>;
  /** Ends it and its group immediately. */
  kill(): void;
}

export interface ForkOptions {
  readonly clock: Clock;
  /** Megabytes of its heap. */
  readonly memoryMb: number;
  readonly user: AgentUser | undefined;
}

/** The variables of an agent's process: where programs and its home are, and its language. No key is among them. */
const VARIABLES = ["PATH", "HOME", "LANG"];

/** Starts the process of an attempt; it waits for its spec. */
export function forkAgent({ clock, memoryMb, user }: ForkOptions): AgentProcess {
  const ended = Promise.withResolvers<Extract<RunnerExit, { type: "died" | "out-of-memory" }>>();
  const variables: Readonly<Record<string, string | undefined>> = {
    ...process.env,
    ...(user === undefined ? {} : { HOME: user.home }),
  };
  const env = Object.fromEntries(
    VARIABLES.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
  );
  const helper = new Helper({
    ...{ entry: ENTRY, env: withCompileCache(env), clock, user },
    flags: [`--max-old-space-size=${memoryMb}`, "--max-semi-space-size=8", "--v8-pool-size=1"],
    onGone(how, complaints) {
      ended.resolve(NO_MEMORY.test(complaints) ? { type: "out-of-memory" } : { type: "died", message: how });
    },
  });
  const kill = () => {
    if (helper.pid !== undefined) signalGroup(helper.pid, "SIGKILL");
    helper.kill();
  };
  return {
    ...{ channel: helper.channel, pid: helper.pid, ended: ended.promise, kill },
    end: () => helper.end(EXIT_MS),
  };
}

/** Keeps one process booted, so that an attempt begins without waiting for it. */
export class AgentForks {
  readonly #options: ForkOptions;
  #spare: AgentProcess | null = null;
  #isClosed = false;

  constructor(options: ForkOptions) {
    this.#options = options;
  }

  /** Boots a spare one, unless one waits. */
  warm(): void {
    if (this.#spare !== null || this.#isClosed) return;
    const spare = forkAgent(this.#options);
    this.#spare = spare;
    void spare.ended.then(() => {
      if (this.#spare === spare) this.#spare = null;
    });
  }

  take(): AgentProcess {
    const taken = this.#spare ?? forkAgent(this.#options);
    this.#spare = null;
    return taken;
  }

  close(): void {
    this.#isClosed = true;
    this.#spare?.kill();
    this.#spare = null;
  }
}

/** The user as whom agents and their commands run. */
export interface AgentUser extends SystemUser {
  readonly name: string;
  readonly home: string;
}

/** Returns a user of this machine; null if there is no such user in its list. */
export function findAgentUser(
  name: string,
  list: string = readFileSync("/etc/passwd", "utf8"),
): AgentUser | null {
  for (const line of list.split("\n")) {
    const [known, , uid = "", gid = "", , home = ""] = line.split(":");
    if (known === name && /^\d+$/.test(uid) && /^\d+$/.test(gid) && home.startsWith("/"))
      return { name, uid: Number(uid), gid: Number(gid), home };
  }
  return null;
}

/** Makes a file or a directory that user's own. */
export function giveTo(user: SystemUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}
