// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { bash, openFleet, usage, write } from "./fleet.ts";

type Event = "PreToolUse" | "PermissionRequest";

/** Settings with one hook: a program that reads `call` and prints what `body` returns. */
function hookOf(event: Event, body: string, condition?: string) {
  const program = join(temporaryFolder(), "hook.mjs");
  writeFileSync(
    program,
    `import { readFileSync, appendFileSync } from "node:fs";
    import { relative } from "node:path";
    const call = JSON.parse(readFileSync(0, "utf8"));
    appendFileSync(${JSON.stringify(`${program}.log`)}, JSON.stringify(call) + "\\n");
    const decide = () => { ${body} };
    const hookSpecificOutput = decide();
    if (hookSpecificOutput) console.log(JSON.stringify({ hookSpecificOutput }));`,
  );
  const hook = {
    ...{ type: "command", command: `${process.execPath} ${program}` },
    ...(condition === undefined ? {} : { if: condition }),
  };
  const calls = (): Record<string, unknown>[] =>
    existsSync(`${program}.log`)
      ? readFileSync(`${program}.log`, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];
  const value = { [event]: [{ matcher: "Write|Bash", hooks: [hook] }] };
  return { hooks: [{ scope: "user" as const, file: "/u/settings.json", value }], calls };
}

const DENY = 'return { permissionDecision: "deny", permissionDecisionReason: "Protected." };';

describe.each([
  ["on a runner", false],
  ["here", true],
])("a guard for an agent %s", (_, isLocal) => {
  it("refuses writes by their path in the current directory", async () => {
    const { hooks, calls } = hookOf(
      "PreToolUse",
      `if (relative(call.cwd, call.tool_input.file_path).startsWith("protected/")) { ${DENY} }`,
    );
    const { supervisor, cwd, start, results } = await openFleet(
      (root, turn) =>
        turn === 0
          ? write(join(root, "protected/a"), "no\n")
          : turn === 1
            ? write(join(root, "open/a"), `at ${root}\n`)
            : { text: "done", usage },
      { isLocal, hooks },
    );
    if (!isLocal) await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(results[0]).toContain("Protected.");
    expect(existsSync(join(cwd, "protected/a"))).toBe(false);
    expect(existsSync(join(cwd, "open/a"))).toBe(true);
    const tree = calls()[1]?.["cwd"];
    expect(tree).toContain(join(cwd, ".claude"));
    expect(calls()[1]?.["tool_input"]).toEqual({ file_path: `${tree}/open/a`, content: `at ${tree}\n` });
  });

  it("is asked if its condition fits the path in the project", async () => {
    const { hooks } = hookOf("PreToolUse", DENY, "Write(/protected/**)");
    const { supervisor, cwd, start, results } = await openFleet(
      (root, turn) =>
        turn < 2 ? write(join(root, turn === 0 ? "protected/a" : "open/a"), "x\n") : { text: "done", usage },
      { isLocal, hooks },
    );
    if (!isLocal) await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(results[0]).toContain("Protected.");
    expect([existsSync(join(cwd, "protected/a")), existsSync(join(cwd, "open/a"))]).toEqual([false, true]);
  });

  it("changes an input, whose paths are those of the agent's files", async () => {
    const { hooks } = hookOf(
      "PreToolUse",
      `const { file_path, content } = call.tool_input;
      return { updatedInput: { file_path: file_path.replace("from", "to"), content } };`,
    );
    const { supervisor, cwd, start } = await openFleet(
      (root, turn) => (turn === 0 ? write(join(root, "from"), "x\n") : { text: "done", usage }),
      { isLocal, hooks },
    );
    if (!isLocal) await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect([existsSync(join(cwd, "from")), existsSync(join(cwd, "to"))]).toEqual([false, true]);
  });

  it("answers for the user, with another command", async () => {
    const { hooks, calls } = hookOf(
      "PermissionRequest",
      `const command = call.tool_input.command.replace("one", "two");
      return { decision: { behavior: "allow", updatedInput: { ...call.tool_input, command } } };`,
    );
    let tree = "";
    const { supervisor, cwd, start } = await openFleet(
      (root, turn) => {
        tree = root;
        return turn === 0 ? bash(`node -e 0; touch ${root}/one`) : { text: "done", usage };
      },
      { isLocal, hooks, allowedTools: [], permissionMode: "default" },
    );
    if (!isLocal) await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(calls()[0]?.["tool_input"]).toMatchObject({
      command: `node -e 0; touch ${calls()[0]?.["cwd"]}/one`,
    });
    if (!isLocal) expect(JSON.stringify(calls())).not.toContain(tree);
    expect([existsSync(join(cwd, "one")), existsSync(join(cwd, "two"))]).toEqual([false, true]);
  });
});
