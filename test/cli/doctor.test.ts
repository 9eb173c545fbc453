// @module-tag long
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DoctorCheck } from "../../src/cli/doctor/check.ts";
import { tryCheck } from "../../src/cli/doctor/check.ts";
import { checkNode, checkTerminal } from "../../src/cli/doctor/machine.ts";
import { main } from "../../src/cli/main.ts";
import { whyNoBubblewrap } from "../policy/sandbox/opened.ts";
import { type Files, foldersWith, put } from "../settings/folders.ts";
import { apiError, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const KEY = "sk-ant-api03-not-a-real-key-0123456789";

interface Given {
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  /** Further files, by their path below the base of home and project. */
  readonly more?: (where: { readonly root: string; readonly homedir: string }) => void;
}

async function doctor({ files = {}, env = {}, more }: Given, ...words: string[]) {
  const { homedir, root, managed } = foldersWith(files);
  more?.({ root, homedir });
  const io = Object.assign(new FakeIO({ homedir, cwd: root, env }), { managedSettings: managed });
  const code = await main(["doctor", "--json", ...words], io, new FakeRuntime());
  const { checks }: { checks: readonly DoctorCheck[] } = JSON.parse(io.out.text);
  const about = (name: string) => checks.filter((check) => check.name === name);
  return { code, checks, about, root, printed: io.out.text + io.err.text };
}

async function asking(reply: ServedReply, env: (url: string) => Readonly<Record<string, string>>) {
  const server = await startMessagesServer(() => reply);
  try {
    return { ...(await doctor({ env: env(server.url) })), requests: server.requests };
  } finally {
    await server.close();
  }
}

test("finds nothing wrong on a machine that is set up", unless(whyNoBubblewrap), async () => {
  const { code, checks } = await doctor({});
  expect(code).toBe(0);
  expect(checks.filter(({ state }) => state === "wrong")).toEqual([]);
  expect(new Set(checks.map(({ name }) => name))).toEqual(
    new Set(
      "node git ripgrep confinement sandbox model terminal settings trust servers plug-ins hooks".split(" "),
    ),
  );
});

test("tries the sandbox if settings switch it on", unless(whyNoBubblewrap), async () => {
  const { code, about } = await doctor({ files: { user: { sandbox: { enabled: true } } } });
  expect([code, about("sandbox")]).toMatchObject([
    0,
    [{ state: "ok", text: expect.stringMatching(/^enforced/) }],
  ]);
});

test("says what the user has switched off, which no project can", async () => {
  const off = { troupe: { sandbox: { readOnly: false } } };
  expect((await doctor({ files: { user: off } })).about("confinement")).toMatchObject([
    { text: expect.stringMatching(/^off/) },
  ]);
  const { about } = await doctor({ files: { project: off } }, "--trust");
  expect(about("confinement")).not.toMatchObject([{ text: expect.stringMatching(/^off/) }]);
  expect(JSON.stringify(about("settings"))).toContain("troupe.sandbox.readOnly does not count there");
});

describe("the model", () => {
  test("is asked for one token, and the key is not printed", async () => {
    const { code, about, requests, printed } = await asking({ text: "O" }, (url) => ({
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url },
    }));
    expect(requests.map(({ body }) => body.max_tokens)).toEqual([1]);
    expect(about("model")).toMatchObject([
      { state: "ok", text: expect.stringMatching(/key of ANTHROPIC_API_KEY.* replied/) },
    ]);
    expect(code).toBe(0);
    expect(printed).not.toContain(KEY);
  });

  test("is wrong with the server's reason, even if that repeats the key", async () => {
    const { code, about, printed } = await asking(
      apiError(401, "authentication_error", `no such key ${KEY}`),
      (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
    );
    expect(about("model")).toMatchObject([{ state: "wrong", text: expect.stringContaining("no such key") }]);
    expect(code).toBe(1);
    expect(printed).not.toContain(KEY);
  });

  test("of a server of chat completions is asked there", async () => {
    const { about, requests } = await asking(apiError(404, "not_found_error", "no model mini"), (url) => ({
      ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "mini" },
    }));
    expect(requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    expect(about("model")).toMatchObject([
      { state: "wrong", text: expect.stringContaining("no model mini") },
    ]);
  });

  test.each<[string, readonly string[], string, readonly string[], string]>([
    ["the first that is available", [], "ok", ["haiku"], "haiku at "],
    ["none that is not available", ["--model", "opus"], "wrong", [], "not among availableModels"],
  ])("of settings with availableModels: asks %s", async (_, words, state, models, text) => {
    const server = await startMessagesServer(() => ({ text: "O" }));
    try {
      const files = { user: { availableModels: ["haiku"] } };
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
      const { about } = await doctor({ files, env }, ...words);
      expect(about("model")).toMatchObject([{ state, text: expect.stringContaining(text) }]);
      expect(server.requests.map(({ body }) => /haiku|sonnet|opus/.exec(String(body.model))?.[0])).toEqual(
        models,
      );
    } finally {
      await server.close();
    }
  });

  test("is wrong where the variables are", async () => {
    const { code, about } = await doctor({ env: { ANTHROPIC_API_KEY: "a b" } });
    expect([code, about("model")]).toMatchObject([1, [{ state: "wrong" }]]);
    expect(JSON.stringify(about("model"))).toContain("ANTHROPIC_API_KEY contains a space");
  });

  test("is a warning without a key, and nothing is asked with --offline", async () => {
    expect((await doctor({})).about("model")).toMatchObject([
      { state: "warning", todo: expect.stringMatching(/ANTHROPIC_API_KEY/) },
    ]);
    expect((await doctor({ env: { ANTHROPIC_API_KEY: KEY } }, "--offline")).about("model")).toMatchObject([
      { state: "ok" },
    ]);
  });
});

test.each<[string, unknown, DoctorCheck["state"], string]>([
  ["an unknown key", { hoks: 1 }, "warning", "there is no setting hoks"],
  ["an invalid value", { permissions: { defaultMode: "x" } }, "wrong", "permissions.defaultMode must be"],
  ["no JSON", "{", "wrong", "correct it"],
  ["nothing that is wrong", { model: "opus" }, "ok", "is valid (1 value)"],
])("reports a settings file with %s", async (_, user, state, text) => {
  const { code, about } = await doctor({ files: { user } });
  const [check] = about("settings");
  expect(check).toMatchObject({ state });
  expect(JSON.stringify(check)).toContain(text);
  expect(code).toBe(state === "wrong" ? 1 : 0);
});

test("starts nothing of a directory that is not trusted, and names all of it", async () => {
  const touch = (root: string, name: string) => ({
    command: "/bin/sh",
    args: ["-c", `touch ${join(root, name)}`],
  });
  const { about, root } = await doctor({
    more({ root }) {
      put(join(root, ".mcp.json"), { mcpServers: { evil: touch(root, "started") } });
      put(join(root, ".claude/settings.json"), {
        apiKeyHelper: `touch ${join(root, "started")}`,
        hooks: {
          SessionStart: [{ hooks: [{ type: "command", command: `touch ${join(root, "started")}` }] }],
        },
      });
    },
  });
  expect(existsSync(join(root, "started"))).toBe(false);
  expect(about("servers")).toMatchObject([
    { state: "warning", text: expect.stringMatching(/^evil: not started/) },
  ]);
  expect(about("trust")).toMatchObject([{ state: "warning", lines: { length: 3 } }]);
});

test("starts the user's MCP servers, and says why one does not work", { tags: ["long"] }, async () => {
  const { code, about } = await doctor({
    more({ homedir }) {
      writeFileSync(
        join(homedir, ".claude.json"),
        '{"mcpServers":{"gone":{"command":"/nonexistent/server"}}}',
      );
    },
  });
  expect(code).toBe(1);
  expect(about("servers")).toMatchObject([
    { state: "wrong", text: expect.stringMatching(/^gone: failed: .*\/nonexistent\/server/) },
  ]);
});

test("reports hooks that cannot run, and plug-ins that are not there", async () => {
  const { code, about } = await doctor({
    files: {
      user: {
        hooks: { Stop: [{ hooks: [{ type: "command" }, { type: "command", command: "true" }] }] },
        enabledPlugins: { "gone@nowhere": true },
      },
    },
  });
  expect(code).toBe(1);
  expect(about("hooks")).toMatchObject([{ state: "wrong" }, { state: "ok", text: "1 at Stop" }]);
  expect(about("plug-ins")).toMatchObject([
    { state: "warning", text: expect.stringMatching(/no marketplace nowhere/) },
  ]);
});

test.each<[Readonly<Record<string, string>>, number, DoctorCheck["state"], string]>([
  [{ TERM: "xterm" }, 100, "ok", "xterm, 100 columns, colours"],
  [{ TERM: "xterm", NO_COLOR: "1" }, 100, "ok", "xterm, 100 columns, no colours (NO_COLOR)"],
  [{ TERM: "dumb" }, 100, "warning", "dumb, 100 columns, no colours; nothing is painted, only printed"],
  [
    { TERM: "xterm", TROUPE_PLAIN: "1" },
    100,
    "ok",
    "xterm, 100 columns, colours; nothing is painted, only printed (--plain or TROUPE_PLAIN)",
  ],
  [{ TERM: "xterm" }, 30, "warning", "xterm, 30 columns, colours"],
])("describes the terminal of %j", (env, columns, state, text) => {
  const io = new FakeIO({ env, columns, stdoutIsTTY: true });
  expect(checkTerminal(io)).toMatchObject({ state, text });
  // In a conversation the output is collected, and the terminal is still there.
  const collected = Object.assign(new FakeIO({ env, stdinIsTTY: false }), { terminal: io.stdout });
  expect(checkTerminal(collected)).toMatchObject({ state, text });
});

test("calls an old Node wrong", () => {
  expect(checkNode("22.1.0")).toMatchObject({ state: "wrong", todo: "Install Node 24 or newer." });
});

test("says what it waits for after a second, and gives it up after thirty", async () => {
  const io = new FakeIO();
  const checks = tryCheck(io, "model", "Asking the model", () => new Promise(() => {}));
  await io.clock.advance(1_000);
  expect(io.err.text).toBe("Asking the model …\n");
  await io.clock.advance(30_000);
  expect(await checks).toMatchObject([{ name: "model", state: "wrong", text: "no result within 30 s" }]);
});

test("lists its findings for a reader, with what to do", async () => {
  const { homedir, root, managed } = foldersWith({ user: { hoks: 1 } });
  const io = Object.assign(new FakeIO({ homedir, cwd: root }), { managedSettings: managed });
  expect(await main(["doctor"], io, new FakeRuntime())).toBe(0);
  expect(io.out.text).toMatch(
    /^warning {2}settings {5}\S+settings\.json has entries that mean nothing here\n {22}there is no setting hoks[^\n]*$/m,
  );
});
