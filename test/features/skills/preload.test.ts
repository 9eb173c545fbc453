// @module-tag long
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { defineAgent } from "../../../src/context/agents/definition.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { load, skillFile, skillsIn, withSkills } from "./with-skills.ts";

const done = { text: "Done." };
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const agent = (skills: readonly string[], more: object = {}) =>
  defineAgent({
    ...{ name: "porter", whenToUse: "", prompt: "You carry.", tools: ["Bash", "Read"] },
    ...{ skills, ...more },
  });
const at = (name: string) => `.claude/skills/${name}/SKILL.md`;
const systemOf = (request: ModelRequest | undefined) => request?.system.join("\n") ?? "";
const messagesOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages);
const warnings = (events: readonly object[]) =>
  events.flatMap((event) => ("message" in event ? [String(event.message)] : []));

const files = {
  [at("sql")]: skillFile({ description: "S" }, `Use CTEs. See $\{CLAUDE_SKILL_DIR}/more.md.$ARGUMENTS`),
  [at("style")]: skillFile({ description: "T" }, "Be brief."),
};
const CTES = "Use CTEs. See ";

test("starts an agent with the text of the skills that its definition names, and loads none of them again (A4.21)", async () => {
  const { supervisor, model, cwd } = withSkills([load("sql"), done, load("sql"), done], {
    files,
    agents: [agent(["sql", "style"])],
  });
  const { id } = await supervisor.spawn({ type: "porter", prompt: "carry" });
  const [first, second] = model.requests;
  expect(systemOf(first)).toMatch(/^You carry\.\n\nYou have loaded these skills already\./);
  expect(systemOf(first)).toContain("<command-name>sql</command-name>");
  expect(systemOf(first)).toContain(`${CTES}${cwd}/.claude/skills/sql/more.md.`);
  expect(systemOf(first)).toContain("Be brief.");
  expect(systemOf(first)).not.toContain("Before you begin");
  expect(messagesOf(first)).not.toContain(CTES);
  expect(messagesOf(second)).toContain("The skill sql is already loaded");
  // Also when it goes on later.
  await supervisor.resume(id, "and again");
  expect(messagesOf(model.requests[3])).toContain("The skill sql is already loaded");
  expect(new Set(model.requests.map(systemOf)).size).toBe(1);
});

test("warns the user once of a missing skill and of one for users only", async () => {
  const { supervisor, model, events } = withSkills([done, done], {
    files: { ...files, [at("mine")]: skillFile({ "disable-model-invocation": "true" }, "Mine.") },
    agents: [agent(["sqll", "mine", "style"])],
  });
  await supervisor.spawn({ type: "porter", prompt: "carry" });
  await supervisor.spawn({ type: "porter", prompt: "carry" });
  expect(warnings(events)).toEqual([
    'There is no skill "sqll", which agents of type porter are to begin with. Near it are: sql.',
    "Agents of type porter do not get the skill mine, which only you may load (disable-model-invocation).",
  ]);
  expect(systemOf(model.requests[1])).toContain("Be brief.");
  expect(systemOf(model.requests[1])).not.toContain("Mine.");
});

test.each([
  ["it runs commands", { body: "It is !`date` now." }, {}],
  [
    "a rule asks about it",
    {},
    { rules: [{ text: "Skill(big)", behaviour: "ask", scope: "user", file: "f" }] },
  ],
  [
    "a hook hears of it",
    {},
    {
      hooks: [
        {
          scope: "user",
          file: "f",
          value: { PreToolUse: [{ matcher: "Skill", hooks: [{ type: "command", command: "true" }] }] },
        },
      ],
    },
  ],
  ["it is too long", { body: "x".repeat(110_000) }, {}],
] as const)(
  "if %s, the agent is asked to load it",
  async (_, { body = "Big." }: { body?: string }, options) => {
    const { supervisor, model } = withSkills([done], {
      files: { ...files, [at("big")]: skillFile({ description: "B" }, body) },
      agents: [agent(["big", "style"])],
      ...(options as object),
    });
    await supervisor.spawn({ type: "porter", prompt: "carry" });
    const [request] = model.requests;
    const all = "hooks" in options;
    expect(systemOf(request)).toContain(
      `Before you begin, load these skills with the Skill tool, all in one reply: ${all ? "big, style" : "big"}.`,
    );
    expect(systemOf(request).includes(body)).toBe(false);
    expect(systemOf(request).includes("Be brief.")).toBe(!all);
    expect(request?.tools.map(({ name }) => name)).toContain("Skill");
  },
);

test("warns the user if an agent has no tool to load its skill", async () => {
  const { supervisor, model, events } = withSkills([done], {
    files: { ...files, [at("clock")]: skillFile({ description: "B" }, "It is !`date` now.") },
    agents: [agent(["clock", "style"], { disallowedTools: ["Skill"] })],
  });
  await supervisor.spawn({ type: "porter", prompt: "carry" });
  expect(systemOf(model.requests[0])).toContain("Be brief.");
  expect(systemOf(model.requests[0])).not.toContain("clock");
  expect(warnings(events)).toEqual([
    "Agents of type porter do not get the skill clock: they would have to load it, and have no tool for that.",
  ]);
});

test.each([
  [true, false],
  [false, true],
])("what a project's skill lends counts if the user has agreed to it: %s", async (agreed, isRefused) => {
  const { supervisor, model, events } = withSkills([bash("touch made.txt"), done], {
    files: { [at("make")]: skillFile({ "allowed-tools": "Bash(touch:*)" }, "Make it.") },
    agents: [agent(["make"])],
    agreed: () => agreed,
  });
  await supervisor.spawn({ type: "porter", prompt: "make" });
  expect(systemOf(model.requests[0])).toContain("Make it.");
  expect(messagesOf(model.requests[1]).includes('"is_error":true')).toBe(isRefused);
  expect(warnings(events).some((line) => line.includes("that does not count"))).toBe(isRefused);
});

test.each(["project", "user"] as const)(
  "lends what a user's skill allows to an agent that a %s defines only if it is the user's (issue 14)",
  async (scope) => {
    const homedir = temporaryFolder();
    const file = join(homedir, ".claude/skills/make/SKILL.md");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, skillFile({ "allowed-tools": "Bash(touch:*)" }, "Make it."));
    const { supervisor, model } = withSkills([bash("touch made.txt"), done], {
      skills: { homedir },
      agents: [agent(["make"], { source: { scope, file: "/nowhere/porter.md" } })],
    });
    await supervisor.spawn({ type: "porter", prompt: "make" });
    expect(systemOf(model.requests[0])).toContain("Make it.");
    expect(messagesOf(model.requests[1]).includes('"is_error":true')).toBe(scope === "project");
  },
);

test("keeps the text in a resumed session", async () => {
  const homedir = temporaryFolder();
  const options = { agents: [agent(["style"])] };
  const { supervisor, home, cwd } = withSkills([done], { files, skills: { homedir }, ...options });
  const { id } = await supervisor.spawn({ type: "porter", prompt: "carry" });
  await supervisor.close();
  const restoring = await resumeSession({ home, cwd, session: { id: supervisor.session } });
  if (restoring.type !== "restored") throw new Error(JSON.stringify(restoring));
  const resume = restoring.session;
  const again = supervised("in-thread", [load("style"), done], {
    ...{ cwd, home, resume, skills: skillsIn(homedir), ...options },
  });
  await again.supervisor.resume(id, "and again");
  expect(systemOf(again.model.requests[0])).toContain("Be brief.");
  expect(messagesOf(again.model.requests[1])).toContain("The skill style is already loaded");
});
