// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { whyNoBubblewrap } from "../policy/sandbox/opened.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { bash, openFleet, usage, write } from "./fleet.ts";

const hooks = (...commands: string[]) => [
  {
    scope: "user" as const,
    file: "/u/settings.json",
    value: {
      PostToolUse: [
        { matcher: "Edit|Write", hooks: commands.map((command) => ({ type: "command", command })) },
      ],
    },
  },
];

describe("PostToolUse hooks of calls on a runner", () => {
  it("run there once, in the worktree: a formatter's change reaches the agent and the checkout", async () => {
    const log = join(temporaryFolder(), "log");
    const note = `cat > event.json; echo "$CLAUDE_PROJECT_DIR $PWD" >> ${log}; echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Formatted."}}'`;
    let tree = "";
    const { supervisor, cwd, start, results } = await openFleet(
      (root, turn) => {
        tree = root;
        const file_path = join(root, "c.js");
        switch (turn) {
          case 0:
            return write(file_path, "let a=1\n");
          case 1:
            return {
              calls: [{ name: "Edit", input: { file_path, old_string: "a = 1", new_string: "b=2" } }],
              usage,
            };
          default:
            return { text: "done", usage };
        }
      },
      { hooks: hooks(`sed -i 's/\\([a-z]\\)=/\\1 = /' c.js`, note) },
    );
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "c.js"), "utf8")).toBe("let b = 2\n");
    expect(results[0]).toContain("+let a = 1");
    expect(results[0]).toMatch(/Said by a PostToolUse hook, not by the user:\nFormatted\./);
    expect(readFileSync(log, "utf8")).toBe(`${tree} ${tree}\n`.repeat(2));
    expect(JSON.parse(readFileSync(join(cwd, "event.json"), "utf8"))).toMatchObject({
      ...{ hook_event_name: "PostToolUse", cwd: tree, tool_name: "Edit", session_id: supervisor.session },
      ...{
        permission_mode: "acceptEdits",
        agent_type: "general-purpose",
        // Not as hooks of the session would get it: this one runs where the files are.
        tool_input: { file_path: join(tree, "c.js") },
        tool_response: { filePath: join(tree, "c.js") },
      },
    });
  });

  it("tell agent and user in one sentence that their program is not on the runner", async () => {
    const { supervisor, start, results, events } = await openFleet(
      (root, turn) => (turn < 2 ? write(join(root, `c${turn}.js`), "let a=1\n") : { text: "done", usage }),
      { hooks: hooks("no-such-formatter c.js") },
    );
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    const sentence =
      /On runner r1, which has the agent's files: The PostToolUse hook "no-such-formatter c\.js" .*not found/;
    const warnings = events.filter((one) => one.type === "warning" && sentence.test(one.message));
    expect(warnings).toHaveLength(1);
    expect(results[0]).toMatch(sentence);
    expect(results[1]).not.toMatch(sentence);
  });

  it("can end the conversation of their agent", async () => {
    const { supervisor, start, model } = await openFleet(
      (root, turn) => (turn === 0 ? write(join(root, "c.js"), "x\n") : { text: "never", usage }),
      { hooks: hooks(`echo '{"continue": false, "stopReason": "enough"}'`) },
    );
    await start("r1");
    await supervisor.prompt("go");
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    expect(told).toContain("A hook ended it: enough");
    expect(told).not.toContain("never");
  });
});

describe("troupe.runners.setup", () => {
  it("fails its agent with a clear reason if it fails", async () => {
    const { supervisor, start, model } = await openFleet(() => ({ text: "never", usage }), {
      setup: "echo no network >&2; exit 3",
    });
    await start("r1");
    await supervisor.prompt("go");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(
      /troupe\.runners\.setup failed on runner r1\. The set-up command of its worktree, `echo no network >&2; exit 3`, ended with exit code 3:\\\\?n?.*no network/,
    );
  });

  it("runs in the sandbox of the agent's commands", unless(whyNoBubblewrap), async () => {
    const outside = temporaryFolder();
    const { supervisor, start, results } = await openFleet(
      (_, turn) => (turn === 0 ? bash("cat ready.txt") : { text: "done", usage }),
      { setup: `echo ready > ready.txt; echo x > ${outside}/x; true`, sandbox: { mode: "required" } },
    );
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(existsSync(join(outside, "x"))).toBe(false);
    expect(results[0]).toMatch(/^ready\n/);
  });
});
