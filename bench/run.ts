import { run as context } from "./context.ts";
import { run as fanOut } from "./fan-out.ts";
import { run as gate } from "./gate.ts";
import { run as governor } from "./governor.ts";
import { run as journal } from "./journal.ts";
import { run as languageServer } from "./language-server.ts";
import { run as loop } from "./loop.ts";
import { type Machine, thisMachine } from "./machine.ts";
import { run as mainLoop } from "./main-loop.ts";
import { run as memory } from "./memory.ts";
import { run as outside } from "./outside.ts";
import { run as policy } from "./policy.ts";
import { type BenchOptions, type BenchResult, isReached, ratioOf, type Target } from "./result.ts";
import { rounded } from "./samples.ts";
import { run as spawn } from "./spawn.ts";
import { run as supervision } from "./supervision.ts";
import { run as tools } from "./tools.ts";
import { run as turnGap } from "./turn-gap.ts";
import { run as worktrees } from "./worktrees.ts";

const subjects: Readonly<Record<string, (options: BenchOptions) => Promise<BenchResult[]>>> = {
  spawn,
  memory,
  loop,
  "turn-gap": turnGap,
  "fan-out": fanOut,
  "main-loop": mainLoop,
  journal,
  tools,
  policy,
  gate,
  governor,
  supervision,
  context,
  outside,
  worktrees,
  "language-server": languageServer,
};

const USAGE = `npm run bench -- [subject …] [--json] [--quick]
Subjects: ${Object.keys(subjects).join(", ")}. It measures dist/: npm run build first.`;

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const flags = args.filter((arg) => arg.startsWith("--"));
  const unknown = [
    ...names.filter((name) => !(name in subjects)),
    ...flags.filter((flag) => !["--json", "--quick"].includes(flag)),
  ];
  if (unknown.length > 0) {
    console.error(`bench: I do not know ${unknown.join(", ")}.\n${USAGE}`);
    return 2;
  }
  const json = flags.includes("--json");
  const machine = thisMachine();
  if (!json) console.log(header(machine));
  const results: BenchResult[] = [];
  for (const [name, run] of Object.entries(subjects)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const found = await run({ quick: flags.includes("--quick") });
    results.push(...found);
    if (!json) for (const result of found) console.log(row(result));
  }
  if (json) console.log(JSON.stringify({ ...machine, results: results.map(withVerdict) }, null, 2));
  return 0;
}

function withVerdict(result: BenchResult) {
  return { ...result, ratio: ratioOf(result), reached: isReached(result) };
}

function header({ date, machine, node, load }: Machine): string {
  return [
    `${date}, ${machine}, Node ${node}, load average ${load.join(" ")} at the start`,
    "",
    "| benchmark | ours | floor | ratio | reach | |",
    "|---|---|---|---|---|---|",
  ].join("\n");
}

/** One line of a Markdown table, so that what is printed can be kept. */
function row(result: BenchResult): string {
  const { name, unit, ours, floor, target, note } = result;
  const ratio = ratioOf(result);
  const reached = isReached(result);
  const verdict = reached === null ? "" : reached ? "reached" : "**missed**";
  const cells = [
    name,
    `${rounded(ours)} ${unit}`,
    floor === null ? "" : `${rounded(floor)} ${unit}`,
    ratio === null ? "" : ratio.toFixed(2),
    target === null ? "" : words(target, unit),
    [verdict, note].filter(Boolean).join("; "),
  ];
  return `| ${cells.join(" | ")} |`;
}

function words({ type, limit }: Target, unit: string): string {
  switch (type) {
    case "ratio-at-most":
      return `≤ ${limit}x`;
    case "ratio-at-least":
      return `≥ ${limit}x`;
    case "at-most":
      return `≤ ${limit} ${unit}`;
    default:
      return type satisfies never;
  }
}

process.exitCode = await main(process.argv.slice(2));
