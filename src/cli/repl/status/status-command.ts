import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { errorMessage } from "../../../lib/errors.ts";
import { MAIN } from "../../../mailbox/ids.ts";
import { type RunProcess, runHook } from "../../../policy/hooks/hook-process.ts";
import { withEventFile } from "../../../policy/hooks/run-event.ts";
import type { StatusLine } from "../../../settings/read-settings.ts";
import { safeText } from "../../../terminal/safe-text.ts";

export interface StatusCommandParts {
  readonly run: RunProcess;
  readonly clock: Clock;
  readonly cwd: string;
  /** The directory of the session's journal. */
  readonly folder: string;
  /** The line has changed. */
  onChange(): void;
  /** Receives one sentence about a command that fails, once. */
  onProblem(message: string): void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two starts, and for one run. */
const EVERY_MS = 300;
const TIMEOUT_MS = 5_000;
const MOST_ROWS = 3;

export type StatusCommand = ReturnType<typeof createStatusCommand>;

/** The user's command for the line below the prompt, and what it printed last. */
export function createStatusCommand(parts: StatusCommandParts) {
  const { clock, signal, onChange, onProblem } = parts;
  let rows: readonly string[] = [];
  let wanted: (() => void) | null = null;
  let state: string | null = null;
  let startedAt = Number.NEGATIVE_INFINITY;
  /** It runs, or a start is planned. */
  let isBusy = false;
  let hasComplained = false;
  let runs = 0;

  const complain = (why: string): void => {
    if (hasComplained || signal.aborted) return;
    hasComplained = true;
    onProblem(`The command of statusLine ${why}. Correct it, or remove it from your settings.`);
  };
  const run = async ({ command, padding }: StatusLine, input: object): Promise<void> => {
    runs += 1;
    const { cwd } = parts;
    const env = { CLAUDE_PROJECT_DIR: cwd, TROUPE_PROJECT_DIR: cwd };
    const how = { id: `status${runs}`, owner: MAIN, cwd, env };
    const hook = { command, timeoutMs: TIMEOUT_MS };
    const end = await withEventFile(join(parts.folder, "hooks"), `${JSON.stringify(input)}\n`, (event) =>
      runHook(hook, parts.run, { ...how, event }, clock, signal),
    );
    switch (end.type) {
      case "passed":
      case "flooded":
        rows = rowsOf(end.stdout, padding);
        return;
      case "blocked":
        return complain("ended with exit code 2");
      case "complained":
      case "failed":
        return complain(end.why);
      case "cancelled":
        return;
      default:
        return end satisfies never;
    }
  };
  const next = (): void => {
    if (isBusy || wanted === null || signal.aborted) return;
    isBusy = true;
    const start = () => {
      const work = wanted;
      wanted = null;
      startedAt = clock.now();
      work?.();
    };
    const left = startedAt + EVERY_MS - clock.now();
    if (left <= 0) start();
    else signal.addEventListener("abort", clock.after(left, start), { once: true });
  };

  return {
    /** Rows to show; none before its first end. */
    get rows() {
      return rows;
    },
    /** It runs if this differs from what its last run was for: soon, once, and not while it still runs. */
    update(command: StatusLine, fresh: string, input: () => Readonly<Record<string, unknown>>) {
      const key = JSON.stringify([command, fresh]);
      if (key === state) return;
      state = key;
      wanted = () => {
        void run(command, input())
          .catch((error: unknown) => complain(`was not run: ${errorMessage(error)}`))
          .then(() => {
            isBusy = false;
            if (!signal.aborted) onChange();
            next();
          });
      };
      next();
    },
  };
}

function rowsOf(stdout: string, padding: number): string[] {
  const rows = safeText(stdout).replaceAll("\t", "  ").trimEnd().split("\n").slice(0, MOST_ROWS);
  return rows.map((row) => `${" ".repeat(padding)}${row}`);
}
