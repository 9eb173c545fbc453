import { type Clock, within } from "../mailbox/clock.ts";
import type { Synced } from "./documents.ts";
import type { LanguageServers } from "./language-servers.ts";
import { type Diagnostic, DiagnosticReport } from "./results.ts";
import type { Ready, ServerLife } from "./server-life.ts";
import { showDiagnostics } from "./show.ts";

/** An edit waits so long for what a server says of it; what comes later is there for the operation diagnostics. */
const PROBLEMS_MS = 1_500;
const ERROR = 1;

/** Where the agent that wrote stands. */
export interface Writer {
  readonly root: string;
  readonly cwd: string;
}

/** What servers that run make of files that calls write. Starts none. */
export interface EditWatch {
  /** A call is about to write these files. */
  willWrite(files: readonly string[]): void;
  /** These files were written, or may have been. */
  wrote(files: readonly string[], root: string): void;
  /** Whether a server knows one of these files, so that it has something to say. */
  watches(files: readonly string[], root: string): boolean;
  /** Errors in these files that were not there before they were written, for the model; null: there are none, or not yet. */
  problems(files: readonly string[], writer: Writer, signal: AbortSignal): Promise<string | null>;
}

export function editWatch(servers: LanguageServers, clock: Clock): Omit<EditWatch, "willWrite"> {
  /** Errors of a file as they were told last. A server that is asked for them does not keep them itself. */
  const before = new Map<string, ReadonlySet<string>>();

  async function fresh(path: string, { root, cwd }: Writer, signal: AbortSignal): Promise<string | null> {
    const life = servers.running(path, root);
    const ready = await life?.ready;
    if (!life || ready?.type !== "ready") return null;
    const key = `${root}\0${path}`;
    const known = before.get(key) ?? errorsIn(life.diagnostics.known(path));
    const synced = await life.documents.sync(path);
    if (synced === null) return null;
    const found = await diagnosticsOf(life, ready, { ...synced, path, signal });
    if (found === null) return null;
    before.set(key, errorsIn(found));
    const news = found.filter((one) => isError(one) && !known.has(one.message));
    if (news.length === 0) return null;
    const { lines } = synced.file;
    const shown = showDiagnostics(news, { path, lines, encoding: ready.encoding, cwd });
    return `${life.server.name} reports errors that were not there before:\n${shown}`;
  }

  return {
    wrote: (files, root) => void servers.wrote(files, root).catch(() => {}),
    watches: (files, root) => files.some((path) => servers.running(path, root) !== null),
    async problems(files, writer, signal) {
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const all = Promise.all(files.map((path) => fresh(path, writer, either))).catch(() => []);
      if (!(await within(clock, PROBLEMS_MS, all))) over.abort();
      const said = (await all).filter((text) => text !== null);
      return said.length === 0 ? null : said.join("\n");
    },
  };
}

async function diagnosticsOf(
  life: ServerLife,
  { capabilities }: Ready,
  { path, uri, version, signal }: Pick<Synced, "uri" | "version"> & { path: string; signal: AbortSignal },
): Promise<readonly Diagnostic[] | null> {
  if (!capabilities.diagnosticProvider) return life.diagnostics.of(path, version, PROBLEMS_MS, signal);
  const params = { textDocument: { uri } };
  const reply = await life.request("textDocument/diagnostic", params, signal);
  const report = reply.type === "answer" ? DiagnosticReport.safeParse(reply.value) : null;
  return report?.success ? (report.data.items ?? null) : null;
}

function errorsIn(found: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(found.filter(isError).map(({ message }) => message));
}

function isError({ severity }: Diagnostic): boolean {
  return (severity ?? ERROR) === ERROR;
}
