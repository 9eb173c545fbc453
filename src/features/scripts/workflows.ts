import { appendFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Outputs } from "../../journal/outputs.ts";
import { errorMessage } from "../../lib/errors.ts";
import { replaceFile } from "../../lib/files.ts";
import { expandHome } from "../../lib/paths.ts";
import { formatCount, formatDollars } from "../../lib/text.ts";
import { type Ids, MAIN } from "../../mailbox/ids.ts";
import type { AskDetail } from "../../policy/user-requests.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { CallContext } from "../../tools/tool.ts";
import {
  RUN_PREFIX,
  type WorkflowRequest,
  type WorkflowService,
  type WorkflowStarted,
} from "../../tools/workflow.ts";
import type { Background, ScriptEnding } from "../background/background.ts";
import { resumeWords } from "../background/index.ts";
import {
  findScript,
  keptRuns,
  readScript,
  readScriptRun,
  runFolder,
  type ScriptSource,
  scriptAsItIs,
} from "./script-file.ts";
import type { ScriptRunEnd, ScriptRuns } from "./script-runs.ts";
import { newsLine, textOfValue } from "./thread-requests.ts";

export interface WorkflowsParts {
  readonly runs: Pick<ScriptRuns, "run" | "estimate">;
  readonly background: Pick<Background, "startScript">;
  readonly outputs: Pick<Outputs, "next">;
  readonly actors: Pick<Actors, "find">;
  readonly ids: Pick<Ids, "actor">;
  /** Of the session. */
  readonly folder: string;
  /** The project, whose scripts have names. */
  readonly cwd: string;
  /** True if rules deny reading this file. */
  denied(path: string): boolean;
}

/** Scripts of a session that run at the same time: each has an engine of its own. */
const MOST_RUNNING = 4;
/** Characters of a run's lines that are kept. */
const MOST_LINES = 1_000_000;
/** Scripts that were shown and not started. */
const MOST_SHOWN = 20;
const RUN = /^wf_[A-Za-z0-9]{4,64}$/;
/** The name in the `meta` of a script. */
const META_NAME = /\bmeta\s*(?::[^=]+)?=\s*\{[^}]*?\bname\s*:\s*["'`]([^"'`\n]{1,60})["'`]/;

/** Starts the scripts of the main conversation in its background. */
export class Workflows implements WorkflowService {
  readonly #parts: WorkflowsParts;
  /** Task by run. */
  readonly #running = new Map<string, string>();
  /** What the user saw, by request: a file may be another one by the time they answer. */
  readonly #shown = new Map<string, string>();

  constructor(parts: WorkflowsParts) {
    this.#parts = parts;
  }

  async preview(request: WorkflowRequest, cwd: string): Promise<readonly AskDetail[]> {
    const script = this.#find(request, cwd);
    if (typeof script === "string") return [{ name: "problem", value: script }];
    if (this.#shown.size >= MOST_SHOWN) this.#shown.clear();
    this.#shown.set(JSON.stringify(request), script.source);
    const { sentence } = this.#parts.runs.estimate(estimated(script));
    return [
      ...(script.path === null ? [] : [{ name: `script ${script.path}`, value: script.source }]),
      { name: "cost", value: sentence },
    ];
  }

  async start(request: WorkflowRequest, { actor, cwd }: CallContext): Promise<WorkflowStarted | string> {
    const { background, outputs, actors, ids, folder } = this.#parts;
    const main = actors.find(MAIN);
    if (actor !== MAIN || main === undefined)
      return "Only the main conversation runs scripts. Do the work yourself, or say in your report what a script should do.";
    const run = request.resumeFromRunId ?? `${RUN_PREFIX}${ids.actor()}`;
    const task = this.#running.get(run);
    if (task !== undefined)
      return `The run ${run} is not over: it is the task ${task}. Wait for its end, or call TaskStop.`;
    const script = this.#find(request, cwd);
    if (typeof script === "string") return script;
    const key = JSON.stringify(request);
    const shown = this.#shown.get(key) ?? script.source;
    this.#shown.delete(key);
    if (shown !== script.source)
      return `${script.path} was changed after the user had seen it. Call Workflow again.`;
    if (this.#running.size >= MOST_RUNNING)
      return `${MOST_RUNNING} scripts run already. Wait for the end of one, or call TaskStop.`;
    const path = script.path ?? join(runFolder(folder, run), "script.js");
    const { id, path: output } = outputs.next();
    this.#running.set(run, id);
    try {
      const problem = script.path === null ? await replaceFile(path, script.source, 0o600) : null;
      if (problem !== null) throw new Error(problem);
      await appendFile(output, "", { mode: 0o600 });
    } catch (error) {
      this.#running.delete(run);
      return errorMessage(error);
    }
    const { name, source } = script;
    background.startScript(
      {
        ...{ id, owner: MAIN, title: `${name} (${run})`, path: output, script: run },
        run: (signal) =>
          this.#run({ ...estimated(script, path), name, source, ...argsOf(request) }, run, output, signal),
      },
      main.life.signal,
    );
    return { task: id, run, path, output };
  }

  /** Never rejects. */
  async #run(
    script: Omit<Parameters<ScriptRuns["run"]>[0], "onNews" | "signal">,
    run: string,
    output: string,
    signal: AbortSignal,
  ): Promise<ScriptEnding> {
    let left = MOST_LINES;
    let writing = Promise.resolve();
    const write = (text: string) => {
      left -= text.length;
      // What cannot be written is not worth the run.
      if (left > 0) writing = writing.then(() => appendFile(output, text)).catch(() => {});
    };
    let ending: ScriptEnding;
    try {
      const end = await this.#parts.runs.run(
        {
          ...{ ...script, signal },
          onNews(news) {
            const line = newsLine(news);
            if (line !== null) write(`${line}\n`);
          },
        },
        run,
      );
      ending = endingOf(end, run, signal);
    } catch (error) {
      ending = { state: "exited", exitCode: 1, ending: `It did not start: ${errorMessage(error)}`, text: "" };
    }
    left = Number.POSITIVE_INFINITY;
    write(`${ending.ending}\n${ending.text}\n`);
    await writing;
    this.#running.delete(run);
    return ending;
  }

  /** Returns the script, or a sentence that says why it cannot run. */
  #find(
    { scriptPath, script, name, resumeFromRunId: run }: WorkflowRequest,
    cwd: string,
  ): ScriptSource | string {
    const { folder, cwd: project, denied } = this.#parts;
    try {
      const before = run === undefined || !RUN.test(run) ? null : readScriptRun(runFolder(folder, run));
      if (run !== undefined && before === null) return noSuchRun(run, keptRuns(folder));
      const found =
        scriptPath !== undefined
          ? readScript(resolve(cwd, expandHome(scriptPath, homedir())))
          : script !== undefined
            ? { name: META_NAME.exec(script)?.[1] ?? "script.js", path: null, source: script }
            : name !== undefined
              ? findScript(name, { cwd: project, ...userPlaces(process.env, homedir()) })
              : before === null
                ? null
                : scriptAsItIs(before);
      if (found === null) return "Give one of script, name and scriptPath.";
      if (found.path !== null && denied(found.path)) return `A rule denies reading ${found.path}.`;
      return found.source.trim() === "" ? "The script is empty." : found;
    } catch (error) {
      return errorMessage(error);
    }
  }
}

/** As it is known among past runs: a script that is in no file of its own by the name in its `meta`. */
function estimated({ name, path, source }: ScriptSource, saved = path) {
  const isNamed = path !== null || name !== "script.js";
  const file = isNamed ? path : saved;
  return { name, source, ...(file === null ? {} : { path: file }) };
}

function argsOf({ args }: WorkflowRequest): { readonly args?: unknown } {
  return args === undefined ? {} : { args };
}

function endingOf({ end, agents, costUsd }: ScriptRunEnd, run: string, signal: AbortSignal): ScriptEnding {
  const spent = `${formatCount(agents, "agent")}${costUsd > 0 ? `, ${formatDollars(costUsd)}` : ""}`;
  if (end.type === "returned")
    return { state: "exited", exitCode: 0, ending: `It returned (${spent}).`, text: textOfValue(end.value) };
  if (signal.aborted)
    return { state: "killed", exitCode: null, ending: `It was stopped (${spent}).`, text: "" };
  return {
    ...{ state: "exited", exitCode: 1, text: "" },
    ending: `It failed: ${end.reason.replace(/\.$/, "")} (${spent}). ${resumeWords(run)}`,
  };
}

function noSuchRun(run: string, all: readonly string[]): string {
  const there = all.length === 0 ? "No script has run in it." : `Its runs: ${all.join(", ")}.`;
  return `There is no run ${JSON.stringify(run)} in this session. ${there}`;
}
