import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { type Files, foldersWith } from "../settings/folders.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

async function run(env: Record<string, string>, user: Files["user"] = {}, argv: readonly string[] = []) {
  const { homedir, root, managed } = foldersWith({ user });
  const io = new FakeIO({ homedir, cwd: root, env, stdin: "" });
  const runtime = new FakeRuntime();
  const code = await main(["-p", "x", ...argv], Object.assign(io, { managedSettings: managed }), runtime);
  return { code, err: io.err.text, options: runtime.sessions[0]?.options };
}

const key = { ANTHROPIC_API_KEY: "k" };
const settings = {
  effortLevel: "low",
  troupe: { thinkingTokens: 1, maxTokens: 2, idleMs: 300, autoCompact: true },
};

describe("a variable of Claude Code", () => {
  const variables = {
    MAX_THINKING_TOKENS: "31999",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: " 64000 ",
    API_TIMEOUT_MS: "3000000",
    BASH_DEFAULT_TIMEOUT_MS: "300000",
    BASH_MAX_TIMEOUT_MS: "1800000",
    CLAUDE_CODE_EFFORT_LEVEL: "xhigh",
    DISABLE_AUTO_COMPACT: "1",
  };
  const counts = {
    effort: "xhigh",
    limits: {
      ...{ thinkingTokens: 31_999, maxTokens: 64_000, idleMs: 3_000_000 },
      ...{ commandMs: 300_000, maxCommandMs: 1_800_000 },
    },
    compaction: { auto: false },
  };

  test("wins over the setting that it stands for", async () => {
    const { code, err, options } = await run({ ...key, ...variables }, settings);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(options).toMatchObject(counts);
  });

  test("counts from `env` of settings, too", async () => {
    expect((await run(key, { ...settings, env: variables })).options).toMatchObject(counts);
  });

  test("loses to the flag --effort, which wins over the setting, too", async () => {
    const env = { ...key, CLAUDE_CODE_EFFORT_LEVEL: "max" };
    expect((await run(env, settings, ["--effort", "medium"])).options).toMatchObject({ effort: "medium" });
    expect((await run(key, settings, ["--effort=xhigh"])).options).toMatchObject({ effort: "xhigh" });
    const { code, err } = await run(key, settings, ["--effort", "hihg"]);
    expect(code).toBe(2);
    expect(err).toContain(
      '--effort cannot be "hihg"; it is one of low, medium, high, xhigh, max (did you mean high?).',
    );
  });

  test("that is empty or off leaves the setting", async () => {
    const off = { MAX_THINKING_TOKENS: "", CLAUDE_CODE_EFFORT_LEVEL: " ", DISABLE_AUTO_COMPACT: "0" };
    const { err, options } = await run({ ...key, ...off }, settings);
    expect(err).toBe("");
    expect(options).toMatchObject({
      effort: "low",
      limits: { thinkingTokens: 1 },
      compaction: { auto: true },
    });
  });

  test("can switch thinking off, and leave the effort to the server", async () => {
    const env = { ...key, MAX_THINKING_TOKENS: "0", CLAUDE_CODE_EFFORT_LEVEL: "auto" };
    const { err, options } = await run(env, settings);
    expect(err).toBe("");
    expect(options).toMatchObject({ limits: { thinkingTokens: 0 } });
    expect(options).not.toHaveProperty("effort");
  });

  test.each([
    ["MAX_THINKING_TOKENS", "lots", "a whole number from 0 to 1000000"],
    ["CLAUDE_CODE_MAX_OUTPUT_TOKENS", "0", "a whole number from 1 to 1000000"],
    ["CLAUDE_CODE_MAX_OUTPUT_TOKENS", "32k", "a whole number from 1 to 1000000"],
    ["BASH_DEFAULT_TIMEOUT_MS", "5m", "a whole number from 1000 to 86400000"],
    ["API_TIMEOUT_MS", "-1", "a whole number from 100 to 86400000"],
    ["CLAUDE_CODE_EFFORT_LEVEL", "highest", "low, medium, high, xhigh, max or auto"],
    ["DISABLE_AUTO_COMPACT", "maybe", "1 or 0"],
  ])("%s that is %s is named, and the setting counts", async (name, value, wanted) => {
    const { code, err, options } = await run({ ...key, [name]: value }, settings);
    expect(code).toBe(0);
    expect(err).toBe(`${name} is "${value}", which does not count; set it to ${wanted}, or unset it.\n`);
    expect(options).toMatchObject({
      effort: "low",
      limits: { thinkingTokens: 1, maxTokens: 2, idleMs: 300 },
      compaction: { auto: true },
    });
  });

  test("that is too large is the largest, and says so", async () => {
    const { err, options } = await run({ ...key, API_TIMEOUT_MS: "2147483647" });
    expect(err).toBe("API_TIMEOUT_MS is 2147483647, and the most is 86400000, which counts.\n");
    expect(options).toMatchObject({ limits: { idleMs: 86_400_000 } });
  });
});

describe("a provider that only Claude Code has", () => {
  const advice =
    "set ANTHROPIC_BASE_URL to a gateway that does and speaks the Messages API (docs/models.md), and unset it.\n";

  test.each([
    ["CLAUDE_CODE_USE_BEDROCK", "1", "Amazon Bedrock"],
    ["CLAUDE_CODE_USE_VERTEX", "true", "Google Vertex AI"],
    ["CLAUDE_CODE_USE_FOUNDRY", "1", "Microsoft Foundry"],
  ])("is named with what to do instead: %s=%s", async (name, value, provider) => {
    const { code, err } = await run({ ...key, [name]: value });
    expect({ code, err }).toEqual({
      code: 0,
      err: `${name} is set, but Troupe does not ask ${provider} itself; ${advice}`,
    });
  });

  test.each([
    [{ CLAUDE_CODE_USE_BEDROCK: "0" }, []],
    [{ CLAUDE_CODE_USE_BEDROCK: "1", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }, []],
    [{ CLAUDE_CODE_USE_BEDROCK: "1" }, ["--offline"]],
  ])("is not named if the user has a server, or wants none: %j %j", async (env, argv) => {
    expect((await run({ ...key, ...env }, {}, argv)).err).toBe("");
  });
});
