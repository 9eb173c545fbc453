import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { serveCalls } from "../../src/actors/serve-calls.ts";

/**
 * A thread entry for tests of memory: where the input of a call says so its thread takes memory without bound, as soon
 * as a file is there.
 */
if (parentPort)
  serveCalls(parentPort, (run) => async (call, signal) => {
    const said = JSON.stringify(call.input);
    const [, form = "", file = ""] = /\[\[greedy as (\w+) after ([^\]]+)\]\]/.exec(said) ?? [];
    if (form !== "") await eat(form, file);
    return run(call, signal);
  });

/** In the input of a call that is to be greedy. */
export function greedyAs(form: "arrays" | "map" | "buffers", file: string): string {
  return `[[greedy as ${form} after ${file}]]`;
}

async function eat(form: string, file: string): Promise<void> {
  while (!existsSync(file)) await wait(10);
  // Taken up again it behaves: whatever was wrong with it died with its process.
  if (existsSync(`${file}.eaten`)) return;
  writeFileSync(`${file}.eaten`, "");
  switch (form) {
    case "arrays":
      return eatArrays();
    case "map":
      return eatMap();
    case "buffers":
      return eatBuffers();
    default:
      throw new Error(`nobody can be greedy as ${form}`);
  }
}

/** Arrays and strings in a chain. */
function eatArrays(): never {
  let eaten: unknown = null;
  for (let n = 0; ; n += 1)
    eaten = { eaten, numbers: Array.from({ length: 64 }, () => n), text: String(n).repeat(40) };
}

/** One table that grows: its next size is asked for at once, which no limit of a thread prevents. */
function eatMap(): never {
  const eaten = new Map<number, object>();
  for (let n = 0; ; n += 1) eaten.set(n, {});
}

/** Outside of the heap that is limited; slowly enough for whoever watches the machine's memory. */
function eatBuffers(): never {
  const eaten: Buffer[] = [];
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    eaten.push(Buffer.alloc(8 * 2 ** 20, 1));
    Atomics.wait(pause, 0, 0, 4);
  }
}
