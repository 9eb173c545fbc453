import { execFile } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../src/mailbox/clock.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { agentTools } from "../../src/tools/index.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { ripgrepPath } from "../../src/tools/ripgrep.ts";
import { TodoList } from "../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";
import { answer, given } from "../own-process.ts";
import type { Repository } from "../repository.ts";
import { interleaved } from "../samples.ts";
import type { FileToolSamples } from "../tools.ts";

export interface FileToolsTask {
  readonly repository: Repository;
  /** A file of 100 MB with lines of 100 bytes. */
  readonly big: string;
  readonly rounds: number;
}

const IN_A_ROW = 20;
const LINES = 2_000;
const LINE_BYTES = 100;

const { repository, big, rounds } = given<FileToolsTask>();
const { folder, files, needle } = repository;
const edited = join(folder, "packages/edited.ts");
const processes = startProcesses({ env: process.env });

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

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Milliseconds of one of several in a row: what takes less than a millisecond is lost in the noise alone. */
async function timedInARow(work: () => unknown): Promise<number> {
  const whole = await timed(async () => {
    for (let done = 0; done < IN_A_ROW; done++) await work();
  });
  return whole / IN_A_ROW;
}

// ---- what cannot be beaten ------------------------------------------------------------------------

const ripgrep = ripgrepPath() ?? "rg";
const runRipgrep = promisify(execFile);

function walkAndStat(place: string): number {
  let newest = 0;
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const path = `${place}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== ".git" && entry.name !== "node_modules")
        newest = Math.max(newest, walkAndStat(path));
    } else if (entry.isFile()) newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

async function readAndDecode(path: string, count: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.allocUnsafe(count), 0, count, 0);
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}

function readUpTo(path: string, end: number): number {
  const file = openSync(path, "r");
  const bytes = Buffer.allocUnsafe(64 * 1024);
  try {
    let at = 0;
    while (at < end) at += readSync(file, bytes, 0, Math.min(bytes.length, end - at), at);
    return at;
  } finally {
    closeSync(file);
  }
}

function replaceBarely(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8").replace(from, to);
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, "w");
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
}

// ---- both, in turn --------------------------------------------------------------------------------

const middle = 500_000;
let edits = 0;
for (const file of [edited, `${edited}.bare`])
  writeFileSync(file, `${"// a line of a source file that is edited\n".repeat(500)}const state = "zero";\n`);

async function editOnce(): Promise<void> {
  const from = `"${edits === 0 ? "zero" : `n${edits}`}"`;
  edits += 1;
  await call("Edit", { file_path: edited, old_string: from, new_string: `"n${edits}"` });
}

const expected = await call("Grep", { pattern: needle, head_limit: 0 });
if (expected.split("\n").filter((line) => line.endsWith(".ts")).length !== files / 100)
  throw new Error(`Grep did not find what is there: ${expected.slice(0, 300)}`);
if (!(await call("Glob", { pattern: "**/*.ts" })).includes(`of ${files + 1} files`))
  throw new Error("Glob did not find what is there.");
await call("Read", { file_path: edited });

const samples: FileToolSamples = await interleaved(rounds, {
  grep: () => timed(() => call("Grep", { pattern: needle })),
  ripgrep: () => timed(() => runRipgrep(ripgrep, ["--files-with-matches", needle, "./"], { cwd: folder })),
  glob: () => timed(() => call("Glob", { pattern: "**/*.ts" })),
  walk: () => timed(() => walkAndStat(folder)),
  readStart: () => timedInARow(() => call("Read", { file_path: big, limit: LINES })),
  bytesAtStart: () => timedInARow(() => readAndDecode(big, LINES * LINE_BYTES)),
  readMiddle: () => timed(() => call("Read", { file_path: big, offset: middle + 1, limit: LINES })),
  bytesToMiddle: () => timed(() => readUpTo(big, (middle + LINES) * LINE_BYTES)),
  edit: () => timedInARow(editOnce),
  replace: () => timedInARow(() => replaceBarely(`${edited}.bare`, "state", "state")),
});
await processes.close();
await answer(samples);
