import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Clock, within } from "../mailbox/clock.ts";
import { hostTag, killTagged } from "../processes/host-tag.ts";
import { signalGroup } from "../processes/process-group.ts";
import { FromBroker, type ToBroker } from "./protocol.ts";

/** In `dist` all bundles lie in one folder; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./broker/process.ts" : "./mcp-broker.js",
  import.meta.url,
);
/** Servers that ignore every word cost the broker about 4 s; after this it is the broker that hangs. */
const END_PATIENCE_MS = 12_000;
const STDERR_CHARS = 2_000;

/** One life of the broker's process, as the session sees it. */
export class BrokerLife {
  readonly #process: ChildProcess;
  readonly #clock: Clock;
  readonly #hear: (message: FromBroker) => void;
  readonly #onGone: (how: string) => void;
  readonly #gone = Promise.withResolvers<void>();
  /** Groups of servers, by their leaders. */
  readonly #groups = new Set<number>();
  #startedAny = false;
  #complaints = "";
  #alive = true;

  constructor(
    env: Readonly<Record<string, string>>,
    clock: Clock,
    { hear, onGone }: { hear(message: FromBroker): void; onGone(how: string): void },
  ) {
    this.#clock = clock;
    this.#hear = hear;
    this.#onGone = onGone;
    this.#process = forkBroker(env);
    this.#process.on("message", (message) => this.#receive(message));
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#complaints = (this.#complaints + chunk.toString("utf8")).slice(-STDERR_CHARS);
    });
    this.#process.once("error", (error) => this.#bury(error.message));
    this.#process.once("exit", (code, signal) => {
      // What it said last may still be in the channel, and names the groups that must end with it.
      const how = signal ?? `exit code ${code}`;
      if (this.#process.connected) this.#process.once("disconnect", () => this.#bury(how));
      else this.#bury(how);
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** What cannot be sent needs no care of its own: the broker's end settles everything. */
  send(message: ToBroker): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  /** Ends all servers, then the broker; resolves when it has exited. */
  async end(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    if (!(await within(this.#clock, END_PATIENCE_MS, this.#gone.promise))) this.kill();
    await this.#gone.promise;
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  #receive(raw: unknown): void {
    const parsed = FromBroker.safeParse(raw);
    if (!parsed.success) {
      // Not the words of our broker: nothing it says can be trusted any more.
      this.kill();
      return;
    }
    const message = parsed.data;
    if (message.type !== "process") {
      this.#hear(message);
      return;
    }
    this.#startedAny = true;
    if (message.running) this.#groups.add(message.pid);
    else this.#groups.delete(message.pid);
  }

  #bury(how: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    // A broker that was killed could not end its servers.
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    const { pid } = this.#process;
    if (pid !== undefined && (this.#groups.size > 0 || (this.#startedAny && how !== "exit code 0")))
      killTagged(hostTag(process.pid, pid));
    const last = this.#complaints.trim().split("\n").at(-1);
    this.#onGone(last ? `${how}: ${last}` : how);
    this.#gone.resolve();
  }
}

/** Detached: Ctrl-C at the terminal is the main process's to answer, and must not end the servers under it. */
function forkBroker(env: Readonly<Record<string, string>>): ChildProcess {
  return fork(fileURLToPath(ENTRY), [], {
    env,
    execArgv: [],
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
