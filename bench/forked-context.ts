import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type RecordedRequest,
  type ServedCall,
  type ServedReply,
  startMessagesServer,
} from "../test/support/messages-server.ts";
import { type Ground, onFreshGround } from "./folders.ts";
import type { ForkingRun, ForkingTask, FromForking, ToForking } from "./inside/forking.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median, rounded } from "./samples.ts";

const AGENTS = 40;
/** Half a million tokens, at four characters each. */
const CHARS = 2_000_000;
const READS = 100;
const READS_A_TURN = 4;
/** After all have come, so that what only hurried them on is over. */
const SETTLE_MS = 1_000;

type Kind = "fork" | "general-purpose";

/** What forks of a long conversation cost beside as many agents that know nothing of it. */
export async function forkedContext({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async (ground) => {
    const names = Array.from({ length: READS }, (_, n) => join(ground.cwd, `part-${n}.txt`));
    for (const [n, name] of names.entries()) writeFileSync(name, partOf(n));
    const forks: ForkingRun[] = [];
    const idle: ForkingRun[] = [];
    // Fills the compile cache.
    await measured("general-purpose", ground, names);
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      idle.push(await measured("general-purpose", ground, names));
      forks.push(await measured("fork", ground, names));
    }
    const rss = (runs: readonly ForkingRun[]) => median(runs.map(({ rssMiB }) => rssMiB));
    const before = median([...forks, ...idle].map(({ beforeMiB }) => beforeMiB));
    return [
      {
        name: `memory of ${AGENTS} forks of 500,000 tokens, beyond ${AGENTS} agents that wait`,
        unit: "MiB",
        ours: rss(forks) - rss(idle),
        floor: null,
        target: atMost(100),
        note: `${rounded(rss(forks))} and ${rounded(rss(idle))}, ${rounded(before)} before them; prefixes byte-identical`,
      },
    ];
  });
}

function partOf(n: number): string {
  const line = (at: number) => `part ${n}, line ${at}: what somebody once wrote down about this.\n`;
  const chars = CHARS / READS;
  return Array.from({ length: Math.floor(chars / line(100).length) }, (_, at) => line(at)).join("");
}

async function measured(kind: Kind, ground: Ground, files: readonly string[]): Promise<ForkingRun> {
  const play = played(kind, files, (type) => told(child, type));
  const server = await startMessagesServer(play.answer, { record: false });
  const task: ForkingTask = {
    url: server.url,
    cwd: ground.cwd,
    home: ground.home,
    agents: AGENTS,
    window: 1_000_000,
  };
  const child = fork(new URL("./inside/forking.ts", import.meta.url), [JSON.stringify(task)], {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: ground.compileCache },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    const run = await ended(child);
    play.check();
    return run;
  } finally {
    child.kill();
    await server.close();
  }
}

/** Tells the measured process where things stand, and waits until it has looked at itself. */
async function told(child: ChildProcess, type: ToForking["type"]): Promise<void> {
  const heard = once(child, "message");
  child.send({ type } satisfies ToForking);
  await heard;
}

function ended(child: ChildProcess): Promise<ForkingRun> {
  return new Promise((resolve, reject) => {
    child.on("message", (message: ForkingRun | FromForking) => {
      if ("rssMiB" in message) resolve(message);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The session ended with ${code} before it answered.`)));
  });
}

interface Played {
  answer(request: RecordedRequest): Promise<ServedReply>;
  /** Throws where the forks were not sent what their parent was, byte for byte. */
  check(): void;
}

function played(
  kind: Kind,
  files: readonly string[],
  tell: (type: ToForking["type"]) => Promise<void>,
): Played {
  let turns = 0;
  let parent = "";
  const prefixes = new Set<string>();
  let follows = true;
  let missing = AGENTS;
  const all = Promise.withResolvers<void>();
  const waiting = async (): Promise<ServedReply> => {
    missing -= 1;
    if (missing === 0) {
      await wait(SETTLE_MS);
      await tell("all-wait");
      all.resolve();
    }
    await all.promise;
    return { text: "Report." };
  };
  return {
    async answer({ path, rawBody }) {
      const usage = { input_tokens: Math.round(rawBody.length / 4) };
      if (path.includes("count_tokens")) return { body: JSON.stringify(usage) };
      if (rawBody.includes("You are a fork:")) {
        const prefix = rawBody.slice(0, rawBody.lastIndexOf('{"role":"user"'));
        prefixes.add(createHash("sha256").update(prefix).digest("hex"));
        follows &&= withoutBreakpoints(prefix).startsWith(parent);
        return waiting();
      }
      // The parent's own calls say it too, but those it is only sent with their results.
      if (rawBody.includes("Wait for me.") && !rawBody.includes("part-0.txt")) return waiting();
      const first = turns * READS_A_TURN;
      turns += 1;
      const reads = files.slice(first, first + READS_A_TURN);
      if (reads.length > 0)
        return { usage, calls: reads.map((file_path) => ({ name: "Read", input: { file_path } })) };
      if (first > files.length) return { text: "Done." };
      parent = withoutBreakpoints(rawBody.slice(0, rawBody.lastIndexOf("]")));
      await tell("full");
      return { usage, calls: Array.from({ length: AGENTS }, (_, n) => agentCall(kind, n)) };
    },
    check() {
      if (kind !== "fork") return;
      if (prefixes.size !== 1) throw new Error(`${prefixes.size} different prefixes of ${AGENTS} forks.`);
      if (!follows) throw new Error("The forks do not begin with what their parent was sent.");
    },
  };
}

/** What the cache is told is no part of what the model reads. */
function withoutBreakpoints(body: string): string {
  return body.replaceAll(',"cache_control":{"type":"ephemeral"}', "");
}

function agentCall(kind: Kind, n: number): ServedCall {
  const input = { description: `side ${n}`, prompt: `Side ${n}. Wait for me.`, run_in_background: false };
  return { name: "Agent", input: { ...input, subagent_type: kind } };
}
