import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { lazyRuntime } from "../../src/cli/runtime.ts";
import { diskFiles } from "../../src/context/files.ts";
import { readPlugin } from "../../src/context/plugins/read-plugin.ts";
import { skillLibrary } from "../../src/context/skills/library.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { RunRequest } from "../../src/mailbox/runs.ts";
import { runHook } from "../../src/policy/hooks/hook-process.ts";
import { parseHooks } from "../../src/policy/hooks/parse-hooks.ts";
import { userPlaces } from "../../src/settings/paths.ts";
import { places } from "../context/agents/agent-files.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const agent = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: It is ${name}.\n${more}---\nYou are ${name}.\n`;
const skill = "---\nname: look\ndescription: Looks.\n---\nLook.\n";
const hook = (command: string) => ({ hooks: [{ type: "command", command }] });

const NAMED = "$" + "{user_config.…}";
const ROOT = "$" + "{CLAUDE_PLUGIN_ROOT}";

/** A plug-in with something of every kind, and parts that cannot be used. */
function plugin(): string {
  const dir = join(temporaryFolder(), "tools-dir");
  const files: Readonly<Record<string, unknown>> = {
    ".claude-plugin/plugin.json": {
      name: "tools",
      commands: ["./more/ship.md", "../outside.md"],
      agents: "./more/agents/",
      skills: ["./more/look", "./missing"],
      hooks: "./more/hooks.json",
      mcpServers: { inline: { command: "node", args: [`${ROOT}/inline.js`] } },
      outputStyles: "./styles",
    },
    "agents/reader.md": agent("reader", "permissionMode: bypassPermissions\n"),
    "commands/go.md": "Go.",
    "more/ship.md": "Ship.",
    "more/agents/writer.md": agent("writer"),
    "more/look/SKILL.md": skill,
    "skills/see/SKILL.md": skill,
    "hooks/hooks.json": { description: "checks", hooks: { Stop: [hook("true")] } },
    "more/hooks.json": { hooks: { PreToolUse: [hook(`"${ROOT}/check.sh"`)], NoSuchEvent: [] } },
    ".mcp.json": { mcpServers: { db: { command: "db" } } },
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return dir;
}

async function run(...argv: string[]) {
  const homedir = temporaryFolder();
  const env = { TROUPE_HOME: join(homedir, ".troupe") };
  const io = new FakeIO({ cwd: temporaryFolder(), homedir, env });
  const runtime = new FakeRuntime();
  const code = await main(argv, io, runtime);
  return { code, out: io.out.text, err: io.err.text, runtime };
}

test("a plug-in is read from its usual places and from the paths of its manifest; what is left out has a line", () => {
  const dir = plugin();
  const { name, notes, hooks, servers } = readPlugin({ dir }, diskFiles);
  expect(name).toBe("tools");
  expect(hooks.map(({ file }) => file)).toEqual([`${dir}/hooks/hooks.json`, `${dir}/more/hooks.json`]);
  expect(servers.map(({ value }) => Object.keys(Object(value)))).toEqual([["db"], ["inline"]]);
  const manifest = `${dir}/.claude-plugin/plugin.json`;
  expect(notes).toEqual([
    `${manifest}: skills names ./missing, which does not exist; it is left out.`,
    `${manifest}: commands names ../outside.md, which is outside the plug-in; it is left out.`,
    `${manifest}: outputStyles of the plug-in tools is not used here.`,
  ]);
  writeFileSync(manifest, "{");
  expect(readPlugin({ dir }, diskFiles)).toMatchObject({
    name: "tools-dir",
    notes: [`${manifest} is not a valid JSON object; correct it, until then what it says is left out.`],
  });
});

test("its skills and commands are called with the name of the plug-in before theirs", async () => {
  const nowhere = temporaryFolder();
  const where = { cwd: nowhere, ...userPlaces({}, nowhere), home: nowhere, managed: nowhere, shipped: false };
  const may = { trusted: () => false, agreed: () => false, denied: () => false };
  const { all } = await skillLibrary({ ...where, ...may, plugins: [{ dir: plugin() }] }, diskFiles).look();
  expect(all.map(({ name }) => name)).toEqual(["tools:go", "tools:look", "tools:see", "tools:ship"]);
});

test("--plugin-dir gives a session its agents, hooks and servers, and says first what it runs", async () => {
  const dir = plugin();
  const { code, err, runtime } = await run("-p", "hello", "--offline", "--plugin-dir", dir);
  expect(code).toBe(0);
  expect(err).toContain(
    `The plug-in tools (${dir}) runs hooks at Stop, hooks at PreToolUse, the MCP server plugin:tools:db, the MCP server plugin:tools:inline.`,
  );
  expect(err).toContain("NoSuchEvent");
  expect(err).toContain(`${dir}/agents/reader.md:1 permissionMode of a plug-in's agent does not count`);
  const options = runtime.sessions[0]?.options;
  expect(options?.agents?.map(({ name, aliases }) => [name, aliases])).toEqual([
    ["tools:reader", ["reader"]],
    ["tools:writer", ["writer"]],
  ]);
  expect(options?.hooks?.map(({ plugin, scope }) => [plugin?.["CLAUDE_PLUGIN_ROOT"], scope])).toEqual([
    [dir, "user"],
    [dir, "user"],
  ]);
  expect(options?.mcpServers).toMatchObject([
    { name: "plugin:tools:db", command: "db", env: { CLAUDE_PLUGIN_ROOT: dir } },
    { name: "plugin:tools:inline", args: [`${dir}/inline.js`] },
  ]);
});

test("a hook of a plug-in gets the plug-in's directory in its environment", async () => {
  const { hooks } = parseHooks([
    {
      scope: "user",
      file: "/p/hooks.json",
      plugin: { CLAUDE_PLUGIN_ROOT: "/p" },
      value: { Stop: [hook("true")] },
    },
  ]);
  const [one] = hooks.get("Stop") ?? [];
  const requests: RunRequest[] = [];
  if (one === undefined) throw new Error("no hook");
  const how = { id: "h", owner: MAIN, cwd: "/", env: { A: "1" }, event: "/dev/null" };
  const run = async (request: RunRequest) => {
    requests.push(request);
    return {
      outcome: "exited" as const,
      exitCode: 0,
      signal: null,
      stdout: "",
      stderr: "",
      truncated: false,
      id: "h",
      durationMs: 1,
    };
  };
  await runHook(one, run, how, systemClock, new AbortController().signal);
  expect(requests[0]?.env).toEqual({ A: "1", CLAUDE_PLUGIN_ROOT: "/p" });
  const program = { ...one, command: `${ROOT}/notify`, args: [`${ROOT}/a b`, "$(id)"] };
  await runHook(program, run, how, systemClock, new AbortController().signal);
  expect(requests[1]?.args.slice(-3)).toEqual(["/p/notify", "/p/a b", "$(id)"]);
});

/** A plug-in that uses its options and its directory for data, with values of the user. */
async function withOptions(options: object, env: Readonly<Record<string, string>> = {}) {
  const [dir, homedir] = [join(temporaryFolder(), "opts"), temporaryFolder()];
  const option = (name: string) => `$\{user_config.${name}}`;
  const data = "$" + "{CLAUDE_PLUGIN_DATA}";
  const group = (one: object) => [{ hooks: [{ type: "command", ...one }] }];
  const files: Readonly<Record<string, unknown>> = {
    [`${homedir}/.claude/settings.json`]: { pluginConfigs: { opts: { options } } },
    [`${dir}/.claude-plugin/plugin.json`]: {
      name: "opts",
      userConfig: { url: { default: "http://d" }, token: { sensitive: true, required: true }, blank: {} },
      mcpServers: {
        api: { command: "api", args: [option("url"), `x${option("blank")}`, `${data}/lib`] },
        secret: { type: "http", url: "https://e.example", headers: { Authorization: option("token") } },
        helped: { type: "http", url: "https://e.example", headersHelper: `echo ${option("url")}` },
        typo: { command: "x", args: [option("urll")] },
      },
      hooks: {
        Stop: group({ command: "notify", args: [option("url"), "a b"] }),
        SessionEnd: group({ command: `notify ${option("url")}` }),
      },
    },
    [`${dir}/agents/a.md`]: `---\nname: a\ndescription: A.\n---\n${ROOT} ${data} ${option("url")} ${option("token")}\n`,
    [`${dir}/skills/s/SKILL.md`]: `---\ndescription: S.\n---\n${ROOT} ${data} ${option("url")} ${option("token")}\n`,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  const io = new FakeIO({
    ...{ cwd: temporaryFolder(), homedir, env: { TROUPE_HOME: join(homedir, ".troupe"), ...env } },
  });
  const runtime = new FakeRuntime();
  const code = await main(["-p", "hello", "--offline", "--plugin-dir", dir], io, runtime);
  const given = runtime.sessions[0]?.options;
  const servers = [given?.mcpServers ?? []].flat();
  return { code, dir, servers, data: join(homedir, ".claude/plugins/data/opts"), err: io.err.text, given };
}

test("a plug-in's options and its directory for data reach its servers, hooks, agents and skills", async () => {
  const { dir, data, given, servers } = await withOptions({ url: "http://mine", token: "t-1" });
  expect(servers).toMatchObject([
    { name: "plugin:opts:api", args: ["http://mine", "x", `${data}/lib`] },
    { name: "plugin:opts:secret", headers: { Authorization: "t-1" } },
  ]);
  expect(servers[0]).toMatchObject({
    env: { CLAUDE_PLUGIN_ROOT: dir, CLAUDE_PLUGIN_DATA: data, CLAUDE_PLUGIN_OPTION_URL: "http://mine" },
  });
  expect(existsSync(data)).toBe(true);
  const { hooks } = parseHooks(given?.hooks ?? []);
  expect(hooks.get("Stop")?.[0]).toMatchObject({
    ...{ command: "notify", args: ["http://mine", "a b"] },
    plugin: { CLAUDE_PLUGIN_DATA: data, CLAUDE_PLUGIN_OPTION_TOKEN: "t-1" },
  });
  const token = "$" + "{user_config.token}";
  const text = `${dir} ${data} http://mine ${token}`;
  expect(given?.agents?.map(({ prompt }) => prompt.trim())).toEqual([text]);
});

test("what a plug-in's options cannot be put into is left out with a line", async () => {
  const { dir, err, servers } = await withOptions({});
  const file = `${dir}/.claude-plugin/plugin.json`;
  const then = 'it is left out. Set pluginConfigs["opts"].options in your own settings.';
  expect(servers.map(({ name }) => name)).toEqual(["plugin:opts:api"]);
  for (const line of [
    `${file}: the MCP server plugin:opts:secret needs its option token, which has no value; ${then}`,
    `${file}: the MCP server plugin:opts:helped has ${NAMED} in headersHelper, a shell's line; ${then}`,
    `${file}: the MCP server plugin:opts:typo needs its option urll, which has no value; ${then}`,
    `${file}: a hook has ${NAMED} in a shell's line (its script finds the value in CLAUDE_PLUGIN_OPTION_… of its environment); ${then}`,
  ])
    expect(err).toContain(line);
  const fromEnv = await withOptions({}, { CLAUDE_PLUGIN_OPTION_TOKEN: "t-2" });
  expect(fromEnv.servers[1]).toMatchObject({ headers: { Authorization: "t-2" } });
});

test("troupe mcp list shows the servers of a plug-in", async () => {
  const { out } = await run("mcp", "list", "--plugin-dir", plugin());
  expect(out).toContain("plugin:tools:db");
});

test("troupe agents lists those of a plug-in with their file", async () => {
  const { project, homedir } = places();
  const io = new FakeIO({ cwd: project, homedir, env: { TROUPE_HOME: join(homedir, ".troupe") } });
  const listing = Object.assign(new FakeRuntime(), { listAgents: lazyRuntime.listAgents });
  const dir = plugin();
  expect(await main(["agents", "--plugin-dir", dir], io, listing)).toBe(0);
  expect(io.out.text).toMatch(/^tools:writer \(also writer\)$/m);
  expect(io.out.text).toContain(`  from ${dir}/more/agents/writer.md\n`);
});
