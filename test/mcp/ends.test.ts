import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { onLinux } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { children, failing, isRunning, never, opened, parsed, ready, server } from "./opened-mcp.ts";

const hasProc = process.platform === "linux";

function pidsIn(file: string): number[] {
  return readFileSync(file, "utf8").trim().split(/\s+/).map(Number);
}

describe("C9: nothing is left", { tags: ["long"] }, () => {
  test("without a server nothing is started: no process, no thread", async () => {
    const before = children();
    const handles = process.getActiveResourcesInfo().length;
    const { mcp } = opened({});
    await mcp.ready(5_000);
    expect(children()).toEqual(before);
    expect(process.getActiveResourcesInfo()).toHaveLength(handles);
    expect(mcp.tools()).toEqual([]);
    expect(await mcp.listResources(undefined, never)).toEqual({
      ...{ ok: false, message: "No MCP server is connected. No MCP server is configured." },
    });
    expect(await mcp.call({ name: "mcp__a__b", input: {} }, never)).toMatchObject({ isError: true });
    await mcp.close();
  });

  test("close ends servers with all they started: a stubborn one, a grandchild, one that left its group", async () => {
    const before = children();
    const file = join(temporaryFolder(), "pids");
    const { mcp, state } = await ready({
      family: server("raw.ts", "family", file),
      stubborn: server("raw.ts", "stubborn"),
      plain: server("raw.ts", "plain", file),
    });
    expect(["family", "stubborn", "plain"].map((slug) => state(slug).type)).toEqual(
      Array(3).fill("connected"),
    );
    const { content } = await mcp.call({ name: "mcp__stubborn__hello", input: {} }, never);
    const pids = [...pidsIn(file), Number(String(content).split(" ").at(-1))];
    expect(pids).toHaveLength(5);
    expect(pids.filter(isRunning)).toEqual(pids);
    await mcp.close();
    // Without a /proc what has left its group is not found.
    expect(pids.filter((pid, at) => isRunning(pid) && (hasProc || at !== 2))).toEqual([]);
    expect(children()).toEqual(before);
  });

  test("a server that does not start leaves nothing either", async () => {
    const before = children();
    const file = join(temporaryFolder(), "pids");
    const { mcp } = await ready(
      { silent: server("raw.ts", "silent"), family: server("raw.ts", "family", file) },
      { limits: { startMs: 1_000 } },
    );
    await mcp.close();
    expect(children()).toEqual(before);
    if (hasProc) expect(pidsIn(file).filter(isRunning)).toEqual([]);
  });

  test("calls that are open when it closes are answered", async () => {
    const { mcp } = await ready({ raw: server("raw.ts", "plain") });
    const call = mcp.call({ name: "mcp__raw__hang", input: {} }, never);
    await mcp.close();
    expect(await call).toEqual({ content: "The session is closing.", isError: true });
    expect(await mcp.call({ name: "mcp__raw__hello", input: {} }, never)).toMatchObject({ isError: true });
  });

  test("a broker that is killed: its servers end, its calls are answered, another one takes over", async () => {
    const file = join(temporaryFolder(), "pids");
    const before = children();
    const { mcp, event, warnings } = await ready({ family: server("raw.ts", "family", file) });
    const [broker = 0] = children().filter((pid) => !before.includes(pid));
    const first = pidsIn(file);
    const call = mcp.call({ name: "mcp__family__hang", input: {} }, never);
    process.kill(broker, "SIGKILL");
    expect(await call).toMatchObject(failing("it is not known whether the call did its work"));
    await event((one) => one.type === "state" && one.state.type === "connected");
    expect(await mcp.call({ name: "mcp__family__hello", input: {} }, never)).toMatchObject({
      isError: false,
    });
    expect(warnings).toEqual([expect.stringContaining("The MCP broker ended (SIGKILL")]);
    if (hasProc) expect(first.filter(isRunning)).toEqual([]);
  });

  test("a broker that is killed again and again is given up: 3 times in 60 s", async () => {
    const before = children();
    const { mcp, event, events, warnings } = opened({ raw: server("raw.ts", "plain") });
    const states = (type: string) =>
      events.filter((one) => one.type === "state" && one.state.type === type).length;
    for (let life = 1; life <= 4; life++) {
      await mcp.ready(20_000);
      expect(states("connected")).toBe(life);
      const [broker = 0] = children().filter((pid) => !before.includes(pid));
      const call = mcp.call({ name: "mcp__raw__hang", input: {} }, never);
      process.kill(broker, "SIGKILL");
      await call;
    }
    await event((one) => one.type === "state" && one.state.type === "failed");
    expect(warnings.filter((warning) => warning.includes("too often"))).not.toEqual([]);
    expect(await mcp.call({ name: "mcp__raw__hello", input: {} }, never)).toMatchObject({ isError: true });
    await mcp.close();
    expect(children()).toEqual(before);
  });

  test("a session that is killed takes its servers with it", onLinux, async () => {
    const folder = temporaryFolder();
    const file = join(folder, "pids");
    const holder = spawn(process.execPath, [join(import.meta.dirname, "holder.ts"), file, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void holder.kill("SIGKILL"));
    const [line] = await once(holder.stdout, "data");
    expect(String(line)).toBe("connected connected\n");
    const pids = pidsIn(file);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });
});

describe("C9: one connection for all who need it", { tags: ["long"] }, () => {
  test("another server of the same name is not started", async () => {
    const { mcp } = opened({ own: server("raw.ts", "plain") });
    const hold = mcp.hold(parsed({ own: { command: "something-else" } }).servers);
    expect(hold).toMatchObject({ slugs: [], problems: [expect.stringContaining("runs and has its name")] });
  });
});
