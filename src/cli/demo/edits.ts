import { worktreeLine } from "../../features/isolation/worktree-result.ts";
import { type Paint, paintFor } from "../../terminal/colour.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import { statusMark, statusText } from "../agent-text.ts";
import { parseArguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { runFanOut } from "../fanout-session.ts";
import { onStopSignals } from "../interrupts.ts";
import type { JobEnd } from "../jobs.ts";
import { accountLine } from "../results.ts";
import type { SessionEnd } from "../run-session.ts";
import { sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { withGitWorker } from "../worktrees/worktree-actions.ts";
import { type Check, type CheckoutState, checkConflict, compareStates, readCheckout } from "./checks.ts";
import { addUncommittedWork } from "./roles.ts";
import { makeScratch, runGit, type Scratch } from "./scratch.ts";

export interface EditsDemo {
  /** The directory whose repository is cloned. */
  readonly from: string;
  readonly keep: boolean;
  readonly json: boolean;
}

/** An undo of one merge, and what was found after it. */
interface Undone {
  /** Of the agents, from 1; null if unknown. */
  readonly agent: number | null;
  readonly title: string;
  readonly paths: readonly string[];
  readonly checks: readonly Check[];
}

/**
 * `troupe start --demo edits`: three agents edit a scratch clone side by side, two of them the same lines, over a user's
 * uncommitted work; then all of it is undone. Each printed check was made; the exit code is 1 if one failed.
 */
export async function runEditsDemo(demo: EditsDemo, context: Context): Promise<number> {
  const { io } = context;
  const note = (line: string) => io.stderr.write(`${safeLine(line)}\n`);
  const stop = new AbortController();
  let stoppedBy: number | undefined;
  const withdraw = onStopSignals(io, (code) => {
    stoppedBy ??= code;
    stop.abort();
  });
  let scratch: Scratch | null = null;
  let stays = demo.keep;
  try {
    await note("Making a scratch clone …");
    scratch = await makeScratch(demo.from, io, stop.signal);
    const code = await play(demo, context, scratch, stop.signal);
    // A failed check can be looked at.
    stays ||= code === exitCodes.notDone && stoppedBy === undefined;
    return stoppedBy ?? code;
  } catch (error) {
    if (stoppedBy === undefined) throw error;
    return stoppedBy;
  } finally {
    withdraw();
    if (scratch !== null) {
      if (!stays) await scratch.remove();
      await note(
        stays
          ? `The scratch checkout is in ${scratch.git.folder}.`
          : `The scratch checkout was in ${scratch.git.folder}, and is removed (--keep leaves it there).`,
      );
    }
  }
}

async function play(
  demo: EditsDemo,
  context: Context,
  scratch: Scratch,
  signal: AbortSignal,
): Promise<number> {
  const { io } = context;
  const { git, roles, origin } = scratch;
  const paint = paintFor(io.stdout, io.env);
  const print = (text: string) => (demo.json ? Promise.resolve() : io.stdout.write(text));
  const heading = (text: string) => print(`\n${paint("bold", text)}\n`);
  const printGit = async (...args: readonly string[]) => print(indented(await runGit(git, args, signal)));

  await addUncommittedWork(roles, git);
  const begin = await readCheckout(git, [], signal);
  await print(`Three agents edit ${safeLine(origin)}, with the embedded offline model.\n`);
  await heading("Your uncommitted work in it (git status)");
  await printGit("status", "--short");
  // On a terminal the live tree comes next.
  if (io.stderr.isTTY) await io.stderr.write("\n");

  const { finished, code } = await runAgents(context, scratch);
  if (finished === null) return code;
  await heading("What the agents did, each in a git worktree of its own");
  for (const [at, end] of finished.ends.entries())
    await print(agentText(at + 1, roles.agents[at]?.task ?? "", end, paint));
  if (code > exitCodes.notDone) return code;

  await heading("The checkout now (git status, git diff --stat)");
  await printGit("status", "--short");
  await printGit("diff", "--stat");
  const merged = await readCheckout(git, roles.agents, signal);
  const checks = [await checkConflict(git, roles, finished.ends), ...compareStates(begin, merged)];
  await heading("Compared with before the agents");
  await print(checks.map((check) => checkLine(check, paint)).join(""));

  await heading("Undo");
  const undone: Undone[] = [];
  await withGitWorker(io, async (worktrees) => {
    for await (const one of undoAll(worktrees, scratch, { begin, ends: finished.ends, signal })) {
      await print(undoText(one, undone.length === 0, paint));
      undone.push(one);
    }
  });

  const all = [...checks, ...undone.flatMap((one) => one.checks)];
  const ok = all.every((check) => check.ok);
  if (demo.json)
    await io.stdout.write(`${JSON.stringify(demoJson(demo, scratch, { finished, checks, undone, ok }))}\n`);
  await print(
    `\n${accountLine(finished)}\n${ok ? `All ${all.length} checks hold.` : "Some checks failed: see ✗ above."}\n`,
  );
  return ok ? exitCodes.done : exitCodes.notDone;
}

/** Milliseconds until all worktrees must be there. */
const ALL_STARTED_MS = 120_000;

/**
 * Runs the agents as `troupe fanout --isolation worktree --permission-mode acceptEdits --offline` does, without any
 * user's settings. `finished` is null if none of them ended.
 */
async function runAgents(
  context: Context,
  { home, git, roles: { agents } }: Scratch,
): Promise<{ readonly finished: SessionEnd | null; readonly code: number }> {
  const { TROUPE_HOME: _, TROUPE_MAX_AGENTS: __, ...env } = context.io.env;
  const inside: Context = { ...context, io: { ...context.io, cwd: git.folder, homedir: home, env } };
  const args = parseArguments(["--offline", "--permission-mode", "acceptEdits"], sessionOptions);
  const setup = await setUpSession(args, inside, { title: "demo: edits", maxAgents: agents.length });
  // Small tasks are soon done: each agent waits until all have started from the same files.
  const command = `until [ "$(git worktree list | wc -l)" -ge ${agents.length + 1} ]; do sleep 0.05; done`;
  const options = { ...setup.options, worktree: { setup: { command, timeoutMs: ALL_STARTED_MS } } };
  let finished: SessionEnd | null = null;
  const code = await runFanOut(
    inside,
    { ...setup, options },
    {
      tasks: agents.map(({ task }) => task),
      ...{ type: "general-purpose", isolation: "worktree", merge: "apply", passing: true },
    },
    async (all) => {
      finished = all;
    },
  );
  return { finished, code };
}

/** Undoes the merges, the latest one first. */
async function* undoAll(
  worktrees: Worktrees,
  { git, roles }: Scratch,
  { begin, ends, signal }: { begin: CheckoutState; ends: readonly JobEnd[]; signal: AbortSignal },
): AsyncGenerator<Undone> {
  let left = roles.agents;
  const merges = ends.map(({ summary }) => summary.worktree?.merge);
  for (const _ of merges.filter((merge) => merge !== undefined)) {
    const answer = await worktrees.undo({ folder: git.folder, which: null, force: false });
    if (answer.type !== "undone") {
      const found = answer.type === "refused" ? answer.reason : `the answer was "${answer.type}"`;
      yield {
        agent: null,
        title: "",
        paths: [],
        checks: [{ says: "the merge is undone", ok: false, found }],
      };
      return;
    }
    const at = merges.indexOf(answer.merge);
    left = left.filter((role) => role !== roles.agents[at]);
    const checks = compareStates(begin, await readCheckout(git, left, signal));
    yield { agent: at < 0 ? null : at + 1, title: answer.title, paths: answer.paths, checks };
  }
}

function demoJson(
  { keep }: EditsDemo,
  { origin, git, roles }: Scratch,
  {
    finished,
    checks,
    undone,
    ok,
  }: { finished: SessionEnd; checks: readonly Check[]; undone: readonly Undone[]; ok: boolean },
): object {
  return {
    ...{ type: "demo", name: "edits", ok, origin, checkout: keep || !ok ? git.folder : null },
    agents: finished.ends.map(({ id, summary }, at) => ({
      ...{ id, task: roles.agents[at]?.task, status: summary.status, summary: summary.text },
      worktree: summary.worktree ?? null,
    })),
    ...{ checks, undone },
  };
}

function checkLine({ says, ok, found }: Check, paint: Paint): string {
  const mark = ok ? paint("green", "✓") : paint("red", "✗");
  return `  ${mark} ${safeLine(says)}${found === undefined ? "" : ` (${safeLine(found)})`}\n`;
}

function agentText(number: number, task: string, { id, summary }: JobEnd, paint: Paint): string {
  const status = summary.status === "done" ? "" : ` (${statusText(summary.status)})`;
  const { text, reason, worktree } = summary;
  const lines = [
    ...text.split("\n").filter((line) => line.trim() !== ""),
    ...(reason === undefined ? [] : [reason]),
  ].map(safeLine);
  if (worktree !== undefined) lines.push(paint("dim", safeLine(worktreeLine(worktree, id ?? ""))));
  return `${statusMark(summary.status, paint)} ${number}. ${safeLine(task)}${status}\n${lines.map((line) => `     ${line}\n`).join("")}`;
}

function undoText({ agent, title, paths, checks }: Undone, isLast: boolean, paint: Paint): string {
  const whose = agent === null ? "" : ` (agent ${agent}: ${safeLine(title)})`;
  const files = paths.length === 0 ? "" : `: ${paths.map(safeLine).join(", ")}`;
  const failed = checks.filter(({ ok }) => !ok);
  const shown = failed.length > 0 ? failed : [{ says: "its edits are gone, and nothing else is", ok: true }];
  const lines = shown.map((check) => `  ${checkLine(check, paint)}`);
  return `  troupe undo, ${isLast ? "the last merge" : "the one before"}${whose}${files}\n${lines.join("")}`;
}

function indented(text: string): string {
  return safeText(text.replace(/\n+$/, ""))
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("");
}
