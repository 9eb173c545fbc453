import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble, messagesOf, systemOf } from "../src/context/assemble.ts";
import { boundsOf, USUAL_WINDOW } from "../src/context/compaction/bounds.ts";
import { diskFiles } from "../src/context/files.ts";
import { memoryReader } from "../src/context/memory/memory.ts";
import { memoryBlock, memoryFacts, memoryRoom } from "../src/context/memory/memory-text.ts";
import { Supervisor } from "../src/session/supervisor.ts";
import { userPlaces } from "../src/settings/paths.ts";
import { inThreadHost } from "../test/support/in-thread-host.ts";
import { type RequestBody, startMessagesServer } from "../test/support/messages-server.ts";
import { promptCache } from "../test/support/prompt-cache.ts";
import { seededScheduler } from "../test/support/scheduler.ts";
import { forkedContext } from "./forked-context.ts";
import { manyDefinitions } from "./many-definitions.ts";
import { ordinaryFolder } from "./ordinary-folder.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median, p95, quantile } from "./samples.ts";

const FILES = 50;
const LINES = "- A rule that people of this project wrote down, with its reason.\n".repeat(30);

/** What putting a context together costs, how much of it is read from the cache, and what forks make of it. */
export async function run(options: BenchOptions): Promise<BenchResult[]> {
  return [
    ...(await contexts(options)),
    ...(await manyDefinitions(options)),
    ...(await ordinaryFolder(options)),
    ...(await forkedContext(options)),
  ];
}

async function contexts({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-context-"));
  try {
    const cwd = withMemory(folder);
    return [...assembly(folder, cwd, quick ? 300 : 3_000), ...(await shares(folder, cwd))];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A project whose memory is 50 files: one, which imports the others. */
function withMemory(folder: string): string {
  const cwd = join(folder, "project");
  mkdirSync(join(cwd, "rules"), { recursive: true });
  mkdirSync(join(cwd, ".git"));
  const names = Array.from({ length: FILES - 1 }, (_, n) => `rules/${n}.md`);
  for (const [n, name] of names.entries()) writeFileSync(join(cwd, name), `Rule ${n}\n${LINES}`);
  writeFileSync(join(cwd, "CLAUDE.md"), names.map((name) => `@${name}`).join("\n"));
  return cwd;
}

function searchIn(folder: string) {
  return { ...userPlaces({}, folder), home: join(folder, ".troupe"), managed: folder, trusted: () => false };
}

function assembly(folder: string, cwd: string, rounds: number): BenchResult[] {
  const search = { ...searchIn(folder), cwd, denied: () => false };
  const read = memoryReader(search, diskFiles);
  const room = memoryRoom(200_000);
  const limits = boundsOf(USUAL_WINDOW, { maxTokens: 16_000 });
  const assembled = () => {
    const memory = read();
    const parts = assemble({
      role: "You are an agent.",
      environment: { cwd, additionalDirs: [], platform: "linux", model: "m", limits },
      place: "",
      memory: memoryBlock(memory, room),
      ...{ tools: [], deferredTools: null, skills: null, history: [] },
      turn: { attached: memoryFacts(memory, room).map(({ key }) => key), pictures: [], prompt: "go" },
    });
    return [systemOf(parts), messagesOf(parts)];
  };
  const paths = read().files.map(({ path }) => path);
  const timed = (work: () => unknown) =>
    Array.from({ length: rounds }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    });
  assembled();
  const ours = timed(assembled);
  const floor = timed(() => paths.map((path) => statSync(path)));
  const first = timed(() => memoryReader(search, diskFiles)()).slice(0, 200);
  return [
    {
      name: `a context with ${FILES} memory files that have not changed`,
      unit: "ms",
      ours: median(ours),
      floor: median(floor),
      target: atMost(2),
      note: `${p95(ours)}; floor: ${FILES} stats`,
    },
    {
      name: "  the same files read for the first time",
      ...{ unit: "ms", ours: median(first), floor: null, target: null, note: p95(first) },
    },
  ];
}

/** The least share of each kind of request, over a server that caches as the API says it does. */
async function shares(folder: string, cwd: string): Promise<BenchResult[]> {
  const cache = promptCache();
  const turns: number[] = [];
  const forks: number[] = [];
  const calls = Array.from({ length: 40 }, (_, n) => ({
    name: "Agent",
    input: { description: `part ${n}`, prompt: `part ${n}`, subagent_type: "fork", run_in_background: false },
  }));
  const server = await startMessagesServer(
    ({ body }) => {
      const { read, whole } = cache(body);
      const isFork = JSON.stringify(body.messages).includes("You are a fork:");
      (isFork ? forks : turns).push(read / whole);
      return isFork ? { text: "Report." } : nextTurn(body, turns.length, cwd, calls);
    },
    { record: false },
  );
  const supervisor = new Supervisor({
    cwd,
    home: join(folder, ".troupe"),
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
    context: { memory: searchIn(folder), surroundings: true },
    host: inThreadHost(seededScheduler(() => 0.5)),
  });
  try {
    for (const prompt of ["one", "two", "three"]) await supervisor.prompt(prompt);
  } finally {
    await supervisor.close();
    await server.close();
  }
  return [
    shareLine("of a turn not read from the cache, third and later, memory changing", turns.slice(2), 10),
    shareLine("of a fork's first request not read from the cache, second and later of 40", forks.slice(1), 5),
  ];
}

function nextTurn(_: RequestBody, turn: number, cwd: string, calls: readonly object[]): object {
  if (turn === 5) writeFileSync(join(cwd, "rules", "0.md"), `Another rule\n${LINES}`);
  if (turn === 8) return { calls };
  if (turn % 4 === 0) return { text: "Done." };
  return { calls: [{ name: "Read", input: { file_path: join(cwd, "rules", `${turn}.md`) } }] };
}

function shareLine(name: string, samples: readonly number[], limit: number): BenchResult {
  const missed = samples.map((share) => 100 * (1 - share));
  const worst = quantile(missed, 1);
  return {
    name,
    unit: "%",
    ours: worst,
    floor: null,
    target: atMost(limit),
    note: `the worst of ${samples.length}`,
  };
}
