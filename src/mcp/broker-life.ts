import type { Clock } from "../mailbox/clock.ts";
import { HelperProcess } from "../processes/helper-process.ts";
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

/** What the session has to know of a broker's words; where its servers' processes are is for this file. */
type Heard = Exclude<FromBroker, { type: "process" }>;

/** One life of the broker's process, with the servers that it has started. */
export class BrokerLife {
  readonly #process: HelperProcess<FromBroker, ToBroker>;
  readonly #hear: (message: Heard) => void;
  /** Groups of servers, by their leaders. */
  readonly #groups = new Set<number>();
  #startedAny = false;

  constructor(
    env: Readonly<Record<string, string>>,
    clock: Clock,
    { hear, onGone }: { hear(message: Heard): void; onGone(how: string): void },
  ) {
    this.#hear = hear;
    this.#process = new HelperProcess({
      ...{ entry: ENTRY, env, clock, words: FromBroker },
      hear: (message) => this.#receive(message),
      onGone: (how) => {
        this.#endServers(how);
        onGone(how);
      },
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(message: ToBroker): void {
    this.#process.send(message);
  }

  /** Ends all servers, then the broker; resolves when it has exited. */
  end(): Promise<void> {
    return this.#process.end(END_PATIENCE_MS);
  }

  kill(): void {
    this.#process.kill();
  }

  #receive(message: FromBroker): void {
    if (message.type !== "process") {
      this.#hear(message);
      return;
    }
    this.#startedAny = true;
    if (message.running) this.#groups.add(message.pid);
    else this.#groups.delete(message.pid);
  }

  /** A broker that was killed could not end its servers. */
  #endServers(how: string): void {
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    const { pid } = this.#process;
    if (pid !== undefined && (this.#groups.size > 0 || (this.#startedAny && how !== "exit code 0")))
      killTagged(hostTag(process.pid, pid));
  }
}
