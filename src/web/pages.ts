import { abortable, type Clock } from "../lib/clock.ts";
import { limitConcurrency, oneAtATime } from "../lib/queues.ts";
import type { FetchAnswer } from "../tools/web.ts";
import { readInThread } from "./convert/reader.ts";
import { type FetchProblem, LOGIN_ADVICE, problem } from "./fetch-error.ts";
import { type FetchPorts, fetchPage, isLogin, requestUrl } from "./fetch-page.ts";

/** Milliseconds that a page is kept after it was fetched (A13.2). */
export const PAGE_CACHE_MS = 15 * 60_000;
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
  readonly isCut: boolean;
}

export type PageResult = WebPage | Extract<FetchAnswer, { readonly type: "redirect" }> | FetchProblem;

export interface PagesPorts extends FetchPorts {
  readonly clock: Clock;
}

/** A page that was fetched, or is being fetched; `page` is null until then. */
interface Entry {
  readonly result: Promise<PageResult>;
  /** Aborted when the last call that waits for it is cancelled. */
  readonly stop: AbortController;
  waiting: number;
  page: WebPage | null;
  fetchedAt: number;
}

/** The pages of a session, shared by its agents: fetched once, read in a thread, and kept for a while. */
export class Pages {
  readonly #ports: PagesPorts;
  /** By URL, those that were fetched in the order of their fetches. */
  readonly #entries = new Map<string, Entry>();
  readonly #closed = new AbortController();
  readonly #inTurn = limitConcurrency(MOST_AT_ONCE);
  readonly #readInTurn = oneAtATime();

  constructor(ports: PagesPorts) {
    this.#ports = ports;
  }

  /** Returns a page that the caller may read. Rejects only if `signal` is aborted; the fetch then continues only for others. */
  async get(written: string, signal: AbortSignal): Promise<PageResult & { readonly isKept?: true }> {
    signal.throwIfAborted();
    const url = requestUrl(written, this.#ports.namesHost);
    if (typeof url === "string") return problem(url);
    this.#forgetOld();
    const known = this.#entries.get(url.href);
    // A call does not join a fetch that was cancelled.
    const entry = known === undefined || known.stop.signal.aborted ? this.#start(url) : known;
    if (entry.page !== null) return { ...entry.page, isKept: true };
    entry.waiting += 1;
    try {
      return await abortable(entry.result, signal);
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0 && entry.page === null) entry.stop.abort(new Error("no call waits for it"));
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error("the session has ended"));
    await Promise.all([...this.#entries.values()].map(({ result }) => result));
  }

  #forgetOld(): void {
    const oldest = this.#ports.clock.now() - PAGE_CACHE_MS;
    for (const [key, { page, fetchedAt }] of this.#entries)
      if (page !== null && fetchedAt < oldest) this.#entries.delete(key);
  }

  #start(url: URL): Entry {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closed.signal]);
    const result = this.#inTurn(() => this.#load(url, signal))
      .catch((error: unknown) => problem(`The page was not fetched: ${String(error)}.`))
      .then((found) => {
        if (this.#entries.get(url.href) === entry) {
          this.#entries.delete(url.href);
          if (found.type === "page") this.#keep(url.href, entry, found);
        }
        return found;
      });
    const entry: Entry = { result, stop, waiting: 0, page: null, fetchedAt: 0 };
    this.#entries.set(url.href, entry);
    return entry;
  }

  async #load(url: URL, signal: AbortSignal): Promise<PageResult> {
    const fetched = await fetchPage(url, this.#ports, signal);
    if (fetched.type === "problem") return fetched;
    if (fetched.type === "redirect")
      return { type: "redirect", from: url.href, to: fetched.to.href, status: fetched.status };
    const { contentType, body, isCut } = fetched;
    const raw = { url: fetched.url.href, contentType, body, isCut };
    const read = await this.#readInTurn(() => readInThread(raw, this.#ports, signal));
    if ("problem" in read) return problem(`${url.host} sent a page that cannot be read: ${read.problem}.`);
    if (read.hasLogin && (read.text.length < LOGIN_CHARS || isLogin(url)))
      return problem(`${url.host} wants a login: the page is a form for a password. ${LOGIN_ADVICE}`);
    if (read.text.trim() === "")
      return problem(
        `${url.host} sent a page without text: it is empty, or made by JavaScript, which WebFetch does not run. Use another source.`,
      );
    return {
      ...{ type: "page", url: fetched.url.href, title: read.title, text: read.text },
      isCut: isCut || read.isCut,
    };
  }

  #keep(url: string, entry: Entry, page: WebPage): void {
    entry.page = page;
    entry.fetchedAt = this.#ports.clock.now();
    this.#entries.set(url, entry);
    const sizeOf = (one: Entry) => one.page?.text.length ?? 0;
    let chars = [...this.#entries.values()].reduce((sum, one) => sum + sizeOf(one), 0);
    for (const [key, one] of this.#entries) {
      if (chars <= KEPT_CHARS) break;
      chars -= sizeOf(one);
      if (one.page !== null) this.#entries.delete(key);
    }
  }
}
