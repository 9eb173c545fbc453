// @module-tag long
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { type Handler, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";

function folders() {
  const homedir = temporaryFolder();
  const cwd = join(homedir, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  mkdirSync(join(homedir, ".claude"));
  writeFileSync(join(homedir, ".claude", "CLAUDE.md"), "Be brief.");
  writeFileSync(join(cwd, "CLAUDE.md"), "Use tabs. @~/.secret @docs.md");
  writeFileSync(join(cwd, "docs.md"), "Of the docs.");
  writeFileSync(join(homedir, ".secret"), "SECRET");
  return { homedir, cwd };
}

function context(place: ReturnType<typeof folders>, ...words: string[]) {
  return contextWithoutKey(place, "--offline", ...words);
}

async function contextWithoutKey({ homedir, cwd }: ReturnType<typeof folders>, ...words: string[]) {
  const managed = join(homedir, "managed", "managed-settings.json");
  const io = Object.assign(new FakeIO({ homedir, cwd }), { managedSettings: managed });
  const code = await main(["context", ...words], io);
  return { code, out: io.out.text, err: io.err.text };
}

test("troupe context shows the eight parts in full, with their sizes said to be estimates, and keeps no session", async () => {
  const place = folders();
  const { code, out, err } = await context(place, "--prompt", "look at @docs.md");
  expect(code).toBe(0);
  expect([...out.matchAll(/^== (.+)$/gm)].map(([, name]) => name)).toEqual([
    ...["system prompt", "environment", "memory", "tool schemas", "deferred tools (none)"],
    ...["skills", "history (none)", "user turn"],
  ]);
  expect(out).toMatch(
    /^Main conversation · offline · about [\d.]+k tokens \([\d.]+ % of 1\.0M\), estimated\n/,
  );
  expect(out.indexOf("Be brief.")).toBeLessThan(out.indexOf("Use tabs."));
  expect(out).toContain("Of the docs.");
  expect(out).toMatch(/<file path="[^"]*docs\.md">\n1\tOf the docs\.\n<\/file>\n\nlook at @docs\.md/);
  expect(out).not.toContain("SECRET");
  expect(err).toMatch(/\.secret was left out: it leads out of the project/);
  const kept = join(place.homedir, ".troupe", "projects");
  expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([]);
});

test("an unknown agent type is an error; for a known one the notes come too", async () => {
  const place = folders();
  writeFileSync(join(place.cwd, ".mcp.json"), "{");
  const { code, out, err } = await contextWithoutKey(place, "Nonesuch");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^troupe: There is no agent "Nonesuch"; there are .*\n/);
  expect(err).not.toMatch(/offline|mcp\.json/);
  const known = await contextWithoutKey(place, "Explore", "--sizes");
  expect(known.code).toBe(0);
  expect(known.err).toMatch(/offline/);
  expect(known.err).toMatch(/mcp\.json/);
});

test("--trust agrees to imports from elsewhere", async () => {
  expect((await context(folders(), "--trust")).out).toContain("SECRET");
});

test("as JSON each part is as it is sent, for an agent type whatever its spelling", async () => {
  const { out } = await context(folders(), "general_purpose", "--json");
  const { agent, tokens, parts } = JSON.parse(out);
  expect(agent).toBe("general-purpose");
  expect(tokens).toEqual({ count: expect.any(Number), estimated: true });
  expect(parts).toHaveLength(8);
  expect(parts[2]).toMatchObject({
    name: "memory",
    place: "system",
    text: expect.stringContaining("Use tabs."),
  });
  const names = parts[3].tools.map(({ name }: { name: string }) => name);
  expect(names).toContain("Read");
  const explore = JSON.parse((await context(folders(), "explore", "--json")).out);
  expect(explore.parts[2].text).toBe("");
});

test("--sizes leaves the parts out; an unknown agent and a second argument are wrong usage", async () => {
  const { out } = await context(folders(), "--sizes");
  expect(out).not.toContain("Use tabs.");
  expect(out).toMatch(/memory +about \d+/);
  expect(await context(folders(), "explorer")).toMatchObject({
    ...{ code: 2, out: "" },
    err: expect.stringMatching(
      /^troupe: There is no agent "explorer" \(did you mean Explore\?\); there are Explore, Plan/,
    ),
  });
  expect((await context(folders(), "Explore", "Plan")).code).toBe(2);
});

test("escape sequences in a memory file do not reach the terminal", async () => {
  const place = folders();
  writeFileSync(join(place.cwd, "AGENTS.md"), "a\u001b]0;owned\u0007b\u001b[31m");
  const { out } = await context(place);
  expect(out).toContain("ab");
  for (const character of ["\u001b", "\u0007"]) expect(out).not.toContain(character);
});

describe("sizes by the model's server", () => {
  async function counted(handler: Handler, ...words: string[]) {
    const { homedir, cwd } = folders();
    const server = await startMessagesServer(handler);
    onTestFinished(() => server.close());
    const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.url };
    const managedSettings = join(homedir, "managed", "managed-settings.json");
    const io = Object.assign(new FakeIO({ homedir, cwd, env }), { managedSettings });
    const code = await main(["context", ...words], io);
    return { code, out: io.out.text, err: io.err.text, requests: server.requests };
  }
  /** One for each character, so that sums can be told. */
  const countsAll: Handler = ({ body }) => ({
    body: JSON.stringify({ input_tokens: JSON.stringify(body).length }),
  });

  test("each part is counted, and the whole; nothing but counts is asked for", {
    tags: ["long"],
  }, async () => {
    const { out, err, requests } = await counted(countsAll, "--json");
    const { tokens, parts } = JSON.parse(out);
    expect(tokens.estimated).toBe(false);
    for (const part of parts) expect(part.tokens.estimated).toBe(false);
    expect(parts[2].tokens.count).toBeGreaterThan("Be brief. Use tabs.".length);
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(["/v1/messages/count_tokens"]));
    expect(err).not.toMatch(/estimates/);
    const { out: text } = await counted(countsAll, "--sizes");
    expect(text).toMatch(/ % of [\d.]+[kM]\), counted by the model's server\n/);
    expect(text).not.toContain("about");
  });

  test("where it does not count, sizes are estimates, and that is said", async () => {
    const { code, out, err } = await counted(() => ({ status: 404, body: "{}" }), "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).tokens).toEqual({ count: expect.any(Number), estimated: true });
    expect(err).toMatch(/did not count the tokens, so sizes are estimates; --estimate does not ask it\./);
  });

  test("--estimate asks no server", async () => {
    const { out, requests } = await counted(countsAll, "--estimate", "--sizes");
    expect(out).toMatch(/ about .*, estimated\n/);
    expect(requests).toEqual([]);
  });
});
