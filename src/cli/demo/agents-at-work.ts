import { parseArguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { type FanOut, runFanOut } from "../fanout-session.ts";
import type { Finished } from "../run-session.ts";
import { sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import type { Roles } from "./roles.ts";
import type { Scratch } from "./scratch.ts";

/** Milliseconds until all worktrees must stand. */
const ALL_STAND_MS = 120_000;

/**
 * The agents as `troupe fanout --isolation worktree --permission-mode acceptEdits --offline` runs them, with nobody's
 * settings. Null: none of them ended; `code` says why.
 */
export async function agentsAtWork(
  context: Context,
  { home, checkout }: Scratch,
  { agents }: Roles,
): Promise<{ readonly finished: Finished | null; readonly code: number }> {
  const { TROUPE_HOME: _, TROUPE_MAX_AGENTS: __, ...env } = context.io.env;
  const apart: Context = { ...context, io: { ...context.io, cwd: checkout, homedir: home, env } };
  const args = parseArguments(["--offline", "--permission-mode", "acceptEdits"], sessionOptions);
  const setup = await setUpSession(args, apart, { title: "demo: edits", maxAgents: agents.length });
  // Small tasks are done at once: each waits until all have begun from the same files.
  const trees = agents.length + 1;
  const command = `until [ "$(git worktree list | wc -l)" -ge ${trees} ]; do sleep 0.05; done`;
  const options = { ...setup.options, worktree: { setup: { command, timeoutMs: ALL_STAND_MS } } };
  let finished: Finished | null = null;
  const tasks = agents.map(({ task }) => task);
  const fanOut: FanOut = {
    tasks,
    type: "general-purpose",
    isolation: "worktree",
    merge: "apply",
    passing: true,
  };
  const code = await runFanOut(apart, { ...setup, options }, fanOut, async (all) => {
    finished = all;
  });
  return { finished, code };
}
