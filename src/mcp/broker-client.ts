import type { Clock } from "../lib/clock.ts";
import type { Channel } from "../mailbox/rpc/channel.ts";
import { receive, type Server, sender, serve } from "../mailbox/rpc/server.ts";
import type { Handlers, NoticeHandlers } from "../mailbox/rpc/table.ts";
import { cleanEnvironment } from "../processes/environment.ts";
import { Helper } from "../processes/helper-process.ts";
import { hostTag, killTagged } from "../processes/host-tag.ts";
import { signalGroup } from "../processes/process-group.ts";
import { type BROKER_NOTICES, SESSION_NOTICES, SESSION_REQUESTS } from "./protocol.ts";

/** In `dist` all bundles are in one directory; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./broker/main.ts" : "./mcp-broker.cjs",
  import.meta.url,
);

/** Servers that ignore every signal cost the broker about 4 s; after this the broker itself hangs. */
const CLOSE_MS = 12_000;

interface BrokerParts {
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly requests: Handlers<typeof SESSION_REQUESTS>;
  readonly notices: Omit<NoticeHandlers<typeof SESSION_NOTICES>, "process">;
  onGone(how: string): void;
}

/** One process of the broker, with the servers that it has started. */
export class BrokerClient {
  readonly channel: Channel;
  readonly notify: ReturnType<typeof sender<typeof BROKER_NOTICES>>;
  readonly #process: Helper;
  readonly #requests: Server;
  /** Process groups of servers that run, by their leaders. */
  readonly #groups = new Set<number>();
  #startedAny = false;

  constructor({ env, clock, requests, notices, onGone }: BrokerParts) {
    this.#process = new Helper({
      ...{ entry: ENTRY, env, clock },
      onGone: (how) => {
        this.#killServers(how);
        onGone(how);
      },
    });
    this.channel = this.#process.channel;
    this.notify = sender<typeof BROKER_NOTICES>(this.channel);
    this.#requests = serve(this.channel, SESSION_REQUESTS, requests);
    receive(this.channel, SESSION_NOTICES, {
      ...notices,
      process: ({ pid, running }) => {
        this.#startedAny = true;
        if (running) this.#groups.add(pid);
        else this.#groups.delete(pid);
      },
    });
  }

  close(): Promise<void> {
    void this.#requests.close();
    return this.#process.end(CLOSE_MS);
  }

  /** A broker that was killed could not end its servers. */
  #killServers(how: string): void {
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    const { pid } = this.#process;
    if (pid !== undefined && (this.#groups.size > 0 || (this.#startedAny && how !== "exit code 0")))
      killTagged(hostTag(process.pid, pid));
  }
}

/** The only variables of the user that a server, a foreign program, gets; its entry names others. */
const ALLOWED = new Set([
  ..."PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ".split(" "),
  // Windows starts nothing without these.
  ..."SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE APPDATA LOCALAPPDATA".split(
    " ",
  ),
  // A server that is a Troupe must know that a serving one started it.
  "TROUPE_MCP_DEPTH",
]);
const ALLOWED_PREFIXES = ["LC_", "XDG_"];

/** The broker itself also needs the way to the network, and the authorities to trust there. */
const FOR_THE_NETWORK = [
  ..."HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_USE_ENV_PROXY".split(" "),
  ..."NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR NODE_COMPILE_CACHE".split(" "),
];

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of every server, before what its own entry adds. */
export function serverEnvironment(env: Environment): Record<string, string> {
  const allowed = Object.entries(env).filter(([name]) => {
    const upper = name.toUpperCase();
    return ALLOWED.has(upper) || ALLOWED_PREFIXES.some((prefix) => upper.startsWith(prefix));
  });
  return cleanEnvironment(Object.fromEntries(allowed));
}

export function brokerEnvironment(env: Environment): Record<string, string> {
  const own = FOR_THE_NETWORK.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...serverEnvironment(env), ...Object.fromEntries(own) };
}
