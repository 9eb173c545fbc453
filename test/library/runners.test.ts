// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { Session } from "../../src/library/session.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { startRedis, whyNoRedis } from "../support/engine-servers.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { unless } from "../support/needs.ts";
import { startRunnerProcess } from "../support/runner-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const HOLDS = join(import.meta.dirname, "../fixtures/engine/take-and-hold.ts");

describe("a program that uses the library", () => {
  describe("with Redis", unless(whyNoRedis), () => {
    it("sends agents to a runner that is another process, and others run here", async () => {
      const server = await startRedis();
      onTestFinished(() => server.close());
      const home = temporaryFolder();
      const key = join(home, "fleet-key");
      await createFleetKey(key);
      await startRunnerProcess(server.url, home, { args: ["--offline", "--name", "far", "--pool", "gpu"] });
      const { folder: cwd } = await repositoryWith({ "a.txt": "hello world\n" });
      await using session = new Session({
        ...{ cwd, home: temporaryFolder(), model: { provider: "offline" } },
        runners: { engine: server.url, key },
      });
      const [there, here] = await Promise.all([
        session.spawn({ prompt: "where is hello?", runner: "gpu" }),
        session.spawn({ prompt: "where is hello?" }),
      ]);
      expect(there.summary).toMatchObject({ status: "done", text: expect.stringContaining("a.txt:1") });
      expect(here.summary.status).toBe("done");
      const machines = session.tree().map(({ runner }) => runner);
      expect(machines.toSorted()).toEqual(["far", undefined]);
    });

    // The session waits for a minute before it gives up on the first.
    it("gets the report of an agent whose first runner died after it had taken it", {
      timeout: 180_000,
    }, async () => {
      const server = await startRedis();
      onTestFinished(() => server.close());
      const home = temporaryFolder();
      const key = join(home, "fleet-key");
      await createFleetKey(key);
      const { folder: cwd } = await repositoryWith({ "a.txt": "hello world\n" });
      await using session = new Session({
        ...{ cwd, home: temporaryFolder(), model: { provider: "offline" } },
        runners: { engine: server.url, key, pool: "default" },
      });
      const doomed = spawn(process.execPath, [HOLDS, server.url, "default"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ending = session.spawn({ prompt: "where is hello?" });
      await once(doomed.stdout, "data");
      doomed.kill("SIGKILL");
      await startRunnerProcess(server.url, home, { args: ["--offline", "--name", "second"] });
      const { summary } = await ending;
      expect(summary).toMatchObject({ status: "done", text: expect.stringContaining("a.txt:1") });
      expect(session.tree()[0]).toMatchObject({ runner: "second" });
      expect(session.tree()[0]).not.toHaveProperty("attempt");
    });
  });

  it.each([
    ["http://localhost", "is not an engine's address"],
    ["redis://user:secret@build-3", "redis://user:…@build-3 is not encrypted"],
  ])("cannot be opened with %s as the engine", (engine, why) => {
    const open = () =>
      new Session({ cwd: temporaryFolder(), model: { provider: "offline" }, runners: { engine } });
    expect(open).toThrow(why);
  });

  it("refuses a pool that has no name of one, for all agents and for one", async () => {
    const runners = { engine: "redis://localhost:1" };
    const given = {
      cwd: temporaryFolder(),
      home: temporaryFolder(),
      model: { provider: "offline" },
    } as const;
    expect(() => new Session({ ...given, runners: { ...runners, pool: "a/b" } })).toThrow(
      'The pool of runners cannot be "a/b"; it is the name of a pool',
    );
    await using session = new Session({ ...given, runners });
    await expect(session.spawn({ prompt: "where?", runner: ".." })).rejects.toThrow('runner cannot be ".."');
  });

  it("cannot lend a model client of its own", () => {
    const model = { provider: "client", client: scriptedModel(() => ({ text: "" })) } as const;
    const runners = { engine: "redis://localhost:1", credentials: "lend" } as const;
    expect(() => new Session({ cwd: temporaryFolder(), home: temporaryFolder(), model, runners })).toThrow(
      "cannot be lent",
    );
  });

  it("gets a summary that names the missing key", async () => {
    const { folder: cwd } = await repositoryWith({ "a.txt": "" });
    const home = join(temporaryFolder(), "home");
    mkdirSync(home);
    await using session = new Session({
      ...{ cwd, home, model: { provider: "offline" } },
      runners: { engine: "redis://localhost:1", pool: "default" },
    });
    const { summary } = await session.spawn({ prompt: "where?" });
    expect(summary).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("troupe runners key"),
    });
  });
});
