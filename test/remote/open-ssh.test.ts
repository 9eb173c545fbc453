// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createSeal } from "../../src/engine/seal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openSsh } from "../../src/remote/open-ssh.ts";
import { specFor } from "../runner/ground.ts";
import { FakeSession } from "../support/fake-session.ts";
import { fakeMachine } from "../support/fake-ssh.ts";
import { processesWith } from "../support/left-behind.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("a runner that is started through ssh", () => {
  it("runs an agent, without a server or a key file, and ends with its session", async () => {
    const { dir, env } = fakeMachine();
    const lines: string[] = [];
    const work = temporaryFolder();
    writeFileSync(join(work, "a.txt"), "hello world\n");
    const { carrier, key } = await openSsh({
      ...{ url: "ssh://me@build-3", env, clock: systemClock, onLine: (line) => lines.push(line) },
      args: ["--offline", "--name", "far"],
    });
    expect(readFileSync(join(dir, "host"), "utf8").trim()).toBe("me@build-3");
    const session = new FakeSession(carrier, createSeal(key, "session1"));
    await session.open();
    const agent = await session.offer(
      specFor(work, { model: "offline", messages: [{ role: "user", content: "where is hello?" }] }),
    );
    expect(await agent.exited).toEqual({ type: "returned" });
    const finish = JSON.stringify(agent.log.at(-1));
    expect(finish).toContain("a.txt:1");
    expect(lines.join("\n")).toContain("runner far (default): 1 of");
    const pid = readFileSync(join(dir, "pid"), "utf8").trim();
    await carrier.close();
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`), { timeout: 20_000 });
  });

  it("says how it was lost, and closes immediately", async () => {
    const { dir, env } = fakeMachine();
    const { carrier, lost } = await openSsh({
      ...{ url: "ssh://me@build-3", env, clock: systemClock, onLine: () => {} },
      args: ["--offline"],
    });
    process.kill(Number(readFileSync(join(dir, "pid"), "utf8")), "SIGKILL");
    expect(await lost).toBe("The connection to build-3 was lost (ssh ended with exit code 137).");
    expect(carrier.isUp).toBe(false);
    const from = performance.now();
    await carrier.close();
    expect(performance.now() - from).toBeLessThan(2_000);
  });

  it("is not started when its session closes, and what was started ends", async () => {
    const { dir, env } = fakeMachine();
    const stopped = new AbortController();
    const opening = openSsh({
      ...{ url: "ssh://build-3", env, clock: systemClock, onLine: () => {}, signal: stopped.signal },
    });
    const failed = expect(opening).rejects.toThrow("ssh ended with SIGKILL");
    await vi.waitUntil(() => existsSync(join(dir, "pid")));
    stopped.abort();
    await failed;
    await vi.waitUntil(() => processesWith(`HOME=${env.HOME}\0`).length === 0, { timeout: 20_000 });
  });

  it.each([
    ["ssh://nowhere", { PATH: "/nowhere" }, "ssh could not be started"],
    ["ssh://build-3/opt/none/troupe", null, "exit code 127"],
  ])("says why it cannot start %s", async (url, env, why) => {
    const opening = openSsh({
      ...{ url, env: env ?? fakeMachine().env, clock: systemClock, onLine: () => {} },
    });
    await expect(opening).rejects.toThrow(why);
  });

  it("says which side is older, and not that it has ended ssh for that", async () => {
    const dir = temporaryFolder();
    const hello = JSON.stringify({ type: "hello", wire: 99 });
    writeFileSync(join(dir, "ssh"), `#!/bin/sh\necho '${hello}'\nexec sleep 60\n`, { mode: 0o755 });
    const env = { PATH: `${dir}:${process.env["PATH"]}` };
    const opening = openSsh({ url: "ssh://build-3", env, clock: systemClock, onLine: () => {} });
    await expect(opening).rejects.toThrow(
      /^No runner could be started by ssh:\/\/build-3: The runner speaks [^(]*$/,
    );
  });

  it("says only how ssh has ended if it ends before a runner answers", async () => {
    const { env } = fakeMachine();
    const opening = openSsh({
      url: "ssh://build-3/opt/none/troupe",
      env,
      clock: systemClock,
      onLine: () => {},
    });
    await expect(opening).rejects.toThrow(/exit code 127[^(]*$/);
  });

  it.each(["ssh:", "ssh://me:secret@host", "http://host"])("refuses the address %s", async (url) => {
    const opening = openSsh({ url, env: {}, clock: systemClock, onLine: () => {} });
    await expect(opening).rejects.toThrow("is not the address of a machine");
  });
});
