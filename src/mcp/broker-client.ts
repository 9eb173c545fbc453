import type { Clock } from "../mailbox/clock.ts";
import type { Channel } from "../mailbox/rpc/channel.ts";
import { receive, type Server, sender, serve } from "../mailbox/rpc/server.ts";
import type { Handlers, NoticeHandlers } from "../mailbox/rpc/table.ts";
import { type Helper, openHelper } from "../processes/helper-process.ts";
import { hostTag, killTagged } from "../processes/host-tag.ts";
import { signalGroup } from "../processes/process-group.ts";
import { type BROKER_NOTICES, SESSION_NOTICES, SESSION_REQUESTS } from "./protocol.ts";

/** In `dist` all bundles lie in one folder; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./broker/process.ts" : "./mcp-broker.js",
  import.meta.url,
);
/** Servers that ignore every word cost the broker about 4 s; after this it is the broker that hangs. */
const END_PATIENCE_MS = 12_000;

export interface BrokerParts {
  readonly requests: Handlers<typeof SESSION_REQUESTS>;
  /** Where its servers' processes are is for this file. */
  readonly notices: Omit<NoticeHandlers<typeof SESSION_NOTICES>, "process">;
  onGone(how: string): void;
}

/** One life of the broker's process, with the servers that it has started. */
export class BrokerClient {
  readonly channel: Channel;
  readonly tell: ReturnType<typeof sender<typeof BROKER_NOTICES>>;
  readonly #process: Helper;
  readonly #asked: Server;
  /** Groups of servers, by their leaders. */
  readonly #groups = new Set<number>();
  #startedAny = false;

  constructor(
    env: Readonly<Record<string, string>>,
    clock: Clock,
    { requests, notices, onGone }: BrokerParts,
  ) {
    this.#process = openHelper({
      ...{ entry: ENTRY, env, clock },
      onGone: (how) => {
        this.#endServers(how);
        onGone(how);
      },
    });
    this.channel = this.#process.channel;
    this.tell = sender<typeof BROKER_NOTICES>(this.channel);
    this.#asked = serve(this.channel, SESSION_REQUESTS, requests);
    const process = (said: { readonly pid: number; readonly running: boolean }) => {
      this.#startedAny = true;
      if (said.running) this.#groups.add(said.pid);
      else this.#groups.delete(said.pid);
    };
    receive(this.channel, SESSION_NOTICES, { ...notices, process }, () => this.kill());
  }

  /** Ends all servers, then the broker; resolves when it has exited. */
  end(): Promise<void> {
    void this.#asked.close();
    return this.#process.end(END_PATIENCE_MS);
  }

  /** Nothing of it can be trusted any more. */
  kill(): void {
    this.#process.kill();
  }

  /** A broker that was killed could not end its servers. */
  #endServers(how: string): void {
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    const { pid } = this.#process;
    if (pid !== undefined && (this.#groups.size > 0 || (this.#startedAny && how !== "exit code 0")))
      killTagged(hostTag(process.pid, pid));
  }
}
