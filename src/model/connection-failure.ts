import { SERVERS } from "./base-url.ts";
import type { ModelFailure } from "./client.ts";
import type { Where } from "./failures.ts";

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: nothing listens there",
  ENOTFOUND: "no such host is known",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  EMFILE: "too many files are open",
  ERR_INVALID_CHAR: "the key has a character that cannot be sent, such as a line break",
};

const TLS =
  /^(EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET)_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;

/** Returns the failure of a missing or interrupted response for a network reason (faults 9, 10, 12 and 13). */
export function connectionFailure(error: unknown, { host, kind, proxy }: Where): ModelFailure {
  const { address } = SERVERS[kind];
  const code = codeOf(error);
  if (TLS.test(code))
    return {
      kind: "connection",
      final: true,
      message: `The certificate of ${host} cannot be verified (${code}); check the address, or name your authority's file in NODE_EXTRA_CA_CERTS.`,
    };
  const what =
    proxy == null
      ? `check that the server runs and that ${address} is right`
      : `check that the server runs, ${address}, and the proxy that ${proxy} names`;
  const cause = CAUSES[code] ?? (code === "" ? "the connection broke" : `the connection broke, ${code}`);
  return {
    kind: "connection",
    message: `No complete answer from ${host} (${cause}); ${what}.`,
  };
}

/** Returns the code of the innermost cause: there is one error per address of a host. */
function codeOf(error: unknown): string {
  let code = "";
  let cause: unknown = error;
  for (let depth = 0; depth < 6 && typeof cause === "object" && cause !== null; depth++) {
    if ("code" in cause && typeof cause.code === "string") code = cause.code;
    if ("errors" in cause && Array.isArray(cause.errors) && code === "") cause = cause.errors[0];
    else cause = "cause" in cause ? cause.cause : undefined;
  }
  return code;
}
