// @module-tag long
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { long } from "../../support/long.ts";
import { seeded } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface Ran {
  readonly lines: readonly string[];
  readonly code: number | null;
}

/** Runs the program; kills it after so many acknowledged numbers, and `more` lines of output later. */
async function run(args: readonly string[], kill: { readonly after: number } | null): Promise<Ran> {
  const program = join(import.meta.dirname, "ledger-program.ts");
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString();
    if (kill && text.split("\nack ").length > kill.after) child.kill("SIGKILL");
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  const code = await promise;
  return { lines: text.split("\n"), code };
}

test.each([{ seed: 11, kills: long(4, 2) }])(
  "after $kills kills every acknowledged message counts once, in order, and so does what its handler sent (seed $seed)",
  async ({ seed, kills }) => {
    const random = seeded(seed);
    const [home, cwd] = [temporaryFolder(), temporaryFolder()];
    let session = "-";
    const acknowledged: number[] = [];
    for (let n = 0; n < kills; n += 1) {
      const first = String(n * 1_000 + 1);
      const { lines } = await run([home, cwd, session, first], { after: 1 + Math.floor(random() * 12) });
      session = lines.find((line) => line.startsWith("session "))?.slice(8) ?? session;
      acknowledged.push(...lines.flatMap((line) => (/^ack \d+$/.test(line) ? [Number(line.slice(4))] : [])));
      expect(lines.filter((line) => /^warning .*(crashed|arrive)/.test(line))).toEqual([]);
    }
    const { lines, code } = await run([home, cwd, session, "list"], null);
    expect(code).toBe(0);
    const { numbers, copied } = JSON.parse(lines.find((line) => line.startsWith("list "))?.slice(5) ?? "{}");
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => Number(a) - Number(b)));
    expect(numbers).toEqual(expect.arrayContaining(acknowledged));
    expect(copied).toEqual(numbers);
  },
);
