import { dirname, isAbsolute, join } from "node:path";
import type { SupervisorEvent } from "../../../events/event.ts";
import { errorMessage } from "../../../lib/errors.ts";
import { readRegularFile } from "../../../lib/files.ts";
import { contextWindowOf } from "../../../model/known-models.ts";
import type { RunProcess } from "../../../policy/hooks/hook-process.ts";
import type { SupervisorHandle } from "../../../session/supervisor-handle.ts";
import type { StatusLine } from "../../../settings/read-settings.ts";
import { cutToWidth } from "../../../terminal/display-width.ts";
import { statusLine } from "../../../terminal/live/prompt-rows.ts";
import type { CliIO } from "../../process-io.ts";
import type { Terminal } from "../terminal.ts";
import { createSessionFacts, type FactsOf } from "./session-facts.ts";
import type { StatusCommand } from "./status-command.ts";

export interface StatusRowsOf {
  readonly session: FactsOf["session"] & Pick<SupervisorHandle, "folder">;
  readonly cwd: string;
  readonly windows: Readonly<Record<string, number>> | undefined;
  /** Returns the user's command, as settings have it now. */
  readonly command: () => StatusLine | undefined;
  readonly run: RunProcess;
  tell(message: string): void;
  readonly signal: AbortSignal;
}

/** Shows the rows below the prompt, and keeps them true; the returned function receives the session's events. */
export function showStatus(
  terminal: Pick<Terminal, "showBelow" | "paint" | "vimMode">,
  { clock }: Pick<CliIO, "clock">,
  { session, cwd, windows, command, run, tell, signal }: StatusRowsOf,
): (event: SupervisorEvent) => void {
  const facts = createSessionFacts({
    session,
    cwd,
    clock,
    windowOf: (model) => contextWindowOf(model, windows),
  });
  let branch = gitBranch(cwd);
  let own: StatusCommand | null = null;
  let isLoading = false;
  const load = async () => {
    const { createStatusCommand } = await import("./status-command.ts");
    const { folder } = session;
    own = createStatusCommand({ run, clock, cwd, folder, signal, onChange: show, onProblem: tell });
    show();
  };
  const rows = (columns: number): readonly string[] => {
    const vim = terminal.vimMode();
    const status = facts.status(branch, vim);
    const given = command();
    if (given === undefined) return [statusLine(status, columns, terminal.paint)];
    if (own === null && !isLoading) {
      isLoading = true;
      load().catch((error: unknown) => tell(errorMessage(error)));
    }
    own?.update(given, JSON.stringify(status), () => facts.commandInput(vim));
    return withMode(own?.rows ?? [], vim).map((row) => cutToWidth(row, columns));
  };
  const show = (): void => {
    if (!signal.aborted) terminal.showBelow(rows);
  };
  show();
  return (event) => {
    facts.onEvent(event);
    // A command, or the end of a turn, may have changed it.
    if (event.type === "call-end" || event.type === "answered") branch = gitBranch(cwd);
  };
}

/** A user's command may leave out the mode of vim's keys. */
function withMode(rows: readonly string[], vim: string | null): readonly string[] {
  if (vim === null) return rows;
  const [first = "", ...more] = rows;
  return [`  ${[vim, first.trimStart()].filter(Boolean).join(" · ")}`, ...more];
}

/** A file of git with one line. */
const MOST_BYTES = 4_096;

/** Returns the branch that is checked out in a directory, or the start of the commit; null outside of a repository. */
export function gitBranch(cwd: string): string | null {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const own = lineOf(join(dir, ".git", "HEAD"));
    if (own !== null) return nameOf(own);
    const [, linked] = /^gitdir: (.+)$/.exec(lineOf(join(dir, ".git")) ?? "") ?? [];
    if (linked !== undefined) {
      const head = lineOf(join(isAbsolute(linked) ? linked : join(dir, linked), "HEAD"));
      return head === null ? null : nameOf(head);
    }
    if (dirname(dir) === dir) return null;
  }
}

function nameOf(head: string): string {
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
}

function lineOf(path: string): string | null {
  const file = readRegularFile(path, MOST_BYTES);
  return file.type === "read" ? (file.bytes.toString("utf8").split("\n", 1)[0] ?? "") : null;
}
