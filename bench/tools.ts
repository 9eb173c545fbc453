import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onFreshGround } from "./folders.ts";
import type { BashRun, BashTask } from "./inside/bash.ts";
import type { FileToolsTask } from "./inside/file-tools.ts";
import { inOwnProcess } from "./own-process.ts";
import { makeRepository } from "./repository.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, p95 } from "./samples.ts";

/** Milliseconds of one call each, and of what it is compared with. */
export type FileToolSamples = Readonly<
  Record<
    | "grep"
    | "ripgrep"
    | "glob"
    | "walk"
    | "readStart"
    | "bytesAtStart"
    | "readMiddle"
    | "bytesToMiddle"
    | "edit"
    | "replace",
    readonly number[]
  >
>;

const LIVE = 64;
const MEGABYTES = 100;

/** The hands: each tool beside the system calls, or the program, that do nothing but its work. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async ({ cwd, home }) => {
    const repository = makeRepository(join(cwd, "repository"));
    const big = join(cwd, "big.txt");
    writeBigFile(big);
    const files = await inOwnProcess<FileToolSamples>(new URL("./inside/file-tools.ts", import.meta.url), {
      repository,
      big,
      rounds: quick ? 7 : 25,
    } satisfies FileToolsTask);
    const bash = (live: number) =>
      inOwnProcess<BashRun>(
        new URL("./inside/bash.ts", import.meta.url),
        { cwd, home, live, calls: quick ? 20 : 100, megabytes: MEGABYTES } satisfies BashTask,
        { SHELL: "/bin/bash" },
      );
    return [...fileLines(files, repository.files), ...bashLines(await bash(0), await bash(LIVE))];
  });
}

/** 100 bytes a line. */
function writeBigFile(path: string): void {
  const file = openSync(path, "w");
  const lines = Buffer.from(`${"0123456789 a line of a large file ".padEnd(99, "x")}\n`.repeat(10_000));
  for (let written = 0; written < 100; written++) writeSync(file, lines);
  // Else the first thing that is synced waits for all of it.
  fsyncSync(file);
  closeSync(file);
}

function fileLines(samples: FileToolSamples, files: number): BenchResult[] {
  const line = (
    name: string,
    ours: keyof FileToolSamples,
    floor: keyof FileToolSamples,
    limit: number | null,
    what: string,
  ): BenchResult => ({
    name,
    unit: "ms",
    ours: median(samples[ours]),
    floor: median(samples[floor]),
    target: limit === null ? null : timesFloor(limit),
    note: `${p95(samples[ours])}; floor: ${what}`,
  });
  return [
    line(`Grep over ${files} files`, "grep", "ripgrep", 1.3, "bare ripgrep"),
    line(`Glob over ${files} files, all of them matching`, "glob", "walk", 1.3, "a bare walk and stat"),
    line(
      "Read, the first 2000 lines of 100 MB",
      "readStart",
      "bytesAtStart",
      2,
      "those bytes alone, opened, read and decoded",
    ),
    line("  2000 lines in the middle", "readMiddle", "bytesToMiddle", null, "all bytes up to there"),
    line("Edit", "edit", "replace", 2, "read, replace, write, fsync, rename"),
  ];
}

function bashLines(alone: BashRun, among: BashRun): BenchResult[] {
  const line = (name: string, { calls, bare }: BashRun): BenchResult => ({
    name,
    unit: "ms",
    ours: median(calls),
    floor: median(bare),
    target: timesFloor(1.5),
    note: `${p95(calls)}; floor: bash from an empty process, its output heard`,
  });
  return [
    line("Bash true, from verdict to result", alone),
    line(`  with ${LIVE} live agents`, among),
    {
      name: `memory while a command writes ${MEGABYTES} MB`,
      unit: "MiB",
      ours: alone.growthMiB,
      floor: null,
      target: atMost(30),
      note: "peak growth of our processes together",
    },
  ];
}
