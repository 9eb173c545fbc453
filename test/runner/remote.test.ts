// @module-tag long
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { bash, openFleet, usage, write } from "./fleet.ts";

const LARGE = 66 * 1024 * 1024;
const PATIENT = { timeout: 240_000 };

/** A bare repository; each push to it runs the script. */
function remoteWith(script = ":"): string {
  const url = temporaryFolder();
  execFileSync("git", ["init", "-q", "--bare", url]);
  execFileSync("git", ["-C", url, "config", "core.compression", "0"]);
  const hook = join(url, "hooks", "pre-receive");
  writeFileSync(hook, `#!/bin/sh\ncat >> ${url}/pushed\n${script}\n`);
  chmodSync(hook, 0o755);
  return url;
}

function refsIn(url: string): string[] {
  const out = execFileSync("git", ["-C", url, "for-each-ref", "--format=%(refname)"], { encoding: "utf8" });
  return out.split("\n").filter((ref) => ref !== "");
}

/** Old and new commit and name of each ref that was pushed or deleted. */
function pushesTo(url: string): string[] {
  const file = join(url, "pushed");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

const writes = (root: string, turn: number) =>
  turn === 0 ? write(join(root, "made.txt"), "by an agent\n") : { text: "done", usage };

describe("a session and a runner with a remote", PATIENT, () => {
  it("send the repository through it, and leave no ref there; edits of usual size go through the engine", async () => {
    const remote = remoteWith();
    const { supervisor, cwd, start } = await openFleet(writes, { remote });
    await start("r1", { remote });
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("by an agent\n");
    await supervisor.close();
    const pushes = pushesTo(remote);
    const agent = supervisor.tree().find(({ description }) => description === "edit");
    const name = new RegExp(` refs/troupe/runners/${supervisor.session}/${agent?.id}/1/[0-9a-f]{40}$`);
    expect(pushes).toEqual([expect.stringMatching(name), expect.stringMatching(name)]);
    expect(refsIn(remote)).toEqual([]);
  });

  it("bring edits back through it that are too large for the engine, and later ones that are not", async () => {
    const remote = remoteWith();
    const { supervisor, cwd, start } = await openFleet(
      (_, turn) => {
        if (turn === 0) return bash(`head -c ${LARGE} /dev/urandom > large; sha256sum large`);
        return turn === 1 ? bash("echo small > small.txt") : { text: "done", usage };
      },
      { remote },
    );
    await start("r1", { remote });
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "large")).length).toBe(LARGE);
    expect(readFileSync(join(cwd, "small.txt"), "utf8")).toBe("small\n");
    await supervisor.close();
    const created = pushesTo(remote).filter((line) => line.startsWith("0".repeat(40)));
    expect(created).toHaveLength(2);
    expect(refsIn(remote)).toEqual([]);
  });

  it("fail an agent with the reason and the advice if the remote takes nothing", async () => {
    const remote = remoteWith("exit 1");
    const { supervisor, model, start } = await openFleet(writes, { remote });
    await start("r1", { remote });
    await supervisor.prompt("go");
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    expect(told).toMatch(/could not be pushed to .*pre-receive hook declined.*Check that git on .* may push/);
  });

  it("fail an agent with the reason if its runner does not reach it", async () => {
    const remote = remoteWith();
    const { supervisor, model, start } = await openFleet(writes, { remote });
    await start("r1", { remote: join(remote, "no-such-repository") });
    await supervisor.prompt("go");
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    expect(told).toMatch(/could not be fetched from .*no-such-repository.*Check that git on .* may fetch/);
    await supervisor.close();
    expect(refsIn(remote)).toEqual([]);
  });

  it("end soon while the remote hangs", async () => {
    const pid = join(temporaryFolder(), "pid");
    const remote = remoteWith(`echo $$ > ${pid}; sleep 600`);
    const { supervisor, start } = await openFleet(writes, { remote });
    await start("r1", { remote });
    const ending = supervisor.prompt("go");
    await vi.waitUntil(() => existsSync(pid), { timeout: 60_000 });
    const since = performance.now();
    await supervisor.close();
    expect(performance.now() - since).toBeLessThan(20_000);
    await ending.catch(() => {});
    expect(refsIn(remote)).toEqual([]);
  });

  it("do not disturb another session with the same remote", async () => {
    const remote = remoteWith();
    const fleets = await Promise.all([openFleet(writes, { remote }), openFleet(writes, { remote })]);
    for (const { start } of fleets) await start("r1", { remote });
    const ends = await Promise.all(fleets.map(({ supervisor }) => supervisor.prompt("go")));
    expect(ends.map(({ summary }) => summary.status)).toEqual(["done", "done"]);
    await Promise.all(fleets.map(({ supervisor }) => supervisor.close()));
    expect(pushesTo(remote)).toHaveLength(4);
    expect(refsIn(remote)).toEqual([]);
  });
});

describe("without a remote on one of the two sides", PATIENT, () => {
  it("everything goes through the engine", async () => {
    const remote = remoteWith();
    for (const [ofSession, ofRunner] of [
      [{ remote }, {}],
      [{}, { remote }],
    ]) {
      const { supervisor, cwd, start } = await openFleet(writes, ofSession);
      await start("r1", ofRunner);
      expect((await supervisor.prompt("go")).summary.status).toBe("done");
      expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("by an agent\n");
      await supervisor.close();
    }
    expect(pushesTo(remote)).toEqual([]);
  });
});
