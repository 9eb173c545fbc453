import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** The one way out of a sandbox that has allowed hosts. */
export interface Network {
  /** Starts the relay to the filter, then what follows without Unix sockets. */
  readonly bridge: string[];
  /** Where programs find the relay. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const PORT = 3128;

/** Ends with the command: the sandbox kills what is left in it. */
const RELAY = `"$1" "TCP4-LISTEN:${PORT},bind=127.0.0.1,fork,reuseaddr,backlog=4096" "UNIX-CONNECT:$2" >/dev/null 2>&1 & until (exec 8<>/dev/tcp/127.0.0.1/${PORT}) 2>/dev/null; do sleep 0.02; done; shift 2; exec "$@"`;

/**
 * Opens a proxy on a Unix socket that lets only these hosts through; bubblewrap's network contains nothing else. Throws
 * if its package cannot be used on this machine.
 */
export async function openNetwork(
  { allowed, denied }: { readonly allowed: readonly string[]; readonly denied: readonly string[] },
  { socat, shell, directory }: { readonly socat: string; readonly shell: string; readonly directory: string },
): Promise<Network> {
  const [{ createHttpProxyServer }, { matchesDomainPatternWithPort }, { getApplySeccompBinaryPath }, parent] =
    await Promise.all([
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js"),
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js"),
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/generate-seccomp-filter.js"),
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/parent-proxy.js"),
    ]);
  const filter = getApplySeccompBinaryPath();
  if (filter === null) throw new Error("there is no filter of system calls for this machine");
  const token = randomBytes(18).toString("hex");
  const parentProxy = parent.resolveParentProxy();
  const server = createHttpProxyServer({
    filter(port, host) {
      const isIn = (list: readonly string[]) =>
        list.some((pattern) => matchesDomainPatternWithPort(host, port, pattern));
      return isIn(allowed) && !isIn(denied);
    },
    proxyAuthToken: token,
    ...(parentProxy === undefined ? {} : { parentProxy }),
  });
  const socket = join(directory, "proxy");
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  server.unref();
  const proxy = `http://srt:${token}@localhost:${PORT}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    bridge: [shell, "--noprofile", "--norc", "-c", RELAY, "bash", socat, socket, filter],
    env: Object.fromEntries([
      ...names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, proxy]),
      ...["NO_PROXY", "no_proxy"].map((name) => [name, ""]),
    ]),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
