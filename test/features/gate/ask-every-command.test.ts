import { expect, test } from "vitest";
import { defaultSandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import type { PermissionMode } from "../../../src/settings/permissions.ts";
import { supervised } from "../../support/supervised.ts";

/** One command for each reply, so that their order is fixed. */
const bash = (commands: readonly string[]) =>
  commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
const allows = { PreToolUse: [{ hooks: [{ type: "command", command: `echo '{"decision":"approve"}'` }] }] };

/** The commands that were a question; each was allowed, for the session if that was offered. */
async function asked(commands: readonly string[], options: Partial<SupervisorOptions>) {
  const titles: string[] = [];
  const { supervisor } = supervised("in-thread", [...bash(commands), { text: "Done." }], {
    askEveryCommand: true,
    person: {
      async ask(ask) {
        if (ask.type === "permission") titles.push(`${ask.title} ${ask.grants.join()}`.trim());
        return { type: "allow", span: "session" };
      },
    },
    ...options,
  });
  await supervisor.prompt("go");
  return { titles, denials: supervisor.usage().denials.map(({ tool_input }) => tool_input) };
}

const ALLOWED = [{ text: "Bash", behaviour: "allow", scope: "user" }] as const;

test.each<[string, Partial<SupervisorOptions>]>([
  ["reading", {}],
  ["a rule", { rules: ALLOWED }],
  ["bypassPermissions", { permissionMode: "bypassPermissions" }],
  ["a hook", { hooks: [{ scope: "library", file: "test", value: allows }] }],
  ["the sandbox", { sandbox: { ...defaultSandboxSettings, mode: "on", autoAllow: true } }],
])(
  "askEveryCommand: a command that %s allows is a question each time",
  { tags: ["long"] },
  async (_, options) => {
    expect(await asked(["pwd", "pwd", "echo a"], options)).toEqual({
      ...{ titles: ["pwd", "pwd", "echo a"], denials: [] },
    });
  },
);

test.each<[string, PermissionMode, readonly { text: string; behaviour: "deny"; scope: "user" }[]]>([
  ["a rule denies", "default", [{ text: "Bash(pwd)", behaviour: "deny", scope: "user" }]],
  ["would be a question in dontAsk", "dontAsk", []],
])("askEveryCommand: a command that %s is refused without a question", async (_, permissionMode, rules) => {
  expect(await asked(["pwd"], { permissionMode, rules })).toEqual({
    titles: [],
    denials: [{ command: "pwd" }],
  });
});

test("without askEveryCommand what only reads is no question", async () => {
  expect(await asked(["pwd"], { askEveryCommand: false })).toEqual({ titles: [], denials: [] });
});
