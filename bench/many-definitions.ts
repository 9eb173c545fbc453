import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onFreshGround } from "./folders.ts";
import type { LookingRun, LookingTask } from "./inside/looking.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median, p95 } from "./samples.ts";

const SKILLS = 500;
const AGENTS = 200;
const BODY = "What somebody who does this for the first time should know, and why it is so.\n".repeat(20);

/** What a folder with many skills and agents costs at the start of each session, and before each prompt. */
export async function manyDefinitions({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async ({ cwd, home }) => {
    fill(cwd);
    const runs: LookingRun[] = [];
    for (let round = 0; round < (quick ? 7 : 15); round++) runs.push(await looking({ cwd, home }));
    const floor = median(runs.map(({ stats }) => stats));
    const line = (name: string, samples: readonly number[], limit: number): BenchResult => ({
      ...{ name, unit: "ms CPU", ours: median(samples), floor, target: atMost(limit) },
      note: `${p95(samples)}; floor: ${SKILLS + AGENTS} stats`,
    });
    return [
      line(
        `${SKILLS} skills and ${AGENTS} agents at the start`,
        runs.map(({ look }) => look),
        150,
      ),
      line(
        "  before the next prompt",
        runs.map(({ again }) => again),
        20,
      ),
    ];
  });
}

function looking(task: LookingTask): Promise<LookingRun> {
  return inOwnProcess<LookingRun>(new URL("./inside/looking.ts", import.meta.url), task);
}

function fill(cwd: string): void {
  mkdirSync(join(cwd, ".git"));
  for (let n = 0; n < SKILLS; n++)
    put(
      join(cwd, `.claude/skills/skill-${n}/SKILL.md`),
      `---\nname: skill-${n}\ndescription: How part ${n} of the project is done here.\nallowed-tools: Bash(git log:*), Read\n---\n${BODY}`,
    );
  for (let n = 0; n < AGENTS; n++)
    put(
      join(cwd, `.claude/agents/helper-${n}.md`),
      `---\nname: helper-${n}\ndescription: Helps with part ${n} of the project.\ntools: Read, Grep, Glob\n---\n${BODY}`,
    );
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
