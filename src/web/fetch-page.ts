import type { Clock } from "../mailbox/clock.ts";
import { fetchTarget } from "../policy/engine/network-hosts.ts";
import { describeFailure, describeStatus, type FetchProblem, problem } from "./fetch-error.ts";
import { guardedLookup, type Resolve } from "./guard.ts";
import { sendRequest, type WebResponse } from "./request.ts";

/** Milliseconds from the first connection to the last byte, redirects included. */
export const FETCH_MS = 60_000;
const MOST_REDIRECTS = 5;
/** Of a body that is only looked at for the reason of an error. */
const LOOKED_AT = 20_000;

/** A response with a body that is to be read. */
export interface FetchedPage {
  readonly type: "page";
  /** Where it was in the end. */
  readonly url: URL;
  /** As the server says; "" if it does not. */
  readonly contentType: string;
  readonly body: Buffer;
  readonly isCut: boolean;
}

export type Fetched =
  | FetchedPage
  /** Another host must be decided on before it is asked. */
  | { readonly type: "redirect"; readonly to: URL; readonly status: number }
  | FetchProblem;

export interface FetchPorts {
  readonly clock: Pick<Clock, "after">;
  readonly resolve: Resolve;
  /** True if a rule allows this very host or address. */
  readonly namesHost: (host: string) => boolean;
  readonly ca?: string;
}

/** As it is asked for: https where it may be, without the fragment. A string is what is wrong with it. */
export function requestUrl(written: string, namesHost: (host: string) => boolean): URL | string {
  const { host, odd, guarded } = fetchTarget(written);
  if (odd !== null || host === null)
    return `${JSON.stringify(written.slice(0, 200))} cannot be fetched: ${odd ?? "it names no host"}.`;
  const url = new URL(written);
  url.hash = "";
  if (url.protocol === "http:" && !guarded && !namesHost(host)) url.protocol = "https:";
  return url;
}

/** Fetches one page that was allowed. Rejects only if `signal` is aborted. */
export async function fetchPage(start: URL, ports: FetchPorts, signal: AbortSignal): Promise<Fetched> {
  const limit = new AbortController();
  const withdraw = ports.clock.after(FETCH_MS, () => limit.abort(new Error("late")));
  const ended = AbortSignal.any([signal, limit.signal]);
  try {
    return await follow(start, ports, ended);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted)
      return problem(
        `${start.host} did not send the page within ${FETCH_MS / 1000} s. Try again, or use another source.`,
      );
    return problem(describeFailure(error, start));
  } finally {
    withdraw();
  }
}

async function follow(start: URL, ports: FetchPorts, signal: AbortSignal): Promise<Fetched> {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await sendRequest({
      url,
      headers: { accept: "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5" },
      lookup: guardedLookup({
        ...{ resolve: ports.resolve, namesHost: ports.namesHost },
        isAllowed: fetchTarget(url.href).guarded,
      }),
      ...(ports.ca ? { ca: ports.ca } : {}),
      signal,
    });
    const location = redirectOf(response);
    if (location === null) return pageOf(url, response);
    const to = redirectTarget(location, url, ports.namesHost);
    if (typeof to === "string") return problem(to);
    if (isLogin(to) && !isLogin(start))
      return problem(
        `${url.host} wants a login: it redirects to ${to.origin}${to.pathname}. WebFetch has no account anywhere; use a tool that has one, such as gh or an MCP server, or tell the user.`,
      );
    if (to.hostname !== url.hostname) return { type: "redirect", to, status: response.status };
    url = to;
  }
  return problem(`${start.host} redirects in circles: ${MOST_REDIRECTS} redirects led to no page.`);
}

/** Of a URL that a server names; what is longer is a message of its own. */
const MOST_URL_CHARS = 2_000;

/** Where a redirect leads; a string is why nobody goes there. What was asked for over https is never asked for over http. */
function redirectTarget(location: string, from: URL, namesHost: (host: string) => boolean): URL | string {
  const odd = `${from.host} redirects to an address that cannot be fetched`;
  if (location.length > MOST_URL_CHARS) return `${odd}: it has ${location.length} characters.`;
  if (!URL.canParse(location, from.href)) return `${odd}: ${JSON.stringify(location)} is not a URL.`;
  const to = requestUrl(new URL(location, from.href).href, namesHost);
  if (typeof to === "string") return `${odd}. ${to}`;
  if (from.protocol === "https:" && to.hostname === from.hostname) to.protocol = "https:";
  return to;
}

const LOGIN_HOST = /^(?:log-?in|sign-?in|accounts?|auth|sso|idp|oauth2?)\./i;
const LOGIN_PATH =
  /\/(?:log-?in|sign-?in|sso|oauth2?|saml2?|authorize|session\/new|wp-login\.php)(?:\/|$|\.)/i;

/** Whether an address is that of a page where people sign in. */
export function isLogin({ hostname, pathname }: URL): boolean {
  return LOGIN_HOST.test(hostname) || LOGIN_PATH.test(pathname);
}

function redirectOf({ status, headers: { location } }: WebResponse): string | null {
  return [301, 302, 303, 307, 308].includes(status) && location !== undefined ? location : null;
}

function pageOf(url: URL, { status, headers, body, isCut }: WebResponse): Fetched {
  if (status === 200 || status === 203)
    return { type: "page", url, contentType: headers["content-type"] ?? "", body, isCut };
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return problem(
    describeStatus(status, { url, body: body.subarray(0, LOOKED_AT).toString("latin1"), header }),
  );
}
