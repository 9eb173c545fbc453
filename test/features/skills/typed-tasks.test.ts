// @module-tag long
import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { server } from "../../mcp/opened-mcp.ts";
import { PIXEL } from "../../mcp/servers/good-server.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { load, skillFile, withSkills } from "./with-skills.ts";

const done = { text: "Done." };
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const textOf = (request: Pick<ModelRequest, "messages"> | undefined) => JSON.stringify(request?.messages);
const files = {
  ".claude/skills/inspect/SKILL.md": skillFile({ description: "R" }, "Inspect number $0."),
  ".claude/commands/now.md": skillFile(
    { "allowed-tools": "Bash(touch:*), Bash(echo:*)" },
    "It is !`echo five-past-$0` now.",
  ),
  ".claude/skills/dig/SKILL.md": skillFile({ context: "fork", agent: "Explore" }, "Dig $0."),
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

test("refuses what a skill forbids while it is in use, whatever it allows, trusted or not", async () => {
  const narrow = skillFile(
    { "allowed-tools": "Bash(touch:*)", "disallowed-tools": "Bash(touch:*)" },
    "Look.",
  );
  const { supervisor, model } = withSkills([bash("touch made.txt"), done], {
    files: { ".claude/commands/look.md": narrow },
    agreed: () => true,
  });
  await supervisor.spawn({ ...general, prompt: "/look" });
  expect(textOf(model.requests[1])).toContain("the rule Bash(touch:*) denies it");
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

const imagesOf = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((block) => (block.type === "image" ? [block] : [])),
  );

test("an agent gets the images that its task names, its skill or the prompt of a server brings; a program's text is only text", async () => {
  const nowhere = temporaryFolder();
  const { supervisor, model } = withSkills([done, done, done, done], {
    files: { ...files, "a.gif": "GIF89a one", "b.txt": "CANARY" },
    mcpServers: { p: server("prompting.ts") },
    context: {
      memory: { ...userPlaces({}, nowhere), home: nowhere, managed: nowhere, trusted: () => false },
    },
  });
  await supervisor.spawn({ ...general, prompt: "What is on @a.gif, and what in @b.txt?" });
  await supervisor.spawn({ ...general, prompt: "/inspect @a.gif" });
  await supervisor.spawn({ ...general, prompt: "/mcp__p__show" });
  await supervisor.spawn({ type: "general-purpose", prompt: "What is on @a.gif?" });
  const data = model.requests.map((request) =>
    imagesOf(request).map(({ source }) => "data" in source && source.data),
  );
  const one = Buffer.from("GIF89a one").toString("base64");
  expect(data).toEqual([[one], [one], [PIXEL], []]);
  expect(textOf(model.requests[0])).toMatch(/The prompt names the image .*a\.gif, which is attached\./);
  expect(textOf(model.requests[0])).not.toContain("CANARY");
});
