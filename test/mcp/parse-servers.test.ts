// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how people write variables
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serverEnvironment } from "../../src/mcp/broker-client.ts";
import { MAX_TOOL_NAME, mcpToolName, serverSlug } from "../../src/mcp/names.ts";
import { expandVariables, joinServers, parseMcpServers } from "../../src/mcp/parse-servers.ts";
import { defaultMcpLimits, limitsFromEnvironment } from "../../src/mcp/server.ts";

const source = { file: "/work/.mcp.json", env: { TOKEN: "t0k", EMPTY: "" } };

describe("A17.5: servers as people write them", () => {
  test("stdio, http and sse, with and without a type", () => {
    const { servers, problems } = parseMcpServers(
      {
        mcpServers: {
          files: { command: "npx", args: ["-y", "server", "."], env: { DEBUG: 1, ON: true } },
          typed: { type: "stdio", command: "x" },
          web: {
            type: "http",
            url: "https://mcp.example/mcp",
            headers: { Authorization: "Bearer ${TOKEN}" },
          },
          inferred: { url: "https://mcp.example/mcp" },
          old: { type: "sse", url: "http://127.0.0.1:1/sse", timeout: 5_000 },
          streamed: { type: "streamable-http", url: "https://mcp.example/", oauth: { clientId: "abc" } },
          off: { command: "x", disabled: true },
          more: { command: "x", autoApprove: ["a"], icon: "y" },
        },
      },
      source,
    );
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      { slug: "files", type: "stdio", args: ["-y", "server", "."], env: { DEBUG: "1", ON: "true" } },
      { slug: "typed", type: "stdio", command: "x", args: [], env: {} },
      { slug: "web", type: "http", headers: { Authorization: "Bearer t0k" } },
      { slug: "inferred", type: "http" },
      { slug: "old", type: "sse", callMs: 5_000 },
      { slug: "streamed", type: "http", oauth: { clientId: "abc" } },
      { slug: "more", type: "stdio" },
    ]);
  });

  test("JSON text, and servers without the object around them", () => {
    expect(parseMcpServers('{"mcpServers":{"a":{"command":"x"}}}', source).servers).toHaveLength(1);
    expect(parseMcpServers({ a: { command: "x" } }, source).servers).toHaveLength(1);
    expect(parseMcpServers({}, source)).toEqual({ servers: [], problems: [] });
  });

  test.each([
    ["{", "is not JSON"],
    ["[]", 'has no object "mcpServers"'],
    ['{"mcpServers":[]}', 'has no object "mcpServers"'],
    ['{"other":{}}', 'has no object "mcpServers"'],
  ])("a file that holds none is named: %s", (text, words) => {
    const { servers, problems } = parseMcpServers(text, source);
    expect(servers).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(`${source.file} ${words}`)]);
  });

  test("a broken entry is named with its file and leaves the others", () => {
    const { servers, problems } = parseMcpServers(
      {
        mcpServers: {
          good: { command: "x" },
          none: {},
          wrongArgs: { command: "x", args: "not a list" },
          wrongType: { type: "carrier-pigeon", command: "x" },
          noCommand: { type: "stdio", url: "https://x" },
          noUrl: { type: "http", command: "x" },
          file: { url: "file:///etc/passwd" },
          unset: { command: "x", env: { KEY: "${NOT_THERE}" } },
          text: "x",
          empty: { command: " " },
        },
      },
      source,
    );
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toHaveLength(9);
    for (const problem of problems)
      expect(problem).toMatch(/^The MCP server "\w+" of \/work\/\.mcp\.json is not started: .+\.$/);
    expect(problems.join("\n")).toContain("the variable NOT_THERE, which its env names, is not set");
    expect(problems.join("\n")).toContain('use "stdio", "http" or "sse"');
  });

  test("of several files the later one's entry counts, and two names for the same rules cannot both", () => {
    const user = parseMcpServers({ mcpServers: { a: { command: "u" }, "my db": { command: "u" } } }, source);
    const project = parseMcpServers(
      { mcpServers: { a: { command: "p" }, my_db: { command: "p" } } },
      { ...source, file: "project.json" },
    );
    const { servers, problems } = joinServers([user, project]);
    expect(servers).toMatchObject([
      { name: "a", command: "p" },
      { name: "my db", command: "u" },
    ]);
    expect(problems).toEqual([expect.stringContaining('"my_db" of project.json is not started')]);
  });
});

describe("${VAR}", () => {
  test.each([
    ["a ${TOKEN} b", "a t0k b"],
    ["${MISSING:-fall back}", "fall back"],
    ["${EMPTY:-d}", "d"],
    ["${EMPTY}", ""],
    ["${TOKEN:-x}", "t0k"],
    ["$TOKEN ${} ${1} ${a b}", "$TOKEN ${} ${1} ${a b}"],
  ])("%s", (text, filled) => {
    expect(expandVariables(text, source.env)).toEqual({ type: "text", text: filled });
  });

  test("what is not set is named, also where an object has it by birth", () => {
    expect(expandVariables("${TOKEN}${NOPE}${LATER}", source.env)).toEqual({
      type: "unset",
      variable: "NOPE",
    });
    expect(expandVariables("${constructor}", source.env)).toEqual({ type: "unset", variable: "constructor" });
  });

  test("what a variable holds is not filled in again", () => {
    expect(expandVariables("${A}", { A: "${B}", B: "x" })).toEqual({ type: "text", text: "${B}" });
  });
});

describe("A17.2: names", () => {
  test("a server's name in rules", () => {
    expect(serverSlug("github")).toBe("github");
    expect(serverSlug("My Server (new)")).toBe("My_Server_new");
    expect(serverSlug("a__b")).toBe("a_b");
    expect(serverSlug("数据")).toMatch(/^server-[0-9a-f]{6}$/);
    expect(serverSlug("数据")).not.toBe(serverSlug("資料"));
  });

  test("every name fits the API, and rules find the server in it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (server, tool) => {
        const slug = serverSlug(server);
        const name = mcpToolName(slug, tool);
        expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(name.length).toBeLessThanOrEqual(MAX_TOOL_NAME);
        expect(/^mcp__((?:(?!__).)+)__/.exec(name)?.[1]).toBe(slug);
      }),
      { seed: 7 },
    );
  });

  test("two tools never share a name", () => {
    const names = ["a.b", "a_b", "a/b", "a".repeat(80), `${"a".repeat(79)}b`].map((tool) =>
      mcpToolName("s", tool),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(mcpToolName("s", "a_b")).toBe("mcp__s__a_b");
  });
});

test("the variables people know set the limits; invalid ones set nothing", () => {
  const env = { MCP_TIMEOUT: "5000", MCP_TOOL_TIMEOUT: "9000000", MAX_MCP_OUTPUT_TOKENS: "100" };
  expect(limitsFromEnvironment(env)).toEqual({
    ...{ startMs: 5_000, callMs: 9_000_000, longestCallMs: 9_000_000, resultChars: 400 },
  });
  const invalid = { MCP_TIMEOUT: "soon", MCP_TOOL_TIMEOUT: "-1", MAX_MCP_OUTPUT_TOKENS: "" };
  expect(limitsFromEnvironment(invalid)).toEqual({});
  expect(defaultMcpLimits.resultChars).toBe(100_000);
});

test("C9, threats: a server sees little of the environment", () => {
  const env = {
    ...{ PATH: "/bin", HOME: "/h", LC_ALL: "C", XDG_CACHE_HOME: "/c", TERM: "dumb" },
    ...{ ANTHROPIC_API_KEY: "k", GITHUB_TOKEN: "t", LD_PRELOAD: "x", NODE_OPTIONS: "-r x", HTTPS_PROXY: "p" },
  };
  expect(Object.keys(serverEnvironment(env)).sort()).toEqual([
    "HOME",
    "LC_ALL",
    "PATH",
    "TERM",
    "XDG_CACHE_HOME",
  ]);
});
