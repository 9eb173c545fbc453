import { resolve } from "node:path";
import {
  findScript,
  isScriptPath,
  readScript,
  type ScriptSource,
  scriptAsItIs,
} from "../features/scripts/find-script.ts";
import { readScriptRun } from "../features/scripts/script-file.ts";
import { newsLine, textOfValue } from "../features/scripts/script-text.ts";
import { errorMessage } from "../lib/errors.ts";
import { parseJson } from "../lib/json.ts";
import { safeLine } from "../terminal/safe-text.ts";
import type { Arguments } from "./arguments.ts";
import type { Context } from "./command.ts";
import { concurrency } from "./commands/fanout.ts";
import { workingDir } from "./directories.ts";
import { exitCodes } from "./exit-codes.ts";
import { endWithoutAgent, type Job } from "./jobs.ts";
import { printNotes } from "./print.ts";
import { accountLine, printRefusals } from "./results.ts";
import { resumeFlags } from "./resume-flags.ts";
import { runSession } from "./run-session.ts";
import { runFlags } from "./script-flags.ts";
import { planLines } from "./script-plan.ts";
import { jsonFlag } from "./session-flags.ts";
import { setUpSessionOrResume } from "./setup-or-resume.ts";
import { UsageError } from "./usage-error.ts";

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
  const named = file === undefined ? null : scriptFor(file, cwd, io.homedir);
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
  const estimated = { name, source, ...(path === null ? {} : { path }) };
  return runSession(context, setup, {
    command: "troupe run",
    jobs(session, note) {
      for (const line of planLines(session.tree(), force)) note(safeLine(line));
      const job: Job = {
        ...JOB,
        async start(handle, signal) {
          if (resume === undefined) note((await handle.estimateScript(estimated)).sentence);
          const end = await handle.runScript({
            ...{ name: script.name, source: script.source, signal, force },
            ...(script.path === null ? {} : { path: script.path }),
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
function scriptFor(file: string, cwd: string, homedir: string): ScriptSource {
  try {
    return isScriptPath(file) ? readScript(resolve(cwd, file)) : findScript(file, { cwd, homedir });
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
