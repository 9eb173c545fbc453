import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keyFromHelper, type RunCommand } from "../../src/cli/api-key-helper.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import { main } from "../../src/cli/main.ts";
import { sessionOptions } from "../../src/cli/session-flags.ts";
import { sessionSettings } from "../../src/cli/session-settings.ts";
import { setUpSession } from "../../src/cli/session-setup.ts";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { fleetKeyFile } from "../../src/journal/paths.ts";
import type { RunResult } from "../../src/mailbox/runs.ts";
import { type Files, type Folders, foldersWith, put } from "../settings/folders.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

function ioFor({ homedir, root, managed }: Folders, env: Record<string, string> = {}): FakeIO {
  return Object.assign(new FakeIO({ homedir, cwd: root, env, stdin: "" }), { managedSettings: managed });
}

async function run(files: Files, argv: readonly string[], env: Record<string, string> = {}) {
  const folders = foldersWith(files);
  const io = ioFor(folders, env);
  const runtime = new FakeRuntime();
  const code = await main(["-p", "x", ...argv], io, runtime);
  return { folders, code, err: io.err.text, options: runtime.sessions[0]?.options };
}

const project = {
  permissions: {
    allow: ["Bash(ls)"],
    deny: ["Bash(dd:*)"],
    defaultMode: "acceptEdits",
    additionalDirectories: ["."],
  },
  env: { CI: "1" },
  hooks: { Stop: [{ hooks: [] }] },
};

test("settings that are read again are the same while nothing has changed, with the key of a fleet", async () => {
  const folders = foldersWith({ user: { troupe: { runners: { key: "~/key" } } } });
  const home = join(folders.homedir, ".troupe");
  const own = join(folders.homedir, "key");
  for (const file of [fleetKeyFile(home), own]) await createFleetKey(file);
  const { read, reader } = await sessionSettings(ioFor(folders), { cwd: folders.root, home, trusts: false });
  expect(read.settings.sandbox.denyRead).toEqual([fleetKeyFile(home), own]);
  expect(read.settings.runners.key).toBe(own);
  expect(await reader.read()).toEqual(read);
});

test("CLAUDE_CONFIG_DIR takes the place of ~/.claude: its rules, agents, skills, memory and servers count, and those there do not", async () => {
  const folders = foldersWith({ user: { permissions: { deny: ["Bash(cp:*)"] } } });
  const { homedir, root, managed } = folders;
  const dir = join(homedir, "of work");
  put(join(dir, "settings.json"), { permissions: { deny: ["Bash(dd:*)"] } });
  put(join(dir, ".claude.json"), { mcpServers: { notes: { command: "notes" } } });
  put(join(dir, "agents/mason.md"), "---\nname: mason\ndescription: Builds walls.\n---\nBuild.");
  put(join(homedir, ".claude/agents/thief.md"), "---\nname: thief\ndescription: Steals.\n---\nSteal.");
  const io = () => ioFor({ ...folders, root }, { CLAUDE_CONFIG_DIR: "~/of work" });
  const runtime = new FakeRuntime();
  await main(["-p", "x"], Object.assign(io(), { managedSettings: managed }), runtime);
  const options = runtime.sessions[0]?.options;
  expect(options?.rules?.map(({ text }) => text)).toEqual(["Bash(dd:*)"]);
  const ownAgents = options?.agents?.filter(({ source }) => source?.scope === "user");
  expect(ownAgents?.map(({ name }) => name)).toEqual(["mason"]);
  expect(options?.context?.memory).toMatchObject({ homedir, claudeDir: dir });
  expect(options?.skills?.search).toMatchObject({ claudeDir: dir });
  const shown = async (...argv: string[]) => {
    const own = io();
    await main(argv, own, new FakeRuntime());
    return own.out.text;
  };
  expect(await shown("mcp", "list")).toContain("notes");
  const write = ["permissions", "explain", `Write(${join(dir, "settings.json")})`, "--mode", "acceptEdits"];
  expect(await shown(...write, "--add-dir", homedir)).toContain("is protected");
  await shown("config", "set", "model", "offline", "--scope", "user");
  expect(readFileSync(join(dir, "settings.json"), "utf8")).toContain('"model": "offline"');
});

describe("a session", () => {
  test("starts from every scope's settings (A6.6, A6.8, A18.3)", async () => {
    const { folders, err, options } = await run(
      {
        enterprise: { permissions: { deny: ["WebFetch"] } },
        user: {
          model: "offline",
          permissions: { defaultMode: "plan", additionalDirectories: ["~/", "missing"] },
          env: { TROUPE_MAX_AGENTS: "3", ANTHROPIC_DEFAULT_OPUS_MODEL: "big" },
          troupe: { maxTurns: 7, aliases: { haiku: "small" }, commandEnv: ["TOKEN"] },
          hooks: { Stop: [{ hooks: [] }] },
          worktree: { baseRef: "head", dependencies: { node_modules: "link" }, setup: "make" },
        },
      },
      [],
    );
    expect(options).toMatchObject({
      source: { provider: "offline" },
      permissionMode: "plan",
      additionalDirs: [folders.homedir],
      limits: { maxTurns: 7, maxAgents: 3 },
      aliases: { haiku: "small", opus: "big" },
      env: { TROUPE_MAX_AGENTS: "3" },
      commandEnv: ["TOKEN"],
      rules: [{ text: "WebFetch", behaviour: "deny", scope: "enterprise", file: folders.managed }],
      hooks: [{ scope: "user" }],
      worktree: {
        baseRef: "head",
        dependencies: { node_modules: "link" },
        setup: { command: "make", timeoutMs: 300_000 },
      },
    });
    expect(err).toContain(`${folders.fileOf("user")}: there is no directory missing; it is left out.`);
  });

  test.each([
    ["-p", "x"],
    ["fanout", "x"],
    ["start", "x"],
  ])("in an untrusted folder leaves out what it grants and says so in one line: %s", async (...argv) => {
    const folders = foldersWith({ project });
    const io = ioFor(folders);
    const runtime = new FakeRuntime();
    await main([...argv, "--offline"], io, runtime);
    const options = runtime.sessions[0]?.options;
    expect(options?.rules?.map(({ text }) => text)).toEqual(["Bash(dd:*)"]);
    expect(options).toMatchObject({ additionalDirs: [], env: {}, hooks: [] });
    expect(options).not.toHaveProperty("permissionMode");
    expect(io.err.text.match(/not trusted/g)).toHaveLength(1);

    const trusting = new FakeRuntime();
    const quiet = ioFor(folders);
    await main([...argv, "--offline", "--trust"], quiet, trusting);
    expect(trusting.sessions[0]?.options).toMatchObject({ permissionMode: "acceptEdits", env: { CI: "1" } });
    expect(quiet.err.text).not.toContain("trust");
  });

  test("says nothing of trust where a directory only restricts", async () => {
    const { err } = await run({ project: { permissions: { deny: ["Bash"] } } }, ["--offline"]);
    expect(err).not.toContain("trust");
  });

  test("asks who can be asked, once; yes is remembered, no is not", async () => {
    const folders = foldersWith({ project });
    const questions: string[] = [];
    const set = (answer: boolean) =>
      setUpSession(
        parseArguments(["--offline"], sessionOptions),
        { io: ioFor(folders), runtime: new FakeRuntime(), startedAt: 0 },
        {
          title: "x",
          askTrust: async (question) => {
            questions.push(question.text);
            return answer;
          },
        },
      );
    const refused = await set(false);
    expect(refused.settings.read.trust.type).toBe("untrusted");
    // They have just read the list.
    expect(refused.notes.join()).not.toContain("not trusted");
    const trusted = await set(true);
    expect(trusted.options.permissionMode).toBe("acceptEdits");
    expect(trusted.notes.join()).not.toContain("trust");
    expect((await set(false)).settings.read.trust.type).toBe("trusted");
    expect(questions).toHaveLength(2);
    expect(questions[0]).toContain("use Bash(ls) without a question");
  });

  test.each([
    [{ permissions: { defaultMode: "default" } }, "acceptEdits", /no wider mode than default/],
    [{ permissions: { disableBypassPermissionsMode: "disable" } }, "bypassPermissions", /switched off/],
    ["{", "acceptEdits", /no wider mode than default/],
  ])(
    "is in no mode that the organisation forbids (A6.4, A22.1): %j %s",
    async (enterprise, mode, sentence) => {
      const { code, err, options } = await run({ enterprise }, ["--offline", "--permission-mode", mode]);
      expect({ code, options }).toEqual({ code: 2, options: undefined });
      expect(err).toMatch(sentence);
    },
  );
});

describe("an apiKeyHelper (A18.3)", () => {
  const key = { user: { apiKeyHelper: "pwd >&2; pwd > ran; echo ' sk-helper '" } };

  test("prints the key, in the user's home and not in the directory", async () => {
    const { folders, options } = await run(key, []);
    expect(options?.source).toEqual({ provider: "anthropic", apiKey: "sk-helper" });
    expect(readFileSync(join(folders.homedir, "ran"), "utf8").trim()).toBe(folders.homedir);
  });

  test("prints what a gateway may look for in either header", async () => {
    const { options } = await run(key, [], { ANTHROPIC_BASE_URL: "http://gateway.test" });
    expect(options?.source).toMatchObject({ apiKey: "sk-helper", authToken: "sk-helper" });
  });

  test.each([
    [["--offline"], {}],
    [[], { ANTHROPIC_API_KEY: "sk-1" }],
    [[], { ANTHROPIC_AUTH_TOKEN: "t" }],
    [["--model", "offline"], {}],
  ])("does not run where no key is wanted: %j %j", async (argv, env) => {
    const { folders } = await run(key, argv, env);
    expect(() => readFileSync(join(folders.homedir, "ran"))).toThrow("ENOENT");
  });

  const ended = (change: Partial<RunResult>): RunResult => ({
    id: "x",
    outcome: "exited",
    exitCode: 0,
    signal: null,
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: 1,
    ...change,
  });
  const keyOf = (change: Partial<RunResult>, scope: "user" | "project" = "user", seen: string[] = []) => {
    const runner: RunCommand = async (_, cwd) => {
      seen.push(cwd);
      return ended(change);
    };
    return keyFromHelper({ text: "k", scope, file: "/f" }, { homedir: "/home", root: "/root" }, runner);
  };

  test.each([
    [{ outcome: "timed-out" }, "did not end within 30 s"],
    [{ exitCode: 3, stderr: "no vault\nmore" }, "ended with exit code 3 (no vault)"],
    [{ outcome: "not-started", reason: "why" }, "did not run to its end (why)"],
    [{ outcome: "signalled", signal: "SIGKILL" }, "did not run to its end (SIGKILL)"],
    [{ stdout: "\n" }, "printed no key"],
    [{ stdout: "a b" }, "printed something that is not a key"],
  ] as const)("that fails is a sentence: %j", async (change, sentence) => {
    await expect(keyOf(change)).rejects.toThrow(sentence);
    await expect(keyOf(change)).rejects.toThrow("correct it, or set ANTHROPIC_API_KEY.");
  });

  test("of a trusted folder runs in it", async () => {
    const seen: string[] = [];
    expect(await keyOf({ stdout: "k" }, "project", seen)).toBe("k");
    expect(seen).toEqual(["/root"]);
  });
});
