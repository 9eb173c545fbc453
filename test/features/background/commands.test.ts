// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { blocksOf } from "../../../src/mailbox/turns.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { witness } from "../../processes/witness.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const acting = { permissionMode: "acceptEdits", allowedTools: ["Bash"] } as const;
const bash = (...commands: string[]): ScriptedTurn => ({
  calls: commands.map((command) => ({ name: "Bash", input: { command } })),
});

function results(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap((message) =>
    blocksOf(message).flatMap((block) => (block.type === "tool_result" ? [String(block.content)] : [])),
  );
}

describe.each(shippedHosts)("an agent's commands, %s", (host) => {
  test("its folder is its own, kept from turn to turn and from prompt to prompt; what it ran is in the receipts (A7.5)", {
    tags: ["long"],
  }, async () => {
    const { supervisor, model, cwd } = supervised(
      host,
      (request, n) => {
        if (request.actor !== MAIN) return n === 0 ? bash("pwd; exit 3") : { text: "mine" };
        if (n === 0) return bash("cd sub && pwd");
        if (n === 1) return { calls: [{ name: "Agent", input: { description: "looks", prompt: "look" } }] };
        if (n === 2) return { text: "one" };
        return n === 3 ? bash("pwd") : { text: "two" };
      },
      { ...acting, files: { "sub/x": "" } },
    );
    const { summary } = await supervisor.prompt("first");
    expect(summary.receipts.commands).toEqual([{ command: "cd sub && pwd", exitCode: 0 }]);
    await supervisor.prompt("second");
    expect(results(model.requests.at(-1)).at(-1)).toBe(`${join(cwd, "sub")}\n[Exit code 0]`);
    const agent = model.requests.filter(({ actor }) => actor !== MAIN).at(-1);
    expect(results(agent)).toEqual([`${cwd}\n[Exit code 3]`]);
    const child = supervisor.tree().find(({ id }) => id !== MAIN);
    expect(child?.summary?.receipts.commands).toEqual([{ command: "pwd; exit 3", exitCode: 3 }]);
  });

  test("calls of one reply run side by side (A4.3)", { tags: ["long"] }, async () => {
    // Each waits for the other: one after the other they would never end.
    const { supervisor, model } = supervised(
      host,
      (_request, n) =>
        n === 0
          ? bash(
              "mkfifo a b 2>/dev/null; echo x > a; cat b",
              "while [ ! -p b ]; do sleep 0.01; done; cat a; echo y > b",
            )
          : { text: "done" },
      acting,
    );
    await supervisor.prompt("go");
    expect(results(model.requests[1])).toEqual(["y\n[Exit code 0]", "x\n[Exit code 0]"]);
  });

  test("cancelling an agent ends its command, and what the command had said is kept", {
    tags: ["long"],
  }, async () => {
    const { path, ready, allGone } = witness();
    const { supervisor } = supervised(
      host,
      (_request, n) =>
        n === 0 ? bash(`echo begun; exec 9>"${path}"; echo up >&9; exec sleep 1000`) : { text: "no" },
      acting,
    );
    const result = supervisor.prompt("go");
    await ready;
    supervisor.cancel(MAIN, "enough");
    expect((await result).summary.status).toBe("cancelled");
    await allGone;
    const turns = readFileSync(join(supervisor.folder, "journal.jsonl"), "utf8");
    expect(turns).toContain("begun\\n[Ended, because the agent was stopped.]");
  });
});

test("long output can be read where the result says it is, though it is outside the workspace (A7.1, A19.6)", async () => {
  const { supervisor, model } = supervised(
    "in-thread",
    (request, n) => {
      if (n === 0) return bash("seq 1 20000");
      const path = /All of it is in (.*?):/.exec(results(request)[0] ?? "")?.[1];
      if (n === 1) return { calls: [{ name: "Read", input: { file_path: path, offset: 19_999, limit: 5 } }] };
      if (n === 2) return { calls: [{ name: "Write", input: { file_path: path, content: "mine" } }] };
      return { text: "done" };
    },
    acting,
  );
  await supervisor.prompt("go");
  expect(results(model.requests[2])[1]).toBe("19999\t19999\n20000\t20000");
  // It may be read, and no more.
  expect(results(model.requests[3])[2]).toContain("needs the user's permission");
});

test("an agent whose thread is ended leaves no process, not even one that left its group (A7.10)", async () => {
  const inGroup = witness();
  const outside = witness();
  const hold = (path: string) => `exec 9>"${path}"; echo up >&9; exec sleep 1000`;
  const { supervisor } = supervised(
    "worker threads",
    (_request, n) =>
      n === 0 ? bash(`setsid sh -c '${hold(outside.path)}' & ${hold(inGroup.path)}`) : { text: "no" },
    { ...acting, limits: { graceMs: 0 } },
  );
  const result = supervisor.prompt("go");
  await Promise.all([inGroup.ready, outside.ready]);
  supervisor.cancel(MAIN, "enough");
  await result;
  await inGroup.allGone;
  if (existsSync("/proc/self/environ")) await outside.allGone;
});

test("a session that is killed with SIGKILL leaves none of its commands, in front or in the background (A7.10)", {
  tags: ["long"],
}, async () => {
  const [front, back, stray] = [witness(), witness(), witness()];
  const { cwd, home } = supervised("in-thread", []);
  const hold = (path: string) => `exec 9>"${path}"; echo up >&9; exec sleep 1000`;
  const url = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url));
  const program = `
    import { Supervisor } from ${url("session/supervisor.ts")};
    import { scriptedModel } from ${url("model/scripted.ts")};
    const call = (command, more) => ({ name: "Bash", input: { command, ...more } });
    const client = scriptedModel([{ calls: [
      call(${JSON.stringify(hold(front.path))}),
      call(${JSON.stringify(`setsid sh -c '${hold(stray.path)}' & ${hold(back.path)}`)}, { run_in_background: true }),
    ] }]);
    const options = { cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(home)}, permissionMode: "bypassPermissions" };
    await new Supervisor({ ...options, source: { provider: "client", client } }).prompt("go");`;
  const session = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
  await Promise.all([front.ready, back.ready, stray.ready]);
  session.kill("SIGKILL");
  await Promise.all([front.allGone, back.allGone]);
  if (existsSync("/proc/self/environ")) await stray.allGone;
});

describe("the offline model", () => {
  const offline = { source: { provider: "offline" }, permissionMode: "bypassPermissions" } as const;

  test("runs a command and says what it printed", async () => {
    const { supervisor } = supervised("in-thread", [], offline);
    const { summary } = await supervisor.prompt(
      'run "echo hello; echo world >&2" then run "exit 4" then run "touch never"',
    );
    expect(summary.text).toContain("ran:\n\n    hello\n    world");
    expect(summary.text).toContain("`exit 4` failed with exit code 4 and printed nothing.");
    expect(summary.text).toContain("The step after that was not done.");
    expect(summary.receipts.commands.map(({ exitCode }) => exitCode)).toEqual([0, 4]);
  });

  test("runs one in the background, and one that failed is not done", async () => {
    const gate = join(temporaryFolder(), "gate");
    execFileSync("mkfifo", [gate]);
    const answered = Promise.withResolvers<void>();
    const { supervisor } = supervised("worker threads", [], {
      ...offline,
      onEvent(event) {
        if (event.type !== "agent" || event.view.activity.type !== "tool") return;
        if (event.view.activity.title.startsWith("in the background: ")) answered.resolve();
      },
    });
    const prompted = supervisor.prompt(`in background: run "cat ${gate}; exit 2"`);
    // News of an earlier end would be in its first answer.
    await answered.promise;
    await writeFile(gate, "out");
    const { summary } = await prompted;
    expect(summary.status).toBe("partial");
    expect(summary.text).toMatch(/^Started in the background: `cat .*; exit 2`/);
    expect(summary.text).toMatch(/It ended with exit code 2 \(failed\):\n\nout/);
  });
});
