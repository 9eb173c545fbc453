import { abortable, within } from "../lib/clock.ts";
import type { LanguageAnswer, LanguageAsker, LanguageQuestion } from "../tools/lsp.ts";
import { LanguageServers, type LanguageServersParts } from "./language-servers.ts";
import { answerQuestion, UnansweredError } from "./operations.ts";
import { type Diagnostic, DiagnosticReport } from "./results.ts";
import { type Detail, showDiagnostics } from "./show.ts";

/** An edit waits this long for a server's report; the operation diagnostics shows a later one. */
const PROBLEMS_MS = 1_500;
const ERROR = 1;

export interface LanguagesParts extends LanguageServersParts {
  /** Returns the directory that the asking agent works in: a worktree is a root of its own. */
  rootOf(asker: LanguageAsker): string;
  /** Returns what the agent may see of files, by the current rules for Read. */
  sightOf(asker: LanguageAsker): (path: string) => Detail;
}

/** The directories of the agent that wrote. */
interface Writer {
  readonly root: string;
  readonly cwd: string;
}

export type Languages = ReturnType<typeof openLanguages>;

/** Opens the language servers of a session. Starts no process. */
export function openLanguages({ rootOf, sightOf, ...parts }: LanguagesParts) {
  const servers = new LanguageServers(parts);

  async function ask(question: LanguageQuestion, asker: LanguageAsker): Promise<string> {
    const { file: path, ...place } = question;
    const { signal, cwd } = asker;
    const life = servers.for(path, rootOf(asker));
    if (typeof life === "string") throw new UnansweredError(life);
    const ready = await abortable(life.ready, signal);
    if (typeof ready === "string")
      throw new UnansweredError(
        `The language server ${life.server.name} cannot be used: ${ready}. Search with Grep instead.`,
      );
    await abortable(life.refresh(path), signal);
    const synced = await life.documents.sync(path);
    if (synced === null)
      throw new UnansweredError(
        `${path} cannot be read: it does not exist, is not a regular file, or is larger than 4 MB.`,
      );
    await life.firstLook(signal);
    const show = { texts: servers.texts, cwd, sightOf: sightOf(asker) };
    return answerQuestion({ ...{ life, capabilities: ready, path }, ...synced, ...place, signal, show });
  }

  /** The last known errors of a file. A server that is asked for them does not publish them. */
  const before = new Map<string, ReadonlySet<string>>();

  async function newErrors(path: string, { root, cwd }: Writer, signal: AbortSignal): Promise<string | null> {
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
    servers,
    service: {
      async ask(question: LanguageQuestion, asker: LanguageAsker): Promise<LanguageAnswer> {
        try {
          return { type: "found", text: await ask(question, asker) };
        } catch (error) {
          if (error instanceof UnansweredError) return { type: "failed", message: error.message };
          throw error;
        }
      },
    },
    /** Returns the new errors in files that an agent has written, for the model, or null. Starts no server. */
    async problems(files: readonly string[], writer: Writer, signal: AbortSignal): Promise<string | null> {
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const all = Promise.all(files.map((path) => newErrors(path, writer, either))).catch(() => []);
      if (!(await within(parts.clock, PROBLEMS_MS, all))) over.abort();
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
