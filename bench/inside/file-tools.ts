import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { type GrepInput, ripgrepArguments } from "../../src/tools/grep/grep-arguments.ts";
import { ripgrepPath } from "../../src/tools/grep/ripgrep.ts";
import { agentTools } from "../../src/tools/index.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { TodoList } from "../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";
import { startBareSpawner } from "../bare-spawn.ts";
import { cpuMs, startedHere } from "../cpu.ts";
import { answer, given } from "../own-process.ts";
import type { Repository } from "../repository.ts";
import { interleaved } from "../samples.ts";
import { bareFiles } from "./bare-files.ts";

export interface FileToolsTask {
  readonly repository: Repository;
  /** A file of 100 MB with lines of 100 bytes. */
  readonly big: string;
  readonly rounds: number;
}

export type Measured =
  | "grep"
  | "ripgrep"
  | "grepLines"
  | "ripgrepLines"
  | "glob"
  | "walk"
  | "read"
  | "readThroughThePool"
  | "readAtOnce"
  | "readMiddle"
  | "readUpTo"
  | "edit"
  | "replace";

export interface FileToolsRun {
  /** Milliseconds of one call each. */
  readonly samples: Readonly<Record<Measured, readonly number[]>>;
  /** Processor time of all calls together, with that of the process host and of what it ran; null: not known. */
  readonly cpuMs: Readonly<Record<Measured, number | null>>;
}

const IN_A_ROW = 20;
const LINES = 2_000;
const LINE_BYTES = 100;
const MIDDLE = 500_000;

const { repository, big, rounds } = given<FileToolsTask>();
const { folder, files, needle } = repository;
const edited = join(folder, "packages/edited.ts");
const processes = startProcesses({ env: process.env });
const spawner = startBareSpawner();

const never = async (): Promise<never> => {
  throw new Error("Nothing of this is measured here.");
};
const context: AgentCallContext = {
  call: callId(MAIN, 1, 0),
  actor: MAIN,
  cwd: folder,
  root: folder,
  additionalDirs: [],
  signal: new AbortController().signal,
  reads: new ReadLedger(),
  todo: new TodoList([]),
  hidden: async () => new Set(),
  lastWriters: [],
  clock: systemClock,
  run: (request) => processes.run({ ...request, owner: MAIN }),
  command: never,
  background: never,
  ran() {},
  changeDirectory() {},
};

/** As dispatch calls it, in the thread it runs in. Answers what the model gets. */
async function call(name: string, input: unknown): Promise<string> {
  const prepared = agentTools.find((tool) => tool.name === name)?.prepare(input);
  if (prepared?.type !== "ready") throw new Error(`${name} cannot be called with ${JSON.stringify(input)}.`);
  const { content, isError } = await prepared.call(context);
  if (isError || typeof content !== "string") throw new Error(`${name} failed: ${JSON.stringify(content)}`);
  return content;
}

/** The very search of a call, by ripgrep alone. */
async function bareRipgrep(input: GrepInput): Promise<{ ms: number; said: string }> {
  return spawner.run({
    file: ripgrepPath() ?? "rg",
    args: ripgrepArguments(input, "./", { inOrder: false, inRepository: false }),
    cwd: folder,
  });
}

let edits = 0;

async function editOnce(): Promise<void> {
  const from = `"${edits === 0 ? "zero" : `n${edits}`}"`;
  edits += 1;
  await call("Edit", { file_path: edited, old_string: from, new_string: `"n${edits}"` });
}

// ---- what is compared must come to the same ------------------------------------------------------

const paths: GrepInput = { pattern: needle };
const lines: GrepInput = { pattern: needle, output_mode: "content" };
for (const file of [edited, `${edited}.bare`])
  writeFileSync(file, `${"// a line of a source file that is edited\n".repeat(500)}const state = "zero";\n`);
await call("Read", { file_path: edited });

for (const input of [paths, lines]) {
  const ours = (await call("Grep", input)).split("\n").sort();
  const bare = (await bareRipgrep(input)).said
    .replace(/\0(?=\d+:)/g, ":")
    .split(input === paths ? "\0" : "\n")
    .filter((row) => row !== "")
    .map((row) => row.replace(/^\.\//, ""));
  if (bare.length !== files / 100 || ours.join("\n") !== bare.sort().join("\n"))
    throw new Error(`Grep and ripgrep did not find the same: ${ours.slice(0, 3).join("\n")}`);
}
if (!(await call("Glob", { pattern: "**/*.ts" })).includes(`of ${files + 1} files`))
  throw new Error("Glob did not find what is there.");

// ---- both, in turn --------------------------------------------------------------------------------

const hosts = startedHere([spawner.pid]);
const cpu = new Map<string, number>();

/** `times` in a row: what takes less than a millisecond is lost in the noise alone. */
function measure(name: Measured, times: number, work: () => unknown): () => Promise<number> {
  return async () => {
    const hostBefore = cpuMs(hosts);
    const before = process.cpuUsage();
    const began = performance.now();
    for (let done = 0; done < times; done++) await work();
    const ms = (performance.now() - began) / times;
    const { user, system } = process.cpuUsage(before);
    const host = (cpuMs(hosts) ?? 0) - (hostBefore ?? 0);
    cpu.set(name, (cpu.get(name) ?? 0) + (user + system) / 1000 + host);
    return ms;
  };
}

function bare(name: Measured, input: GrepInput): () => Promise<number> {
  return async () => {
    const before = cpuMs([spawner.pid]);
    const { ms } = await bareRipgrep(input);
    const after = cpuMs([spawner.pid]);
    if (before !== null && after !== null) cpu.set(name, (cpu.get(name) ?? 0) + after - before);
    return ms;
  };
}

const bytes = LINES * LINE_BYTES;
const measures: Readonly<Record<Measured, () => Promise<number>>> = {
  grep: measure("grep", 1, () => call("Grep", paths)),
  ripgrep: bare("ripgrep", paths),
  grepLines: measure("grepLines", 1, () => call("Grep", lines)),
  ripgrepLines: bare("ripgrepLines", lines),
  glob: measure("glob", 1, () => call("Glob", { pattern: "**/*.ts" })),
  walk: measure("walk", 1, () => bareFiles.walkAndStat(folder)),
  read: measure("read", IN_A_ROW, () => call("Read", { file_path: big, limit: LINES })),
  readThroughThePool: measure("readThroughThePool", IN_A_ROW, () => bareFiles.readThroughThePool(big, bytes)),
  readAtOnce: measure("readAtOnce", IN_A_ROW, () => bareFiles.readAtOnce(big, bytes)),
  readMiddle: measure("readMiddle", 1, () =>
    call("Read", { file_path: big, offset: MIDDLE + 1, limit: LINES }),
  ),
  readUpTo: measure("readUpTo", 1, () => bareFiles.readUpTo(big, MIDDLE * LINE_BYTES + bytes)),
  edit: measure("edit", IN_A_ROW, editOnce),
  replace: measure("replace", IN_A_ROW, () => bareFiles.replace(`${edited}.bare`, "state", "state")),
};
// Forth and back: on a busy machine it matters what a measurement comes after.
const forth = await interleaved(Math.ceil(rounds / 2), measures);
const back = await interleaved(Math.floor(rounds / 2), backwards(measures));
const samples = joined((name) => [...forth[name], ...back[name]]);
await processes.close();
spawner.stop();
const cpuOf = joined((name) => (hosts.length === 0 ? null : (cpu.get(name) ?? null)));
await answer({ samples, cpuMs: cpuOf } satisfies FileToolsRun);

function backwards(some: typeof measures): typeof measures {
  return Object.fromEntries(Object.entries(some).reverse()) as unknown as typeof measures;
}

function joined<T>(of: (name: Measured) => T): Record<Measured, T> {
  const names = Object.keys(measures) as Measured[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as unknown as Record<Measured, T>;
}
