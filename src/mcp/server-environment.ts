import { cleanEnvironment } from "../processes/environment.ts";

/**
 * What a server may see of the person's environment: where things are, who one is, how to speak. Everything else
 * it gets only where its entry names it, because a server is somebody else's program.
 */
const ALLOWED = new Set([
  ..."PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ".split(" "),
  // What Windows needs to start anything.
  ..."SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE APPDATA LOCALAPPDATA".split(
    " ",
  ),
  // A server that is a Troupe must know that it was started by one that serves agents itself.
  "TROUPE_MCP_DEPTH",
]);
const ALLOWED_PREFIXES = ["LC_", "XDG_"];

/** The environment of every server, before what its own entry adds. */
export function serverEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const allowed = Object.entries(env).filter(([name]) => {
    const upper = name.toUpperCase();
    return ALLOWED.has(upper) || ALLOWED_PREFIXES.some((prefix) => upper.startsWith(prefix));
  });
  return cleanEnvironment(Object.fromEntries(allowed));
}

/** What the broker itself needs besides: the way to the network, and whom to believe there. */
const FOR_THE_NETWORK = [
  ..."HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_USE_ENV_PROXY".split(" "),
  ..."NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR NODE_COMPILE_CACHE".split(" "),
];

/** The environment of the broker's own process. */
export function brokerEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const own = FOR_THE_NETWORK.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...serverEnvironment(env), ...Object.fromEntries(own) };
}
