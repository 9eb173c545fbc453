import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import { load, skillFile, withSkills } from "./with-skills.ts";

const done = { text: "Done." };
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const textOf = (request: Pick<ModelRequest, "messages"> | undefined) => JSON.stringify(request?.messages);
const files = {
  ".claude/skills/inspect/SKILL.md": skillFile({ description: "R" }, "Inspect number $1."),
  ".claude/commands/now.md": skillFile(
    { "allowed-tools": "Bash(touch:*), Bash(echo:*)" },
    "It is !`echo five-past-$1` now.",
  ),
  ".claude/skills/dig/SKILL.md": skillFile({ context: "fork", agent: "Explore" }, "Dig $1."),
};
const general = { type: "general-purpose", typed: true } as const;

test("replaces a task that calls a skill by the skill's text with its arguments, for that agent (A12.7)", async () => {
  const { supervisor, model } = withSkills([load("inspect"), done, done], { files });
  await supervisor.spawn({ ...general, prompt: "/inspect 12" });
  expect(textOf(model.requests[0])).toContain("<command-name>/inspect</command-name>");
  expect(textOf(model.requests[0])).toContain("Inspect number 12.");
  expect(textOf(model.requests[1])).toContain("is already loaded");
  // Whoever wants an agent of its own has one.
  await supervisor.spawn({ ...general, prompt: "/dig deep" });
  expect(textOf(model.requests[2])).toContain("Dig deep.");
  expect(supervisor.tree().map(({ type }) => type)).toEqual(["general-purpose", "general-purpose"]);
});

test("runs its commands like any other, and lends its rules to this agent alone", async () => {
  const { supervisor, model } = withSkills([bash("touch made.txt"), done, bash("touch more.txt"), done], {
    files,
    agreed: () => true,
  });
  await supervisor.spawn({ ...general, prompt: "/now three" });
  expect(textOf(model.requests[0])).toContain("It is five-past-three now.");
  expect(textOf(model.requests[1])).not.toContain('"is_error":true');
  await supervisor.spawn({ ...general, prompt: "touch something" });
  expect(textOf(model.requests[3])).toContain('"is_error":true');
});

test("does not run its commands in an untrusted directory", async () => {
  const { supervisor, model } = withSkills([done], { files });
  await supervisor.spawn({ ...general, prompt: "/now three" });
  expect(textOf(model.requests[0])).toContain("this directory is not trusted");
});

test("starts no agent for an unknown skill; a program's text is only text", async () => {
  const { supervisor, model } = withSkills([done, done], { files });
  await expect(supervisor.spawn({ ...general, prompt: "/revew 12" })).rejects.toThrow(
    'There is no command or skill "/revew". Near it are: /review.',
  );
  expect(supervisor.tree()).toEqual([]);
  await supervisor.spawn({ type: "general-purpose", prompt: "/inspect 12" });
  expect(textOf(model.requests[0])).toContain('"/inspect 12"');
  await supervisor.spawn({ ...general, prompt: "/usr/bin/true is what?" });
  expect(textOf(model.requests[1])).toContain("/usr/bin/true is what?");
});
