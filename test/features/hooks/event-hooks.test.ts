// @module-tag long
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { supervised } from "../../support/supervised.ts";
import { lastResults } from "../../support/texts-of.ts";

const hooks = (value: Readonly<Record<string, string>>): Partial<SupervisorOptions> => ({
  hooks: [
    {
      ...{ scope: "user", file: "/u/settings.json" },
      value: Object.fromEntries(
        Object.entries(value).map(([event, command]) => [event, [{ hooks: [{ type: "command", command }] }]]),
      ),
    },
  ],
});

const yes = (more: object = {}) =>
  `printf %s '${JSON.stringify({ hookSpecificOutput: { decision: { behavior: "allow", ...more } } })}'`;

/** What the model reads of one command, and whether the command has run. */
async function touched(options: Partial<SupervisorOptions>, command = "touch made") {
  const { supervisor, model, cwd } = supervised(
    "in-thread",
    () => (model.requests.length > 1 ? { text: "ok" } : { calls: [{ name: "Bash", input: { command } }] }),
    options,
  );
  await supervisor.prompt("go");
  const [, second] = model.requests;
  return { ran: existsSync(join(cwd, "made")), told: second ? lastResults(second) : [], cwd };
}

describe("a PermissionRequest hook (issue 20, 8)", () => {
  test("answers for the user", async () => {
    expect((await touched({})).ran).toBe(false);
    expect((await touched(hooks({ PermissionRequest: yes() }))).ran).toBe(true);
    const { ran, told } = await touched(hooks({ PermissionRequest: "echo not that >&2; exit 2" }));
    expect(ran).toBe(false);
    expect(told[0]).toContain("not that");
  });

  test.each<[string, Partial<SupervisorOptions>]>([
    ["a deny rule", { disallowedTools: ["Bash(touch:*)"] }],
    ["a rule that asks", { rules: [{ text: "Bash(touch:*)", behaviour: "ask", scope: "user" }] }],
    ["a mode that denies", { permissionMode: "dontAsk" }],
  ])("does not allow what %s does not allow", async (_, options) => {
    expect((await touched({ ...hooks({ PermissionRequest: yes() }), ...options })).ran).toBe(false);
  });

  test("does not allow what is always a question", async () => {
    const command = "touch made && rm -rf /";
    expect((await touched(hooks({ PermissionRequest: yes() }), command)).ran).toBe(false);
  });

  test("does not override a PreToolUse hook that asks", async () => {
    const asks = `printf %s '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`;
    expect((await touched(hooks({ PreToolUse: asks, PermissionRequest: yes() }))).ran).toBe(false);
  });

  test("allows another input only if rules would let it", async () => {
    const other = (command: string) => hooks({ PermissionRequest: yes({ updatedInput: { command } }) });
    expect((await touched(other("touch made"), "touch other")).ran).toBe(true);
    const denied = { ...other("touch made"), disallowedTools: ["Bash(touch made)"] };
    expect((await touched(denied, "touch other")).ran).toBe(false);
    expect((await touched(other("touch made && rm -rf /"), "touch other")).ran).toBe(false);
  });
});

test("a SubagentStart hook speaks to the agent before its first request", async () => {
  const { supervisor, model } = supervised(
    "in-thread",
    (request) => {
      if (JSON.stringify(request.messages).includes("look around")) return { text: "seen" };
      if (model.requests.length > 1) return { text: "ok" };
      const input = { description: "d", prompt: "look around", subagent_type: "Explore" };
      return { calls: [{ name: "Agent", input }] };
    },
    hooks({ SubagentStart: "echo mind the gap" }),
  );
  await supervisor.prompt("go");
  const [first] = model.requests.filter(({ messages }) => JSON.stringify(messages).includes("look around"));
  expect(JSON.stringify(first?.messages)).toContain(
    "Said by a SubagentStart hook, not by the user:\\nmind the gap",
  );
});

test("a hook decides whether a task is created and completed, and the model reads why", async () => {
  const calls = [
    { name: "TaskCreate", input: { subject: "bad", description: "d" } },
    { name: "TaskCreate", input: { subject: "good", description: "d" } },
    { name: "TaskUpdate", input: { taskId: "1", status: "in_progress" } },
    { name: "TaskUpdate", input: { taskId: "1", status: "completed" } },
    { name: "TaskGet", input: { taskId: "1" } },
  ];
  const results: string[] = [];
  const { supervisor } = supervised(
    "in-thread",
    (request) => {
      results.push(...lastResults(request));
      const call = calls.shift();
      return call === undefined ? { text: "ok" } : { calls: [call] };
    },
    hooks({
      TaskCreated: `grep -q '"task_subject":"bad"' && { echo no bad ones >&2; exit 2; } || true`,
      TaskCompleted: "echo test it first >&2; exit 2",
    }),
  );
  await supervisor.prompt("go");
  expect(results).toEqual([
    expect.stringContaining("The task was not added: a hook said no. no bad ones"),
    "Task 1 was added: good",
    expect.stringContaining("1 [in_progress] good"),
    expect.stringContaining("The task was not completed: a hook said no. test it first"),
    expect.stringContaining("status: in_progress"),
  ]);
});

describe.each(["prompt", "agent"] as const)("a Stop hook of type %s", (type) => {
  const value = { Stop: [{ hooks: [{ type, prompt: "Is it tested? $ARGUMENTS" }] }] };
  const hooked = { hooks: [{ scope: "user" as const, file: "/u/settings.json", value }] };

  test("asks a model, which is paid for, and the conversation continues with its reason", async () => {
    let checks = 0;
    const { supervisor, model } = supervised(
      "in-thread",
      (request) => {
        if (!JSON.stringify(request.messages.at(0)).includes("Is it tested?")) return { text: "finished" };
        checks += 1;
        const text = checks === 1 ? '{"ok": false, "reason": "run the tests"}' : '{"ok": true}';
        return { text, usage: { output_tokens: 7 } };
      },
      hooked,
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary.status).toBe("done");
    const [first, check, second, again] = model.requests;
    expect(model.requests).toHaveLength(4);
    expect(check?.tools.map(({ name }) => name).sort()).toEqual(
      type === "agent" ? ["Glob", "Grep", "Read"] : [],
    );
    expect(JSON.stringify(check?.messages)).toContain("last_assistant_message");
    expect(JSON.stringify(second?.messages)).toContain("run the tests");
    expect(again?.tools).toEqual(check?.tools);
    expect(first?.tools.length).toBeGreaterThan(3);
    const { agents } = supervisor.usage();
    expect(agents.length).toBe(type === "agent" ? 3 : 1);
    expect(agents.reduce((sum, { usage }) => sum + usage.output_tokens, 0)).toBe(14);
  });
});

test("an agent of a hook runs although the agent that it checks has the only slot", async () => {
  const value = { SubagentStop: [{ hooks: [{ type: "agent", prompt: "Is it tested?" }] }] };
  let checks = 0;
  const { supervisor, model } = supervised(
    "in-thread",
    ({ messages }) => {
      const text = JSON.stringify(messages);
      if (JSON.stringify(messages.at(0)).includes("Is it tested?")) {
        checks += 1;
        return { text: checks === 1 ? '{"ok": false, "reason": "run the tests"}' : '{"ok": true}' };
      }
      if (text.includes("look around")) return { text: text.includes("run the tests") ? "tested" : "seen" };
      if (model.requests.length > 1) return { text: "ok" };
      const input = { description: "d", prompt: "look around", subagent_type: "Explore" };
      return { calls: [{ name: "Agent", input }] };
    },
    { hooks: [{ scope: "user", file: "/u/settings.json", value }], limits: { maxAgents: 1 } },
  );
  await supervisor.prompt("go");
  expect(checks).toBe(2);
  expect(supervisor.tree().map(({ type, summary }) => [type, summary?.text])).toContainEqual([
    "Explore",
    expect.stringContaining("tested"),
  ]);
});
