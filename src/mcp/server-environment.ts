import { cleanEnvironment } from "../processes/environment.ts";

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
