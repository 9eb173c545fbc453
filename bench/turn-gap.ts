import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { streamOf } from "../test/support/messages-server.ts";
import { cli, type Ground, onFreshGround, root } from "./folders.ts";
import { runProgram } from "./program.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median } from "./samples.ts";

const SHORTEST = join(root, "bench/floor/shortest-loop.mjs");
const TURNS = 505;
const LOOKED_AT = [10, 100, 500];
/** Turns before and after, whose median counts. */
const AROUND = 4;

/** The time from a reply to the next request as a conversation grows; the server answers immediately. */
export async function run(_: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async (ground) => {
    const results: BenchResult[] = [];
    for (const lines of [1, 60]) {
      const files = filesOf(ground, lines);
      const ours = await gapsOf([cli, "-p", "Read."], ground, files);
      const floor = await gapsOf([SHORTEST, "Read."], ground, files);
      const size = lines === 1 ? "short results" : "results of 5 KB";
      for (const [at, turn] of LOOKED_AT.entries())
        results.push({
          name: `from a reply to the next request, turn ${turn}, ${size}`,
          unit: "ms",
          ours: ours[at] ?? 0,
          floor: floor[at] ?? 0,
          target: atMost(3),
        });
    }
    return results;
  });
}

/** Each turn reads another file: an agent that repeats a call is ended. */
function filesOf({ cwd, home }: Ground, lines: number): string[] {
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ troupe: { maxTurns: TURNS + 10 } }));
  return Array.from({ length: TURNS }, (_, n) => {
    const file = join(cwd, `${lines}-${n}.txt`);
    const line = (at: number) =>
      `line ${at} of file ${n}: text of about eighty characters, as in an ordinary source.`;
    writeFileSync(file, Array.from({ length: lines }, (_, at) => line(at)).join("\n"));
    return file;
  });
}

/** From the end of a reply to the headers of the next request: what goes over the wire does not count. */
async function gapsOf(
  args: readonly string[],
  { cwd, home }: Ground,
  files: readonly string[],
): Promise<number[]> {
  const begun: number[] = [];
  const answered: number[] = [];
  const server = createServer((request, response) => {
    const file_path = files[begun.push(performance.now()) - 1];
    const reply =
      file_path === undefined ? { text: "Read." } : { calls: [{ name: "Read", input: { file_path } }] };
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(streamOf(reply), () => answered.push(performance.now()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key", HOME: home, TROUPE_HOME: home };
    await runProgram(args, { cwd, env });
    if (begun.length !== TURNS + 1) throw new Error(`${begun.length} requests came.`);
    const gaps = begun.slice(1).map((at, n) => at - (answered[n] ?? at));
    return LOOKED_AT.map((turn) => median(gaps.slice(turn - 1 - AROUND, turn + AROUND)));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
