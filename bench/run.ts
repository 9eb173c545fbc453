import { parseArgs } from "node:util";
import { errorMessage } from "../src/lib/errors.ts";
import { run as comingHome } from "./coming-home.ts";
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
import {
  type BenchOptions,
  type BenchResult,
  isReached,
  type OwnTable,
  ratioOf,
  type Target,
} from "./result.ts";
import { run as runners } from "./runners.ts";
import { rounded } from "./samples.ts";
import { run as spawn } from "./spawn.ts";
import { run as supervision } from "./supervision.ts";
import { run as terminal } from "./terminal.ts";
import { run as tools } from "./tools.ts";
import { run as turnGap } from "./turn-gap.ts";
import { run as worktrees } from "./worktrees.ts";

type Subject = (options: BenchOptions) => Promise<BenchResult[] | OwnTable>;

const subjects: Readonly<Record<string, Subject>> = {
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
  runners,
  "language-server": languageServer,
  terminal,
  "coming-home": comingHome,
};

const USAGE = `npm run bench -- [subject …] [--json] [--quick] [--adapter FILE …]
Subjects: ${Object.keys(subjects).join(", ")}. It measures dist/: npm run build first.
--adapter: another tool for coming-home; see bench/coming-home/adapter.ts.`;

async function main(): Promise<number> {
  const { values, positionals: names } = readArgs();
  const unknown = names.filter((name) => !(name in subjects));
  if (unknown.length > 0) {
    console.error(`bench: I do not know ${unknown.join(", ")}.\n${USAGE}`);
    return 2;
  }
  const { json, quick, adapter: adapters } = values;
  const machine = thisMachine();
  const results: BenchResult[] = [];
  const tables: Record<string, unknown> = {};
  if (!json) console.log(`${describeMachine(machine)}\n`);
  for (const [name, run] of Object.entries(subjects)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const found = await run({ quick, adapters });
    if ("table" in found) {
      tables[name] = found.data;
      if (!json) console.log(results.length > 0 ? `\n${found.table}` : found.table);
      continue;
    }
    if (!json && results.length === 0) console.log(HEADER);
    results.push(...found);
    if (!json) for (const result of found) console.log(row(result));
  }
  if (json)
    console.log(JSON.stringify({ ...machine, results: results.map(withVerdict), ...tables }, null, 2));
  return 0;
}

function readArgs() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        adapter: { type: "string", multiple: true, default: [] },
      },
    });
  } catch (error) {
    console.error(`bench: ${errorMessage(error)}\n${USAGE}`);
    process.exit(2);
  }
}

function withVerdict(result: BenchResult) {
  return { ...result, ratio: ratioOf(result), reached: isReached(result) };
}

function describeMachine({ date, machine, node, load }: Machine): string {
  return `${date}, ${machine}, Node ${node}, load average ${load.join(" ")} at the start`;
}

const HEADER = "| benchmark | ours | floor | ratio | reach | |\n|---|---|---|---|---|---|";

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

process.exitCode = await main();
