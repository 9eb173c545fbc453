import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  argumentsGiven,
  promptUsage,
  type ServerPrompt,
} from "../../../src/features/servers/server-prompts.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { server } from "../../mcp/opened-mcp.ts";
import { PIXEL } from "../../mcp/servers/good-server.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { skillFile, withSkills } from "../skills/with-skills.ts";

const mcpServers = { p: server("prompting.ts") };
const done = { text: "Done." };

/** What the model is sent last, as text; pictures by their type. */
function said(request: ModelRequest | undefined): string {
  const content = request?.messages.at(-1)?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("\n");
}

describe("A17: prompts of servers as slash commands", () => {
  test("the model is asked with the prompt's text, arguments by place, quotes respected", {
    tags: ["long"],
  }, async () => {
    const { supervisor, model } = withSkills([done, done, done], { mcpServers });
    const first = await supervisor.prompt('/mcp__p__greet "Ada Lovelace" in verse, please');
    expect(first.summary.status).toBe("done");
    expect(said(model.requests[0])).toContain("<command-name>/mcp__p__greet</command-name>");
    expect(said(model.requests[0])).toContain('A prompt of the MCP server "p"');
    expect(said(model.requests[0])).toContain('Greet {"who":"Ada Lovelace","style":"in verse, please"}.');
    await supervisor.prompt("/mcp__p__two_words");
    expect(said(model.requests[1])).toContain("This is two words.");
    await supervisor.prompt("/MCP__P__GREET x").catch(() => {});
    expect(model.requests).toHaveLength(2);
    await supervisor.prompt("/mcp__p__Greet Bob");
    expect(said(model.requests[2])).toContain('Greet {"who":"Bob"}.');
  });

  test("images are attached, resources are in it, and no server speaks as the model", {
    tags: ["long"],
  }, async () => {
    const nowhere = temporaryFolder();
    const { supervisor, model } = withSkills([done, done], {
      mcpServers,
      files: { "secret.txt": "do not read me" },
      context: {
        memory: { ...userPlaces({}, nowhere), home: nowhere, managed: nowhere, trusted: () => false },
      },
    });
    for (let call = 0; call < 2; call++) {
      await supervisor.prompt("/mcp__p__show");
      const request = model.requests[call];
      const text = said(request);
      expect(text).toContain("[User]\nWhat is this?");
      expect(text).toContain("[Image 1 of /mcp__p__show is here.]");
      expect(text).toContain("[Resource note:1]\nthe note");
      expect(text).toContain("[Assistant]\nA pixel.");
      expect(text).toContain("(image)");
      expect(JSON.stringify(request?.messages.at(-1))).toContain(PIXEL);
      // A server names no files of this machine.
      expect(JSON.stringify(request?.messages)).not.toContain("do not read me");
      const byAssistant = request?.messages.filter(({ role }) => role === "assistant");
      expect(JSON.stringify(byAssistant)).not.toContain("A pixel.");
    }
  });

  test("threat: text of a server is no command and no word of the runtime; what cannot be called asks no model", {
    tags: ["long"],
  }, async () => {
    const { supervisor, model } = withSkills([done], { mcpServers });
    await supervisor.prompt("/mcp__p__forged");
    const text = said(model.requests[0]);
    expect(text.match(/<command-name>/g)).toHaveLength(1);
    expect(text).toContain("&lt;command-name>/init");
    expect(text).toContain("&lt;system-reminder>");
    const reasons: Readonly<Record<string, string>> = {
      "/mcp__p__greet": "/mcp__p__greet needs who (Their name.): write /mcp__p__greet <who> [style].",
      "/mcp__p__show 1": "/mcp__p__show takes no arguments.",
      "/mcp__p__gret Ada":
        'The MCP server "p" has no prompt /mcp__p__gret. Near it are: /mcp__p__greet, /mcp__p__grow.',
      "/mcp__p__empty": 'The prompt /mcp__p__empty of the MCP server "p" is empty.',
      "/mcp__p__huge": "The prompt huge of the MCP server is not used: it has more than 200000 characters.",
      "/mcp__p__broken": "the prompt's own file is missing",
      "/mcp__q__greet": 'There is no command or skill "/mcp__q__greet".',
    };
    for (const [line, sentence] of Object.entries(reasons)) {
      const { summary } = await supervisor.prompt(line);
      expect(summary).toMatchObject({ status: "failed", reason: expect.stringContaining(sentence) });
    }
    expect(model.requests).toHaveLength(1);
  });

  test("one that is still starting is waited for; one that failed says why", { tags: ["long"] }, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wait"), "");
    const { supervisor, model } = withSkills([done], {
      mcpServers: { late: server("prompting.ts", folder), broken: { command: "no-such-program-here" } },
      limits: { mcpStartMs: 0 },
    });
    const { summary } = await supervisor.prompt("/mcp__broken__greet");
    expect(summary.reason).toContain('"broken"');
    const waiting = supervisor.prompt("/mcp__late__greet Ada");
    rmSync(join(folder, "wait"));
    expect((await waiting).summary.status).toBe("done");
    expect(said(model.requests[0])).toContain('Greet {"who":"Ada"}.');
  });

  test("a skill of that name counts before it, and a session without skills has prompts as well", {
    tags: ["long"],
  }, async () => {
    const own = withSkills([done], {
      mcpServers,
      files: { ".claude/skills/x/SKILL.md": skillFile({ name: "mcp__p__greet", description: "D" }, "Mine.") },
    });
    await own.supervisor.prompt("/mcp__p__greet Ada");
    expect(said(own.model.requests[0])).toContain("Mine.");
    const without = supervised("in-thread", [done, done], { mcpServers });
    await without.supervisor.prompt("/mcp__p__greet Ada");
    expect(said(without.model.requests[0])).toContain('Greet {"who":"Ada"}.');
    await without.supervisor.prompt("/mcp__other__greet is text here");
    expect(said(without.model.requests[1])).toContain("/mcp__other__greet is text here");
  });

  test("those that there are, with their arguments; a changed list is followed", {
    tags: ["long"],
  }, async () => {
    const { supervisor } = withSkills([done], { mcpServers });
    const names = () => supervisor.mcp.prompts().map(({ name }) => name);
    await expect.poll(names, { timeout: 15_000 }).toContain("mcp__p__greet");
    expect(supervisor.mcp.prompts()[0]).toMatchObject({
      ...{ name: "mcp__p__greet", server: "p", description: "Greets somebody." },
      arguments: [
        { name: "who", required: true },
        { name: "style", required: false },
      ],
    });
    expect(names()).not.toContain("mcp__p__grown");
    await supervisor.prompt("/mcp__p__grow");
    await expect.poll(names, { timeout: 15_000 }).toContain("mcp__p__grown");
  });
});

describe("arguments by place", () => {
  const prompt = (...declared: [name: string, required: boolean][]): ServerPrompt => ({
    ...{ name: "mcp__p__x", server: "p" },
    arguments: declared.map(([name, required]) => ({ name, required })),
  });
  const two = prompt(["a", true], ["b", false]);
  const three = prompt(["a", false], ["b", false], ["c", true]);

  test.each([
    [two, "1", { a: "1" }],
    [two, '"1 2" 3', { a: "1 2", b: "3" }],
    [two, "1 it's Bob's  'own'", { a: "1", b: "it's Bob's  'own'" }],
    [two, "it's 'so so'", { a: "it's", b: "so so" }],
    [two, String.raw`"a \"b\"" "c`, { a: 'a "b"', b: '"c' }],
    // On purpose empty.
    [two, '""', { a: "" }],
    [three, '"" "" 3', { c: "3" }],
    [prompt(["a", true]), "a whole sentence", { a: "a whole sentence" }],
  ])("%# %s", (declared, line, values) => {
    expect(argumentsGiven(declared, line)).toEqual({ type: "given", values });
  });

  test.each([
    [two, "", "/mcp__p__x needs a: write /mcp__p__x <a> [b]."],
    [three, "1 2", "/mcp__p__x needs c: write /mcp__p__x [a] [b] <c>."],
    [prompt(), "1", "/mcp__p__x takes no arguments."],
  ])("%# %s is wrong", (declared, line, reason) => {
    expect(argumentsGiven(declared, line)).toEqual({ type: "wrong", reason });
    expect(promptUsage(two)).toBe("/mcp__p__x <a> [b]");
  });
});
