// @module-tag long
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { startPostgres, startRedis, whyNoPostgres, whyNoRedis } from "../support/engine-servers.ts";
import { bash, openFleet } from "../support/fleet-processes.ts";
import { unless } from "../support/needs.ts";
import { attemptsOf, expectDone, ownServer, PATIENT } from "./fleet-scripts.ts";

const EDGE = 1_000;
const FOUR = ["1.png", "2.png", "3.png", "4.png"];

/** An image of 3 MB that no compression makes smaller. */
async function writeNoise(file: string): Promise<void> {
  const raw = { width: EDGE, height: EDGE, channels: 3 } as const;
  await sharp(randomBytes(EDGE * EDGE * 3), { raw })
    .png({ compressionLevel: 0 })
    .toFile(file);
}

describe.each([
  { name: "Redis", why: whyNoRedis, start: startRedis },
  { name: "PostgreSQL", why: whyNoPostgres, start: startPostgres },
])("an agent on a real runner over $name", ({ why, start }) => {
  it("sends a turn of 12 MB to its session, which is more than one blob holds", {
    ...unless(why),
    ...PATIENT,
  }, async () => {
    const { url } = await ownServer(start());
    const fleet = await openFleet(url, (_, turn) => {
      if (turn > 0) return { text: "I have seen them." };
      const folder = /\/[^\s"\\]*\/agent-\w+/.exec(fleet.model.requests.at(-1)?.rawBody ?? "")?.[0] ?? "";
      return { calls: FOUR.map((name) => ({ name: "Read", input: { file_path: join(folder, name) } })) };
    });
    for (const name of FOUR) await writeNoise(join(fleet.cwd, name));
    await fleet.startRunner("r1");
    const session = fleet.openSession(["anna"]);
    await expectDone(session.supervisor.prompt("go"));
    expect(attemptsOf(session)).toEqual([{ description: "anna", runner: "r1", attempt: 1, status: "done" }]);
    const [, second] = fleet.model.requests.filter(({ rawBody }) => rawBody.includes("You are anna"));
    expect(second?.rawBody.match(/"type":"image"/g)).toHaveLength(4);
  });
});

describe("an agent on a real runner whose changes are above 64 MiB", {
  ...unless(whyNoRedis),
  ...PATIENT,
}, () => {
  const large = bash("echo good > good.txt; head -c 70000000 /dev/urandom > core.dump");

  it.each([
    {
      name: "removes them when it hears of it, and is merged",
      turns: [large, bash("rm core.dump")],
      status: "done",
    },
    { name: "fails with the reason if it does not, and nothing is merged", turns: [large], status: "failed" },
  ])("$name", async ({ turns, status }) => {
    const { url } = await ownServer(startRedis());
    const fleet = await openFleet(url, (_, turn) => {
      const call = turns[turn];
      return call === undefined ? { text: "I am done." } : { calls: [call] };
    });
    await fleet.startRunner("r1");
    const session = fleet.openSession(["anna"]);
    await expectDone(session.supervisor.prompt("go"));
    const [anna] = session.supervisor.tree().filter(({ id }) => id !== "main");
    const isDone = status === "done";
    expect(anna?.summary).toMatchObject({
      status,
      ...(isDone ? {} : { reason: expect.stringMatching(/cannot be sent to its session: 7\d{7} bytes/) }),
    });
    expect(anna?.attempt ?? 1).toBe(1);
    expect(existsSync(join(fleet.cwd, "good.txt"))).toBe(isDone);
    expect(existsSync(join(fleet.cwd, "core.dump"))).toBe(false);
    const told = fleet.model.requests.filter(({ rawBody }) => rawBody.includes("Delete the large files"));
    expect(told.length).toBeGreaterThan(0);
  });
});
