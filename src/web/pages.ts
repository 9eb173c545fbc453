import type { Clock } from "../mailbox/clock.ts";
import { abortable } from "../tools/abortable.ts";
import { Reader } from "./convert/reader.ts";
import type { FetchProblem } from "./fetch-error.ts";
import { problem } from "./fetch-error.ts";
import { type FetchPorts, fetchPage, isLogin, requestUrl } from "./fetch-page.ts";

/** Milliseconds that a page is kept after it was fetched (A13.2). */
export const PAGE_CACHE_MS = 15 * 60_000;
/** Characters of all pages that are kept. */
const KEPT_CHARS = 20_000_000;
/** Pages that are fetched and read at the same time; each may take 10 MB of memory. */
const MOST_AT_ONCE = 16;
/** A page with a password field and less text than this is a login form. */
const LOGIN_CHARS = 2_000;

export interface WebPage {
  readonly type: "page";
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** It was larger than what is read of a page. */
  readonly isCut: boolean;
}

export type PageResult =
  | WebPage
  | { readonly type: "redirect"; readonly from: string; readonly to: string; readonly status: number }
  | FetchProblem;

export interface PagesPorts extends FetchPorts {
  readonly clock: Clock;
}

interface Kept {
  readonly page: WebPage;
  readonly at: number;
}

/** A fetch for one or more calls: it ends when the last of them is cancelled. */
interface Flight {
  readonly result: Promise<PageResult>;
  readonly abort: AbortController;
  waiting: number;
}

/** The pages of a session, shared by its agents: fetched once, read in a thread, and kept for a while. */
export class Pages {
  readonly #ports: PagesPorts;
  readonly #reader: Reader;
  /** By URL, in the order of their fetches. */
  readonly #kept = new Map<string, Kept>();
  readonly #flights = new Map<string, Flight>();
  readonly #closed = new AbortController();
  #loading = 0;
  /** Fetches that wait for one of these to end. */
  readonly #line: Array<() => void> = [];

  constructor(ports: PagesPorts, reader: Reader = new Reader(ports)) {
    this.#ports = ports;
    this.#reader = reader;
  }

  /** Returns a page that the caller may read. Rejects only if `signal` is aborted. */
  async get(written: string, signal: AbortSignal): Promise<PageResult & { readonly isKept?: true }> {
    signal.throwIfAborted();
    const url = requestUrl(written, this.#ports.namesHost);
    if (typeof url === "string") return problem(url);
    const kept = this.#find(url.href);
    if (kept !== null) return { ...kept, isKept: true };
    const flight = this.#flights.get(url.href) ?? this.#start(url);
    flight.waiting += 1;
    try {
      return await abortable(flight.result, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.abort.abort(new Error("no call waits for it"));
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error("the session has ended"));
    await this.#reader.close();
  }

  #find(url: string): WebPage | null {
    const now = this.#ports.clock.now();
    for (const [key, { at }] of this.#kept) {
      if (now - at <= PAGE_CACHE_MS) break;
      this.#kept.delete(key);
    }
    return this.#kept.get(url)?.page ?? null;
  }

  #start(url: URL): Flight {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.#closed.signal]);
    const result = this.#inTurn(() => this.#load(url, signal))
      .catch((error: unknown) => problem(`The page was not fetched: ${String(error)}.`))
      .finally(() => {
        if (this.#flights.get(url.href) === flight) this.#flights.delete(url.href);
      });
    const flight: Flight = { result, abort, waiting: 0 };
    // Later calls do not join a cancelled fetch.
    abort.signal.addEventListener("abort", () => {
      if (this.#flights.get(url.href) === flight) this.#flights.delete(url.href);
    });
    this.#flights.set(url.href, flight);
    return flight;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#loading < MOST_AT_ONCE) this.#loading += 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      // Handed to the next in line, so that a new fetch does not take it as well.
      const next = this.#line.shift();
      if (next) next();
      else this.#loading -= 1;
    }
  }

  async #load(url: URL, signal: AbortSignal): Promise<PageResult> {
    const fetched = await fetchPage(url, this.#ports, signal);
    if (fetched.type === "problem") return fetched;
    if (fetched.type === "redirect")
      return { type: "redirect", from: url.href, to: fetched.to.href, status: fetched.status };
    const { contentType, body, isCut } = fetched;
    const read = await this.#reader.read({ url: fetched.url.href, contentType, body, isCut }, signal);
    if ("problem" in read) return problem(`${url.host} sent a page that cannot be read: ${read.problem}.`);
    if (read.hasLogin && (read.text.length < LOGIN_CHARS || isLogin(url)))
      return problem(
        `${url.host} wants a login: the page is a form for a password. WebFetch has no account anywhere; use a tool that has one, such as gh or an MCP server, or tell the user.`,
      );
    if (read.text.trim() === "")
      return problem(
        `${url.host} sent a page without text: it is empty, or made by JavaScript, which WebFetch does not run. Use another source.`,
      );
    const page: WebPage = {
      type: "page",
      url: fetched.url.href,
      title: read.title,
      text: read.text,
      isCut: isCut || read.isCut,
    };
    this.#keep(url.href, page);
    return page;
  }

  #keep(url: string, page: WebPage): void {
    this.#kept.delete(url);
    this.#kept.set(url, { page, at: this.#ports.clock.now() });
    let chars = [...this.#kept.values()].reduce((sum, kept) => sum + kept.page.text.length, 0);
    for (const [key, kept] of this.#kept) {
      if (chars <= KEPT_CHARS) break;
      chars -= kept.page.text.length;
      this.#kept.delete(key);
    }
  }
}
