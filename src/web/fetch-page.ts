import type { Clock } from "../lib/clock.ts";
import { fetchTarget } from "../policy/engine/network-hosts.ts";
import { describeStatus, type FetchProblem, LOGIN_ADVICE, problem, withinTime } from "./fetch-error.ts";
import { guardedLookup, type Resolve } from "./guard.ts";
import { sendRequest, type WebResponse } from "./request.ts";

/** Milliseconds from the first connection to the last byte, redirects included. */
export const FETCH_MS = 60_000;
const MOST_REDIRECTS = 5;
/** Bytes of a body that are read for the reason of an error. */
const MOST_ERROR = 20_000;
const MOST_URL_CHARS = 2_000;

export interface FetchedPage {
  readonly type: "page";
  readonly url: URL;
  readonly contentType: string;
  readonly body: Buffer;
  readonly isCut: boolean;
}

export type Fetched =
  | FetchedPage
  /** Another host needs a permission of its own. */
  | { readonly type: "redirect"; readonly to: URL; readonly status: number }
  | FetchProblem;

export interface FetchPorts {
  readonly clock: Pick<Clock, "after">;
  readonly resolve: Resolve;
  /** True if a rule allows this very host or address. */
  readonly namesHost: (host: string) => boolean;
  readonly ca?: string;
}

/** Returns the URL to request, without its fragment and with https if possible, or what is wrong with it. */
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
export function fetchPage(start: URL, ports: FetchPorts, signal: AbortSignal): Promise<Fetched> {
  const late = `${start.host} did not send the page within ${FETCH_MS / 1000} s. Try again, or use another source.`;
  return withinTime({ ms: FETCH_MS, clock: ports.clock, url: start, late }, signal, (either) =>
    followRedirects(start, ports, either),
  );
}

async function followRedirects(start: URL, ports: FetchPorts, signal: AbortSignal): Promise<Fetched> {
  const { resolve, namesHost, ca } = ports;
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await sendRequest({
      url,
      headers: { accept: "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5" },
      lookup: guardedLookup({ resolve, namesHost, isAllowed: fetchTarget(url.href).guarded }),
      ...(ca ? { ca } : {}),
      signal,
    });
    const { status, headers } = response;
    if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined)
      return toPage(url, response);
    const to = redirectTarget(headers.location, url, namesHost);
    if (typeof to === "string") return problem(to);
    if (isLogin(to) && !isLogin(start))
      return problem(
        `${url.host} wants a login: it redirects to ${to.origin}${to.pathname}. ${LOGIN_ADVICE}`,
      );
    if (to.hostname !== url.hostname) return { type: "redirect", to, status };
    url = to;
  }
  return problem(`${start.host} redirects in circles: ${MOST_REDIRECTS} redirects led to no page.`);
}

/** Returns the target of a redirect, or why it is not followed. From https it never leads to http. */
function redirectTarget(location: string, from: URL, namesHost: (host: string) => boolean): URL | string {
  const odd = `${from.host} redirects to an address that cannot be fetched`;
  if (location.length > MOST_URL_CHARS) return `${odd}: it has ${location.length} characters.`;
  if (!URL.canParse(location, from.href)) return `${odd}: ${JSON.stringify(location)} is not a URL.`;
  const to = requestUrl(new URL(location, from.href).href, namesHost);
  if (typeof to === "string") return `${odd}. ${to}`;
  if (from.protocol === "https:" && to.hostname === from.hostname) to.protocol = "https:";
  return to;
}

export function isLogin({ hostname, pathname }: URL): boolean {
  return (
    /^(?:log-?in|sign-?in|accounts?|auth|sso|idp|oauth2?)\./i.test(hostname) ||
    /\/(?:log-?in|sign-?in|sso|oauth2?|saml2?|authorize|session\/new|wp-login\.php)(?:\/|$|\.)/i.test(
      pathname,
    )
  );
}

function toPage(url: URL, { status, headers, body, isCut }: WebResponse): Fetched {
  if (status === 200 || status === 203)
    return { type: "page", url, contentType: headers["content-type"] ?? "", body, isCut };
  const header = (name: string) => [headers[name]].flat()[0];
  const text = body.subarray(0, MOST_ERROR).toString("latin1");
  return problem(describeStatus(status, { url, body: text, header }));
}
