// @module-tag long
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { parseHooks } from "../../src/policy/hooks/parse-hooks.ts";
import { FakeIO } from "../cli/fake-io.ts";
import { FakeRuntime } from "../cli/fake-session.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SETTINGS = ".claude/settings.json";
const SERVERS = ".mcp.json";
const MANIFEST = "plug/.claude-plugin/plugin.json";
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const hooks = (value: unknown) => JSON.stringify({ hooks: value });
const before = (entry: unknown) => hooks({ PreToolUse: [entry] });
const command = (more: object) => ({ hooks: [{ type: "command", command: "true", ...more }] });
const server = (value: unknown) => JSON.stringify({ mcpServers: value });
const manifest = (value: object) => JSON.stringify({ name: "x", ...value });

/** What no one should write, by file and content (null: the file is a directory), and what the line about it says. */
const ABSURD: readonly (readonly [file: string, content: string | Uint8Array | null, says: RegExp])[] = [
  [SETTINGS, "", /line 1, column 1 is not valid JSON; correct it/],
  [SETTINGS, "[]", /line 1, column 1 must be an object; correct it/],
  [SETTINGS, '"text"', /must be an object; correct it/],
  [SETTINGS, "null", /must be an object; correct it/],
  [SETTINGS, Uint8Array.from({ length: 256 }, (_, at) => at), /is not valid JSON; correct it/],
  [SETTINGS, Buffer.from("\uFEFF{}", "utf16le"), /is not valid JSON; correct it/],
  [SETTINGS, `{"x":"${"a".repeat(2_000_000)}"}`, /is larger than 1 MB; correct that/],
  [SETTINGS, null, /is not a regular file; correct that/],
  [SETTINGS, deep(1_000), /there is no setting a; correct or remove it/],
  [SETTINGS, `{"permissions": ${deep(1_000)}}`, /there is no setting permissions\.a/],
  [
    SETTINGS,
    '{"permissions": {"deny": []}, "permissions": {}}',
    /says "permissions" a second time; correct it/,
  ],
  [SETTINGS, '{"permissions": "all"}', /permissions must be an object/],
  [SETTINGS, '{"permissions": {"defaultMode": "yolo"}}', /defaultMode must be one of/],
  [SETTINGS, '{"__proto__": {"model": "haiku"}}', /there is no setting __proto__; correct or remove it/],
  [
    SETTINGS,
    '// x\n{"__proto__": {"model": "haiku"}}',
    /there is no setting __proto__; correct or remove it/,
  ],
  [SETTINGS, '{"env": {"__proto__": "x"}}', /env\.__proto__ must be a variable's name/],
  [SETTINGS, hooks(JSON.parse('{"__proto__": []}')), /__proto__ is no event/],
  [".claude", "text", /is a file, not a directory, so nothing is read from it/],
  [SETTINGS, '{"model": 7}', /model must be the name of a model/],
  [SETTINGS, '{"env": ["A=1"]}', /env must be a variable's name/],
  [SETTINGS, hooks("echo"), /hooks must be an object/],
  [SETTINGS, hooks({ PreToolUse: "echo" }), /hooks\.PreToolUse must be a list/],
  [SETTINGS, hooks({ PreToolUsed: [] }), /PreToolUsed is no event; the nearest is PreToolUse/],
  [SETTINGS, before(7), /PreToolUse\[0\] must be an object/],
  [SETTINGS, before({ type: "command", command: "true" }), /PreToolUse\[0\]\.hooks must be a list/],
  [SETTINGS, before({ hooks: [{ type: "command" }] }), /command must be a command line/],
  [SETTINGS, before(command({ type: "magic" })), /type must be "command", "prompt" or "agent"/],
  [SETTINGS, before({ matcher: "(", ...command({}) }), /matcher is neither a name nor a regular expression/],
  [SETTINGS, before({ matcher: { tools: ["Bash"] }, ...command({}) }), /matcher must be a text/],
  [SETTINGS, before(command({ timeout: "soon" })), /timeout must be a positive number of seconds/],
  [SERVERS, "[]", /line 1, column 1 must be an object; correct it/],
  [SERVERS, server([{ command: "x" }]), /has no object "mcpServers"; correct it/],
  [SERVERS, server({ x: {} }), /"x" of .* it has neither a command nor a url/],
  [SERVERS, server({ x: { command: "true", args: "-v" } }), /"x" of .* args is invalid \(expected array\)/],
  [SERVERS, server({ x: { type: "http", url: "nowhere" } }), /its url does not begin with http/],
  [SERVERS, `{"mcpServers": ${deep(1_000)}}`, /"a" of .* it has neither a command nor a url/],
  [SERVERS, null, /is not a regular file; correct it/],
  [MANIFEST, "[]", /is not a valid JSON object; correct it/],
  [MANIFEST, Uint8Array.of(0, 1, 2), /is not UTF-8 text; correct it/],
  [MANIFEST, null, /is a directory, not a file; correct it/],
  [MANIFEST, manifest({ description: "a".repeat(1_100_000) }), /is larger than 1 MB; correct it/],
  [MANIFEST, manifest({ agents: "/etc/passwd" }), /agents names \/etc\/passwd, which is outside the plug-in/],
  [
    MANIFEST,
    manifest({ commands: "../../.." }),
    /commands names \.\.\/\.\.\/\.\., which is outside the plug-in/,
  ],
  [MANIFEST, manifest({ hooks: "./none.json" }), /hooks names \.\/none\.json, which does not exist/],
  [MANIFEST, manifest({ skills: 7 }), /skills must be paths of files or directories/],
  [MANIFEST, manifest({ wings: 2 }), /wings of the plug-in x is not used here/],
  ["plug/hooks/hooks.json", '"echo"', /is not a valid JSON object; correct it/],
  ["plug/.mcp.json", "[1]", /is not a valid JSON object; correct it/],
];

/** Runs the program in a directory, and returns what it says. */
async function saidIn(
  create: (write: (file: string, content: string | Uint8Array | null) => void, dir: string) => void,
) {
  const cwd = temporaryFolder();
  create((file, content) => {
    const path = join(cwd, file);
    mkdirSync(content === null ? path : dirname(path), { recursive: true });
    if (content !== null) writeFileSync(path, content);
  }, cwd);
  const homedir = temporaryFolder();
  const io = new FakeIO({ cwd, homedir, env: { TROUPE_HOME: join(homedir, ".troupe") } });
  mkdirSync(join(cwd, "plug"), { recursive: true });
  const argv = ["-p", "hello", "--offline", "--trust", "--plugin-dir", "plug"];
  const runtime = new FakeRuntime();
  const code = await main(argv, io, runtime);
  // What a session says of its hooks when it starts.
  const { problems } = parseHooks(runtime.only.options.hooks ?? []);
  return { code, lines: [...io.err.text.split("\n"), ...problems], cwd };
}

test.each(ABSURD)(
  "an absurd %s has one line with the file, what is wrong and what to do: %#",
  async (file, content, says) => {
    const said = await saidIn((write) => write(file, content));
    expect(said.code).toBe(0);
    const about = said.lines.filter((line) => line.includes(join(said.cwd, file)));
    expect(about, said.lines.join("\n")).toEqual([expect.stringMatching(says)]);
  },
);

test("a directory of settings that is a link to itself ends nothing", async () => {
  const said = await saidIn((_, dir) => symlinkSync(".claude", join(dir, ".claude")));
  expect(said.code).toBe(0);
  expect(said.lines.join("\n")).toContain(`${join(said.cwd, SETTINGS)} cannot be read (ELOOP); correct that`);
});
