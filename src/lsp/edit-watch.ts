import { type Clock, within } from "../mailbox/clock.ts";
import type { LanguageServers } from "./language-servers.ts";
import { type Diagnostic, DiagnosticReport } from "./results.ts";
import { showDiagnostics } from "./show.ts";

/** An edit waits this long for a server's report; the operation diagnostics shows a later one. */
const PROBLEMS_MS = 1_500;
const ERROR = 1;

/** The directories of the agent that wrote. */
export interface EditingAgent {
  readonly root: string;
  readonly cwd: string;
}

/** Reports files that calls write to the servers that run. Starts none. */
export interface EditWatch {
  /** A call is about to write these files. */
  willWrite(files: readonly string[]): void;
  /** These files were written, or may have been. */
  wrote(files: readonly string[], root: string): void;
  /** True if a server that runs knows one of these files. */
  watches(files: readonly string[], root: string): boolean;
  /** Returns the new errors in these files, for the model, or null. */
  problems(files: readonly string[], writer: EditingAgent, signal: AbortSignal): Promise<string | null>;
}

export function editWatch(servers: LanguageServers, clock: Clock): Omit<EditWatch, "willWrite"> {
  /** The last known errors of a file. A server that is asked for them does not publish them. */
  const before = new Map<string, ReadonlySet<string>>();

  async function newErrors(
    path: string,
    { root, cwd }: EditingAgent,
    signal: AbortSignal,
  ): Promise<string | null> {
    const life = servers.running(path, root);
    const ready = await life?.ready;
    if (!life || ready === undefined || typeof ready === "string") return null;
    const key = `${root}\0${path}`;
    const known = before.get(key) ?? errorsIn(life.diagnostics.known(path));
    const synced = await life.documents.sync(path);
    if (synced === null) return null;
    const { uri, version, file } = synced;
    let found: readonly Diagnostic[] | null;
    if (ready.diagnosticProvider) {
      const reply = await life.request("textDocument/diagnostic", { textDocument: { uri } }, signal);
      const report = DiagnosticReport.safeParse(reply.type === "answer" ? reply.value : null);
      found = report.data?.items ?? null;
    } else found = await life.diagnostics.of(path, version, PROBLEMS_MS, signal);
    if (found === null) return null;
    before.set(key, errorsIn(found));
    const errors = found.filter((one) => isError(one) && !known.has(one.message));
    if (errors.length === 0) return null;
    const shown = showDiagnostics(errors, { path, lines: file.lines, cwd });
    return `${life.server.name} reports errors that were not there before:\n${shown}`;
  }

  return {
    wrote: (files, root) => void servers.wrote(files, root).catch(() => {}),
    watches: (files, root) => files.some((path) => servers.running(path, root) !== null),
    async problems(files, writer, signal) {
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const all = Promise.all(files.map((path) => newErrors(path, writer, either))).catch(() => []);
      if (!(await within(clock, PROBLEMS_MS, all))) over.abort();
      const texts = (await all).filter((text) => text !== null);
      return texts.length === 0 ? null : texts.join("\n");
    },
  };
}

function errorsIn(found: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(found.filter(isError).map(({ message }) => message));
}

function isError({ severity }: Diagnostic): boolean {
  return (severity ?? ERROR) === ERROR;
}
