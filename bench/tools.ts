import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onFreshGround } from "./folders.ts";
import type { BashRun, BashTask } from "./inside/bash.ts";
import type { FileToolsRun, FileToolsTask, Measured } from "./inside/file-tools.ts";
import { inOwnProcess } from "./own-process.ts";
import { makeRepository } from "./repository.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, p95, quantile } from "./samples.ts";

const LIVE = 64;
const MEGABYTES = 100;

/** The hands: each tool beside the system calls, or the program, that do nothing but its work. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async ({ cwd, home }) => {
    const repository = makeRepository(join(cwd, "repository"));
    const big = join(cwd, "big.txt");
    writeBigFile(big);
    const files = await inOwnProcess<FileToolsRun>(new URL("./inside/file-tools.ts", import.meta.url), {
      repository,
      big,
      rounds: quick ? 7 : 40,
    } satisfies FileToolsTask);
    const bash = (live: number, confined = false) =>
      inOwnProcess<BashRun>(
        new URL("./inside/bash.ts", import.meta.url),
        { cwd, home, live, calls: quick ? 30 : 300, megabytes: MEGABYTES, confined } satisfies BashTask,
        { SHELL: "/bin/bash" },
      );
    return [
      ...fileLines(files, repository.files),
      ...bashLines(await bash(0), await bash(LIVE), await bash(0, true)),
    ];
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

function fileLines({ samples, cpuMs }: FileToolsRun, files: number): BenchResult[] {
  const line = (
    name: string,
    ours: Measured,
    floor: Measured,
    limit: number | null,
    what: string,
  ): BenchResult => ({
    name,
    unit: "ms",
    ours: median(samples[ours]),
    floor: median(samples[floor]),
    target: limit === null ? null : timesFloor(limit),
    note: [
      p95(samples[ours]),
      undisturbed(samples[ours], samples[floor]),
      ...cpuRatio(cpuMs[ours], cpuMs[floor]),
      `floor: ${what}`,
    ].join("; "),
  });
  const flags = "bare ripgrep with the same flags";
  return [
    line(`Grep over ${files} files`, "grep", "ripgrep", 1.3, flags),
    line("  the lines themselves", "grepLines", "ripgrepLines", 1.3, flags),
    line(`Glob over ${files} files, all of them matching`, "glob", "walk", 1.3, "a bare walk and stat"),
    line(
      "Read, the first 2000 lines of 100 MB",
      "read",
      "readThroughThePool",
      2,
      "those bytes alone, opened, read and decoded",
    ),
    line("  the same", "read", "readAtOnce", null, "those bytes, through no thread pool"),
    line("  2000 lines in the middle", "readMiddle", "readUpTo", null, "all bytes up to there"),
    line("Edit", "edit", "replace", 2, "read, replace, write, fsync, rename"),
  ];
}

/** The samples that others on the machine disturbed least. */
function undisturbed(ours: readonly number[], floor: readonly number[]): string {
  return `best tenth ${(quantile(ours, 0.1) / quantile(floor, 0.1)).toFixed(2)}x`;
}

/** On a busy machine this says more than the time that passed. */
function cpuRatio(ours: number | null, floor: number | null): string[] {
  return ours === null || floor === null || floor === 0 ? [] : [`CPU ${(ours / floor).toFixed(2)}x`];
}

function bashLines(alone: BashRun, among: BashRun, confined: BashRun): BenchResult[] {
  const line = (name: string, { calls, bare, cpuMs, bareCpuMs }: BashRun, limit: number): BenchResult => ({
    name,
    unit: "ms",
    ours: median(calls),
    floor: median(bare),
    target: timesFloor(limit),
    note: [
      p95(calls),
      undisturbed(calls, bare),
      ...cpuRatio(cpuMs, bareCpuMs),
      "floor: bash from an empty process, its output heard",
    ].join("; "),
  });
  const memory: BenchResult = {
    name: `memory while a command writes ${MEGABYTES} MB`,
    unit: "MiB",
    ours: alone.growthMiB,
    floor: null,
    target: atMost(30),
    note: "growth of our processes to their peaks, as the system noted them",
  };
  return [
    line("Bash true, from verdict to result", alone, 1.5),
    line(`  with ${LIVE} live agents`, among, 1.5),
    line("  confined to reading", confined, 2.6),
    ...(alone.looked === 0 ? [] : [memory]),
  ];
}
