import { resolve } from "node:path";
import type { AgentView } from "../events/event.ts";
import {
  findScript,
  isScriptPath,
  readScript,
  readScriptRun,
  type ScriptSource,
  scriptAsItIs,
} from "../features/scripts/script-file.ts";
import { newsLine, textOfValue } from "../features/scripts/thread-requests.ts";
import { errorMessage } from "../lib/errors.ts";
import { parseJson } from "../lib/json.ts";
import { formatDollars } from "../lib/text.ts";
import { type UserPlaces, userPlaces } from "../settings/paths.ts";
import { counted } from "../terminal/figures.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { RUN_PREFIX } from "../tools/workflow.ts";
import type { Arguments } from "./arguments.ts";
import type { Context } from "./command.ts";
import { concurrency } from "./commands/fanout.ts";
import { workingDir } from "./directories.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { endWithoutAgent, type Job } from "./jobs.ts";
import { printNotes } from "./print.ts";
import { accountLine, printRefusals } from "./results.ts";
import { runSession } from "./run-session.ts";
import { jsonFlag, resumeFlags, runFlags } from "./session-flags.ts";
import { setUpSessionOrResume } from "./setup-or-resume.ts";

const JOB = { type: "script", description: "script" };

/** Runs the script that the arguments name, in a session of its own or in the one that has run it before. */
export async function runScriptFile(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const [file] = args.positionals;
  const wanted = args.value(resumeFlags.resume);
  const force = args.value(runFlags.force) ?? [];
  if (force.length > 0 && wanted === undefined)
    throw new UsageError("--force is for a run that there is already; add --resume ID, or leave it out.");
  if (file === undefined && wanted === undefined)
    throw new UsageError("run needs a script: troupe run FILE, or troupe run --resume ID.");
  const given = argsOf(args.value(runFlags.arg) ?? []);
  const cwd = await workingDir(args, io);
  const named = file === undefined ? null : scriptFor(file, cwd, userPlaces(io.env, io.homedir));
  const setup = await setUpSessionOrResume(args, context, {
    title: `script ${named?.name ?? ""}`.trim(),
    maxAgents: args.value(concurrency),
  });
  const { resume } = setup.options;
  const before = resume === undefined ? null : readScriptRun(resume.folder);
  const script = named ?? (before === null ? null : scriptAsItIs(before));
  if (script === null) {
    resume?.release();
    throw new UsageError(
      `Session ${wanted} has run no script; name one: troupe run FILE --resume ${wanted}.`,
    );
  }
  let value: unknown = null;
  const { name, source, path } = script;
  const wantedRun = { name, source, ...(path === null ? {} : { path }) };
  return runSession(context, setup, {
    command: "troupe run",
    jobs(session, note) {
      for (const line of planLines(session.tree(), force)) note(safeLine(line));
      const job: Job = {
        ...JOB,
        async start(handle, signal) {
          if (resume === undefined) note((await handle.estimateScript(wantedRun)).sentence);
          const end = await handle.runScript({
            ...{ ...wantedRun, signal, force },
            ...(given === undefined ? {} : { args: given }),
            onNews: (news) => {
              const line = newsLine(news);
              if (line !== null) note(safeLine(line));
            },
          });
          if (end.type === "returned") value = end.value;
          const how = end.type === "returned" ? "done" : signal.aborted ? "cancelled" : "failed";
          return endWithoutAgent(JOB, how, end.type === "returned" ? "" : end.reason);
        },
      };
      return [job];
    },
    async report(finished) {
      const [end] = finished.ends;
      const isDone = end?.summary.status === "done";
      if (args.value(jsonFlag)) {
        const { usage, costUsd } = finished.account;
        const object = { status: end?.summary.status, value, reason: end?.summary.reason, usage, costUsd };
        await io.stdout.write(`${JSON.stringify(object)}\n`);
      } else if (isDone) await io.stdout.write(`${textOfValue(value)}\n`);
      else await io.stderr.write(`troupe: The script failed: ${end?.summary.reason ?? "it did not start"}\n`);
      await printRefusals(io, finished.account);
      await printNotes(io, [accountLine(finished)]);
      return isDone ? exitCodes.done : exitCodes.notDone;
    },
  });
}

/** Throws a `UsageError` if there is no such script. */
function scriptFor(file: string, cwd: string, places: UserPlaces): ScriptSource {
  try {
    return isScriptPath(file) ? readScript(resolve(cwd, file)) : findScript(file, { cwd, ...places });
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

/** Returns undefined if none are given. Throws a `UsageError` for what is no `KEY=VALUE`. */
function argsOf(entries: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf("=");
      if (at < 1) throw new UsageError(`--arg ${JSON.stringify(entry)} is not KEY=VALUE.`);
      const text = entry.slice(at + 1);
      const value = parseJson(text);
      return [entry.slice(0, at), value === undefined ? text : value];
    }),
  );
}

type Tree = readonly Pick<
  AgentView,
  "id" | "parent" | "key" | "answersKey" | "description" | "state" | "summary" | "costUsd"
>[];

/**
 * Lists the calls of a resumed script by name: reused, rejected, continuing and running again, with the likely cost of
 * those that run. Empty if the script has made no call.
 */
export function planLines(tree: Tree, force: readonly string[]): readonly string[] {
  const calls = [...lastAttempts(tree).values()].map((attempts) => ({
    ...callOf(attempts, force),
    attempts,
  }));
  if (calls.length === 0) return [];
  const of = (state: string) => calls.filter((call) => call.state === state);
  const [reused, rejected, open, again] = [of("reused"), of("rejected"), of("open"), of("again")];
  const costs = [...reused, ...rejected].map(({ attempts }) =>
    attempts.reduce((sum, { id }) => sum + costOf(tree, id), 0),
  );
  const spent = costs.reduce((sum, cost) => sum + cost, 0);
  const left = open.length + again.length;
  const each = costs.length === 0 ? 0 : spent / costs.length;
  return [
    ...line(`Reused, and not paid again${spent > 0 ? ` (${formatDollars(spent)} spent)` : ""}`, reused),
    ...line("Rejected before, and not run again without --force LABEL", rejected),
    ...line("Continue from their last turn", open),
    ...line("Run again, if the script still makes them", again),
    left === 0
      ? "Only calls that are new cost anything."
      : `${counted(left, "call")} of these ${left === 1 ? "runs" : "run"}${each > 0 ? `, likely for ${formatDollars(each * left)}` : ""}; calls that are new come in addition.`,
  ];
}

/** The agents of each call, by its name in the run; of one that was forced to run again those since then. */
function lastAttempts(tree: Tree): ReadonlyMap<string, Tree> {
  const last = new Map<string, Tree>();
  for (const view of tree) {
    if (view.key === undefined || view.key.startsWith(RUN_PREFIX)) continue;
    const call = nameIn(view.key);
    const before = last.get(call) ?? [];
    last.set(call, before[0]?.key === view.key ? [...before, view] : [view]);
  }
  return last;
}

/** The key without how often the call was forced. */
function nameIn(key: string): string {
  return key.split(".").slice(0, 2).join(".");
}

function callOf(attempts: Tree, force: readonly string[]) {
  const [first] = attempts;
  const name = first?.description ?? "";
  const forced = force.includes(name) || (first?.key !== undefined && force.includes(nameIn(first.key)));
  if (forced) return { name: `${name} (--force)`, state: "again" };
  const answered = attempts.find(({ answersKey }) => answersKey);
  if (answered) {
    const { status } = answered.summary ?? {};
    return { name, state: status === "done" || status === "partial" ? "reused" : "rejected" };
  }
  const isOpen = attempts.some(({ state }) => state !== "ended");
  return isOpen
    ? { name, state: "open" }
    : { name: `${name} (${attempts.at(-1)?.summary?.status})`, state: "again" };
}

function costOf(tree: Tree, id: AgentView["id"]): number {
  return tree
    .filter((one) => one.id === id || one.parent === id)
    .reduce((sum, one) => sum + (one.id === id ? one.costUsd : costOf(tree, one.id)), 0);
}

function line(what: string, calls: readonly { readonly name: string }[]): readonly string[] {
  return calls.length === 0 ? [] : [`${what}: ${calls.map(({ name }) => name).join(", ")}.`];
}
