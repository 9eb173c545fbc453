// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { failing, isRunning, never, opened, parsed, server } from "./opened-mcp.ts";

test("C9: a server that is released and immediately held again has one process at a time, and the old one's end does not end the new one", async () => {
  const file = join(temporaryFolder(), "started");
  const { mcp, state, warnings } = opened({});
  const { servers } = parsed({ s: server("raw.ts", "plain", file) });
  const first = mcp.hold(servers);
  const shared = mcp.hold(servers.map((one) => ({ ...one, file: "another file" })));
  expect([first.slugs, shared.slugs]).toEqual([["s"], ["s"]]);
  await first.ready(20_000);
  first.release();
  first.release();
  expect(state("s")).toEqual({ type: "connected" });
  shared.release();
  expect(mcp.servers()).toEqual([]);
  // Also one that is released before it has started, or while the one before it still ends.
  mcp.hold(servers).release();
  const again = mcp.hold(servers);
  await again.ready(20_000);
  expect(state("s")).toEqual({ type: "connected" });
  const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
  expect([2, 3]).toContain(pids.length);
  expect(pids.map(isRunning)).toEqual([...pids.slice(1).map(() => false), true]);
  const answer = await mcp.call({ name: "mcp__s__hello", input: {} }, never);
  expect(answer).toEqual({ content: `hello from ${pids.at(-1)}`, isError: false });
  expect(warnings).toEqual([]);
});

test("threat: a tool that changed while its server had no holder is not a new one", async () => {
  const file = join(temporaryFolder(), "crashed");
  const { mcp, event } = opened({});
  const { servers } = parsed({ s: server("raw.ts", "changed-when-restarted", file) });
  const first = mcp.hold(servers);
  await first.ready(20_000);
  first.release();
  writeFileSync(file, "");
  await mcp.hold(servers).ready(20_000);
  expect(await event((one) => one.type === "tools" && one.changed.length > 0)).toMatchObject({
    changed: ["mcp__s__changes"],
  });
  const refused = await mcp.call({ name: "mcp__s__changes", input: {} }, never);
  expect(refused).toMatchObject(failing("has changed what"));
});

test("warns once of a server that cannot start, however often it is held", async () => {
  const { mcp, warnings } = opened({});
  const { servers } = parsed({ s: { command: "no-such-program-here" } });
  for (const _ of [1, 2]) {
    const hold = mcp.hold(servers);
    await hold.ready(20_000);
    expect(mcp.servers()).toMatchObject([{ state: { type: "failed" } }]);
    hold.release();
  }
  expect(warnings).toHaveLength(1);
});
