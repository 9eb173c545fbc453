import type { Clock } from "../lib/clock.ts";
import { errorCode, errorMessage } from "../lib/errors.ts";
import { GuardedAddressError } from "./guard.ts";
import { EncodingError } from "./request.ts";

/** Why a page could not be fetched: sentences for a model that say what happened and what to do. */
export interface FetchProblem {
  readonly type: "problem";
  readonly message: string;
}

export function problem(message: string): FetchProblem {
  return { type: "problem", message };
}

/** An error of the connection is a problem, and so is `late`; rejects only if `signal` is aborted. */
export async function withinTime<T>(
  {
    ms,
    clock,
    url,
    late,
  }: {
    readonly ms: number;
    readonly clock: Pick<Clock, "after">;
    readonly url: URL;
    readonly late: string;
  },
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T | FetchProblem> {
  const limit = new AbortController();
  const withdraw = clock.after(ms, () => limit.abort(new Error("late")));
  try {
    return await request(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    signal.throwIfAborted();
    return problem(limit.signal.aborted ? late : describeFailure(error, url));
  } finally {
    withdraw();
  }
}

export const LOGIN_ADVICE =
  "WebFetch has no account anywhere; use a tool that has one, such as gh or an MCP server, or tell the user.";
const OTHER_SOURCE = "Use another source, or tell the user.";

function describeFailure(error: unknown, url: URL): string {
  const { host, hostname } = url;
  if (error instanceof GuardedAddressError)
    return `${hostname} was not fetched: the name leads to ${error.address}, a private or local address. If this is intended, the user can allow it with the rule WebFetch(domain:${error.address}).`;
  if (error instanceof EncodingError) return `The response of ${host} cannot be unpacked: ${error.message}.`;
  // If several addresses failed, the first error is enough.
  const code = errorCode(error instanceof AggregateError ? error.errors[0] : error) ?? "";
  switch (code) {
    case "ENOTFOUND":
      return `DNS: there is no host ${hostname}. Check the spelling of the URL.`;
    case "EAI_AGAIN":
    case "ETIMEOUT":
    case "ESERVFAIL":
      return `DNS: the name server gave no answer for ${hostname} (${code}). There may be no network; try again later.`;
    case "ECONNREFUSED":
      return `${host} refused the connection: nothing listens there. ${httpHint(url)}`.trim();
    case "ECONNRESET":
    case "EPIPE":
      return `${host} closed the connection before the page was complete. Try again, or use another source.`;
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
      return `${host} cannot be reached (${code}). ${OTHER_SOURCE}`;
    default:
      break;
  }
  if (isTls(code)) return `TLS: no secure connection to ${host} (${code}). ${httpHint(url)}`.trim();
  if (/^(?:Z_|ERR__|ERR_BROTLI)/.test(code))
    return `The response of ${host} cannot be unpacked: its compression is damaged.`;
  if (code.startsWith("HPE_")) return `${host} sent a response that is not valid HTTP (${code}).`;
  return `${host} cannot be fetched: ${errorMessage(error).replace(/\s+/g, " ").slice(0, 200)}.`;
}

/** The address was given as http, and https was asked for. */
function httpHint({ protocol, hostname }: URL): string {
  if (protocol !== "https:") return "";
  return `WebFetch asks over https; for a host that speaks only http, the user can add the rule WebFetch(domain:${hostname}).`;
}

function isTls(code: string): boolean {
  return (
    /^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECODE|DECRYPT)|HOSTNAME_MISMATCH|INVALID_CA)/.test(
      code,
    ) || code === "EPROTO"
  );
}

export function describeStatus(
  status: number,
  { url, body, header }: { url: URL; body: string; header: (name: string) => string | undefined },
): string {
  const { host } = url;
  if (isRobotWall(status, body, header))
    return `${host} admits no programs: it answers with a check for robots (status ${status}). ${OTHER_SOURCE}`;
  switch (status) {
    case 401:
    case 407:
      return `${host} wants a login (status ${status}). ${LOGIN_ADVICE}`;
    case 403:
      return `${host} refuses this page (status 403): it may need an account, or admits no programs. ${OTHER_SOURCE}`;
    case 404:
    case 410:
      return `${host} has no such page (status ${status}). Check the URL, or look for the page from the site's start page.`;
    case 429: {
      const after = header("retry-after")
        ?.replace(/[^\w ,:-]/g, "")
        .slice(0, 40);
      return `${host} accepts no further requests for now (status 429)${after ? `; it says to wait: ${after}` : ""}. Try again later.`;
    }
    default:
      return status >= 500
        ? `${host} failed to serve the page (status ${status}). Try again later.`
        : `${host} answered with status ${status} and no page.`;
  }
}

function isRobotWall(status: number, body: string, header: (name: string) => string | undefined): boolean {
  if (header("cf-mitigated") === "challenge") return true;
  if (status !== 403 && status !== 429 && status !== 503) return false;
  return /<title>\s*(?:just a moment|attention required|access denied|are you a (?:human|robot)|verify(?:ing)? you are human)|captcha|cf-chl|_Incapsula_|datadome|px-captcha/i.test(
    body,
  );
}
