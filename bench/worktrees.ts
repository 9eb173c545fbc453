import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Measured, TreesRun, TreesTask } from "./inside/trees.ts";
import { inOwnProcess } from "./own-process.ts";
import { type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, quantile } from "./samples.ts";

const AGENTS = 32;
const FEW = 4;
/** Files in memory on Linux: on a disk that is shared with others the disk was all there was to see, and took minutes. */
const IN_MEMORY = "/dev/shm";

/** Trees of agents: making them, keeping every edit, bringing edits back; each beside the bare git commands for it. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const { on, at } = existsSync(IN_MEMORY)
    ? { on: "in memory", at: IN_MEMORY }
    : { on: "on the disk", at: tmpdir() };
  return lines(on, quick ? FEW : AGENTS, await measure(at, quick));
}

async function measure(at: string, quick: boolean): Promise<TreesRun> {
  const folder = mkdtempSync(join(at, "troupe-bench-"));
  try {
    const rounds = quick ? { making: 3, working: 7 } : { making: 9, working: 30 };
    return await inOwnProcess<TreesRun>(new URL("./inside/trees.ts", import.meta.url), {
      ...{ folder, rounds, agents: quick ? FEW : AGENTS },
    } satisfies TreesTask);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function lines(on: string, agents: number, run: TreesRun): BenchResult[] {
  const { files, atOnce } = run;
  const samples = { ...run.making, ...run.keeping, ...run.checking, ...run.bringing };
  const cpu = (ours: Measured, floor: Measured) => {
    const ratio = (run.cpuMs[ours] ?? 0) / (run.cpuMs[floor] ?? 0);
    return Number.isFinite(ratio) ? [`CPU ${ratio.toFixed(2)}x`] : [];
  };
  type Sampled = keyof typeof samples;
  const line = (
    name: string,
    ours: Sampled,
    floor: Sampled,
    limit: number | null,
    what: string,
  ): BenchResult => {
    const fastest = `fastest ${(quantile(samples[ours], 0) / quantile(samples[floor], 0)).toFixed(2)}x`;
    return {
      name: `${name}, ${on}`,
      unit: "ms",
      ours: median(samples[ours]),
      floor: median(samples[floor]),
      target: limit === null ? null : timesFloor(limit),
      note: [fastest, ...cpu(ours, floor), `floor: ${what}`].join("; "),
    };
  };
  const add = "git worktree add";
  const four = "add, write-tree, commit-tree, update-ref";
  const { ours, bare } = atOnce;
  const disk = `${Math.round(ours.mib)} MiB, ${(ours.mib / bare.mib).toFixed(2)}x`;
  return [
    line(`a tree of ${files} files from HEAD`, "fromHead", "bare", 1.3, add),
    line("  of a checkout without edits", "ofClean", "bare", 1.3, add),
    line("  of a checkout with 11 edits", "ofEdited", "bare", 1.3, add),
    line("snapshot after Write", "named", "bareNamed", 1.5, four),
    line("  after a command", "all", "bareAll", 1.5, "the same with add -A"),
    line("merge check", "check", "mergeTree", 1.5, "git merge-tree"),
    line("  all of `prepare`", "prepare", "statuses", null, "2 git status, git merge-tree"),
    line("100 changed files brought back", "apply", "copying", 3, "2 git status and 100 copies"),
    {
      name: `${agents} trees at once, ${on}`,
      unit: "s",
      ours: ours.ms / 1_000,
      floor: bare.ms / 1_000,
      target: null,
      note: [disk, ...cpu("manyOurs", "manyBare"), `floor: as many ${add} in turn`].join("; "),
    },
  ];
}
