// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPipe } from "../../src/engine/pipe-carrier.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startPostgres, startRedis, whyNoPostgres, whyNoRedis } from "../support/engine-servers.ts";
import { unless } from "../support/needs.ts";

const PROGRAM = join(import.meta.dirname, "../fixtures/engine/work-and-close.ts");

function start(url: string): { readonly child: ChildProcess; readonly ended: Promise<string> } {
  const child = spawn(process.execPath, [PROGRAM, url], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return {
    child,
    ended: new Promise((resolve) =>
      child.once("close", (code, signal) => resolve(`${said}${signal ?? code}`)),
    ),
  };
}

describe("a program that has closed its engine ends by itself", () => {
  describe.each([
    { name: "Redis", why: whyNoRedis, open: startRedis },
    { name: "PostgreSQL", why: whyNoPostgres, open: startPostgres },
  ])("$name", ({ why, open }) => {
    it("", unless(why), async () => {
      const server = await open();
      onTestFinished(() => server.close());
      expect(await start(server.url).ended).toBe("closed\n0");
    });
  });

  it("a pipe", async () => {
    const { child, ended } = start("stdio:");
    if (!child.stdin || !child.stdout) throw new Error("none");
    const carrier = await openPipe({ input: child.stdout, output: child.stdin, clock: systemClock });
    onTestFinished(() => carrier.close());
    const ready = Promise.withResolvers<void>();
    await carrier.listen("ready", () => ready.resolve());
    await carrier.offer("pool", { id: "s-a-1", body: "" });
    await ready.promise;
    await carrier.publish("topic", "text");
    expect(await ended).toBe("closed\n0");
  });
});
