import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { witness } from "../../processes/witness.ts";
import { unless } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { groundIn, sandboxOn } from "./ground.ts";
import { opened, whyNoBubblewrap, whyNoSocat } from "./opened.ts";

const READ_ONLY =
  "mkdir -p $TMPDIR/mod/deep; touch $TMPDIR/mod/deep/file; chmod 555 $TMPDIR/mod/deep $TMPDIR/mod";

/** A daemon of the command's: in a session of its own, deaf to TERM. */
const daemon = (pipe: string) =>
  `setsid sh -c 'exec 4>"${pipe}"; trap "" TERM; echo ready >&4; sleep 1000' &`;

describe("what ends in the sandbox", unless(whyNoBubblewrap), () => {
  test("a command that ends takes with it whatever it left behind (fault 32)", async () => {
    const { run } = opened();
    const { path, ready, allGone } = witness();
    const held = daemon(path).replace("sleep", ": > up; sleep");
    const running = run(`${held} while [ ! -e up ]; do sleep 0.01; done; exit 3`);
    await ready;
    expect(await running).toMatchObject({ outcome: "exited", exitCode: 3 });
    await allGone;
  });

  test("a timeout ends all processes, also one that ignores TERM (fault 31), and returns what was written", {
    tags: ["long"],
  }, async () => {
    const { commands, request } = opened();
    const { path, ready, allGone } = witness();
    const { signal } = new AbortController();
    const running = commands.run(
      MAIN,
      { ...request(`echo said; ${daemon(path)} wait`), timeoutMs: 4_000 },
      signal,
    );
    await ready;
    expect(await running).toMatchObject({ outcome: "timed-out", output: { head: "said\n" } });
    await allGone;
  });

  test("a command in the background runs on, and ends with its owner (A7.10)", async () => {
    const { commands, processes, request } = opened();
    const { path, ready, allGone } = witness();
    const started = Promise.withResolvers<void>();
    const running = commands.start({
      ...{ owner: MAIN, ...request(`${daemon(path)} wait`), timeoutMs: null, keep: true },
      signal: new AbortController().signal,
      watch: { started: () => started.resolve() },
    });
    if (typeof running === "string") throw new Error(running);
    await Promise.all([ready, started.promise]);
    await processes.stopOwner(MAIN);
    expect((await running.result).outcome).toBe("cancelled");
    await allGone;
  });

  test("a command that is stopped before it could start is not started", async () => {
    const { commands, request, workspace } = opened();
    const stop = new AbortController();
    const running = commands.run(MAIN, request("echo x > ran"), stop.signal);
    stop.abort();
    expect((await running).outcome).toBe("cancelled");
    expect(readdirSync(workspace).filter((name) => name === "ran")).toEqual([]);
  });

  test("read-only directories that a command leaves in its TMPDIR go with the session", async () => {
    const { run, sandbox } = opened();
    // As Go does with its cache of modules.
    const { output } = await run(`${READ_ONLY}; echo $TMPDIR`);
    const [temporary = ""] = output.head.split("\n");
    expect(existsSync(join(temporary, "mod/deep/file"))).toBe(true);
    await sandbox.close();
    expect(existsSync(temporary)).toBe(false);
  });

  test.each([["without a network", ""], ...(whyNoSocat === null ? [["with one", "allowed.invalid"]] : [])])(
    "nothing survives a killed main process, and the next session moves what a command made, %s",
    { tags: ["long"] },
    async (_w, domain = "") => {
      const folder = temporaryFolder("troupe-killed-");
      const { path, ready, allGone } = witness();
      const entry = new URL("./holder.ts", import.meta.url).pathname;
      const main = spawn(process.execPath, [entry, folder, path, domain], { stdio: "ignore" });
      onTestFinished(() => void main.kill("SIGKILL"));
      await ready;
      main.kill("SIGKILL");
      await Promise.all([once(main, "exit"), allGone]);

      const ground = groundIn(folder);
      // As if the command had made it in its last moment.
      writeFileSync(join(ground.workspace, ".mcp.json"), "{}");
      const processes = startProcesses({ env: process.env });
      const sandbox = sandboxOn(ground, processes);
      onTestFinished(async () => {
        await processes.close();
        await sandbox.close();
      });
      expect(readdirSync(ground.workspace)).toEqual(["temporary"]);
      const moved = readdirSync(join(ground.troupeHome, "sandbox", "moved"), { recursive: true });
      expect(moved.join()).toContain(".mcp.json");
      expect((await sandbox.ready).state).not.toBe("unavailable");
      expect(existsSync(readFileSync(join(folder, "workspace", "temporary"), "utf8"))).toBe(false);
    },
  );
});
