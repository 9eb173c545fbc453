import { commandEnvironment } from "../../processes/environment.ts";
import { paintFor } from "../colour.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { accountLine } from "../results.ts";
import type { Finished } from "../run-session.ts";
import { safeLine } from "../safe-text.ts";
import { withKeeper } from "../worktrees/with-keeper.ts";
import { agentsAtWork } from "./agents-at-work.ts";
import { stateOf } from "./checkout-state.ts";
import { type Check, contentsOf, editsStandAlone, type Seen, untouched } from "./checks.ts";
import { OWN_FILES, playPerson, type Roles, rolesFor } from "./roles.ts";
import { makeScratch, must, type Scratch } from "./scratch.ts";
import { conflictSettled } from "./settled.ts";
import { stoppable } from "./stoppable.ts";
import { type TakenBack, takeAllBack } from "./take-back.ts";
import { type Teller, tellerIn } from "./told.ts";

export interface EditsDemo {
  /** The folder whose repository is cloned. */
  readonly from: string;
  readonly keep: boolean;
  readonly json: boolean;
}

/** What a demo works with. */
interface Stage {
  readonly context: Context;
  readonly scratch: Scratch;
  readonly roles: Roles;
  readonly teller: Teller;
  /** To standard output, where text is wanted. */
  say(text: string): Promise<void>;
}

interface Played {
  readonly finished: Finished;
  readonly checks: readonly Check[];
  readonly takenBack: readonly TakenBack[];
}

/**
 * `troupe start --demo edits`: three agents edit a scratch clone side by side, two of them the same lines, over a person's
 * uncommitted work; then it is all undone. Each line is of something that was looked at; exit code 1 where one is not so.
 */
export async function editsDemo(demo: EditsDemo, context: Context): Promise<number> {
  const { io } = context;
  const note = (line: string) => io.stderr.write(`${safeLine(line)}\n`);
  await note("Making a scratch clone …");
  const made = await stoppable(io, (signal) =>
    makeScratch({
      ...{ from: demo.from, env: commandEnvironment(io.env), homedir: io.homedir, signal, files: OWN_FILES },
      fits: async (git) => (await rolesFor(git)) !== null,
    }),
  );
  if (made.type === "stopped") return made.code;
  const scratch = made.value;
  // What is not as it should be is left there, to be looked at.
  let stays = demo.keep;
  try {
    const code = await onStage(demo, context, scratch);
    stays ||= code === exitCodes.notDone;
    return code;
  } finally {
    if (!stays) await scratch.remove();
    await note(
      stays
        ? `The scratch checkout is in ${scratch.checkout}.`
        : `The scratch checkout was in ${scratch.checkout}, and is removed (--keep leaves it there).`,
    );
  }
}

async function onStage(demo: EditsDemo, context: Context, scratch: Scratch): Promise<number> {
  const { io } = context;
  const roles = await rolesFor(scratch.git);
  if (roles === null) throw new Error(`There are no text files in ${scratch.checkout} for the demo to edit.`);
  const teller = tellerIn(paintFor(io.stdout, io.env));
  const say = (text: string) => (demo.json ? Promise.resolve() : io.stdout.write(text));
  const stage: Stage = { context, scratch, roles, teller, say };
  const played = await play(stage);
  if (typeof played === "number") return played;
  const checks = [...played.checks, ...played.takenBack.flatMap((one) => one.checks)];
  const ok = checks.every((check) => check.ok);
  const code = ok ? exitCodes.done : exitCodes.notDone;
  if (demo.json) await io.stdout.write(`${JSON.stringify(demoJson(stage, code, demo, played))}\n`);
  const verdict = ok ? `All ${checks.length} checks hold.` : "Not all of it is as it should be: see ✗ above.";
  await say(`\n${accountLine(played.finished)}\n${verdict}\n`);
  return code;
}

/** The acts, one after the other; a number is the exit code of the signal that stopped it. */
async function play(stage: Stage): Promise<Played | number> {
  const { context, scratch, roles, teller, say } = stage;
  const { io } = context;
  const { git } = scratch;
  const opened = await stoppable(io, async (signal) => {
    await playPerson(roles, git);
    const status = await must(git, ["status", "--short"], signal);
    await say(`Three agents edit ${safeLine(scratch.origin)}, with the embedded offline model.\n`);
    await say(teller.heading("Your uncommitted work in it (git status)"));
    await say(teller.indented(status));
    // On a terminal the agents come next.
    if (io.stderr.isTTY) await io.stderr.write("\n");
    return see(stage, signal);
  });
  if (opened.type === "stopped") return opened.code;
  const begin = opened.value;

  const { finished, code } = await agentsAtWork(context, scratch, roles);
  if (finished === null) return code;
  await say(teller.heading("What the agents did, each in a git worktree of its own"));
  for (const [at, end] of finished.ends.entries())
    await say(teller.agent(at + 1, roles.agents[at]?.task ?? "", end));
  if (code > exitCodes.notDone) return code;

  const looked = await stoppable(io, (signal) => lookAtMerges(stage, begin, finished, signal));
  if (looked.type === "stopped") return looked.code;
  const undone = await stoppable(io, (signal) => undo(stage, begin, finished, signal));
  if (undone.type === "stopped") return undone.code;
  return { finished, checks: looked.value, takenBack: undone.value };
}

async function see({ scratch: { git }, roles }: Stage, signal: AbortSignal): Promise<Seen> {
  return { state: await stateOf(git, signal), contents: await contentsOf(git, roles) };
}

async function lookAtMerges(
  stage: Stage,
  begin: Seen,
  { ends }: Finished,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { scratch, roles, teller, say } = stage;
  const { git } = scratch;
  await say(teller.heading("The checkout now (git status, git diff --stat)"));
  await say(teller.indented(await must(git, ["status", "--short"], signal)));
  await say(teller.indented(await must(git, ["diff", "--stat"], signal)));
  const merged = await see(stage, signal);
  const checks = [
    await conflictSettled(git, roles, ends),
    ...editsStandAlone(begin, merged, roles.agents),
    ...untouched(begin, merged, roles.agents),
  ];
  await say(teller.heading("Compared with before the agents"));
  await say(teller.checks(checks));
  return checks;
}

function undo(
  stage: Stage,
  begin: Seen,
  { ends }: Finished,
  signal: AbortSignal,
): Promise<readonly TakenBack[]> {
  const { context, scratch, roles, teller, say } = stage;
  return withKeeper(context.io, async (worktrees) => {
    await say(teller.heading("Undo"));
    const all: TakenBack[] = [];
    const { checkout } = scratch;
    const taking = { worktrees, checkout, roles, ends, begin, see: () => see(stage, signal) };
    for await (const one of takeAllBack(taking)) {
      all.push(one);
      await say(teller.takenBack(one, all.length));
    }
    return all;
  });
}

function demoJson({ scratch, roles }: Stage, code: number, { keep }: EditsDemo, played: Played): object {
  const ok = code === exitCodes.done;
  return {
    ...{ type: "demo", name: "edits", ok, origin: scratch.origin },
    checkout: keep || !ok ? scratch.checkout : null,
    agents: played.finished.ends.map(({ id, summary }, at) => ({
      ...{ id, task: roles.agents[at]?.task, status: summary.status, summary: summary.text },
      worktree: summary.worktree ?? null,
    })),
    checks: played.checks,
    undone: played.takenBack,
  };
}
