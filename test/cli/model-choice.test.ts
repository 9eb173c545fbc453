import { describe, expect, test } from "vitest";
import { type AskedModel, chooseModel } from "../../src/cli/model-choice.ts";
import { aliasesFrom } from "../../src/model/aliases.ts";
import { checkBaseURL } from "../../src/model/base-url.ts";

const choose = (asked: Partial<AskedModel> = {}, env: Record<string, string> = {}) =>
  chooseModel({ offline: false, ...asked }, env, checkBaseURL);
const key = { ANTHROPIC_API_KEY: "sk-1" };

describe("the model", () => {
  test("is the embedded one without a key and a server, with a note", () => {
    expect(choose()).toEqual({
      source: { provider: "offline" },
      note: "No ANTHROPIC_API_KEY is set, so Troupe uses its embedded offline model, which searches and cites but does not reason; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, to use a real one.",
    });
    expect(choose({}, { ANTHROPIC_API_KEY: " ", ANTHROPIC_BASE_URL: "" }).source.provider).toBe("offline");
    expect(choose({ model: "opus" }).note).toContain("offline model instead of opus,");
  });

  test.each([
    [{ offline: true }, key],
    [{ model: "offline" }, key],
    [{ offline: true, model: "offline" }, key],
    [{}, { ...key, ANTHROPIC_MODEL: "offline" }],
    [{ settingsModel: "offline" }, key],
  ])("is the embedded one without a word where it was asked for: %j", (asked, env) => {
    expect(choose(asked, env)).toEqual({ source: { provider: "offline" } });
  });

  test("is a real one with a key, a token, or both", () => {
    expect(choose({}, key)).toEqual({ source: { provider: "anthropic", apiKey: "sk-1" } });
    expect(choose({}, { ANTHROPIC_AUTH_TOKEN: "t" }).source).toEqual({
      provider: "anthropic",
      authToken: "t",
    });
    expect(choose({}, { ...key, ANTHROPIC_AUTH_TOKEN: "t\n" }).source).toEqual({
      provider: "anthropic",
      apiKey: "sk-1",
      authToken: "t",
    });
  });

  test("is that of a server of one's own, which needs no key", () => {
    expect(choose({}, { ANTHROPIC_BASE_URL: "http://localhost:11434/v1/" }).source).toEqual({
      provider: "anthropic",
      apiKey: "none",
      baseURL: "http://localhost:11434",
    });
  });

  test("is named by the flag, then the environment, then the settings", () => {
    const env = { ...key, ANTHROPIC_MODEL: "from-env" };
    expect(choose({ model: "from-flag", settingsModel: "from-settings" }, env).model).toBe("from-flag");
    expect(choose({ settingsModel: "from-settings" }, env).model).toBe("from-env");
    expect(choose({ settingsModel: "from-settings" }, key).model).toBe("from-settings");
    expect(choose({}, key)).not.toHaveProperty("model");
  });

  test.each([
    [{ offline: true, model: "opus" }, {}, /contradict/],
    [{}, { ANTHROPIC_API_KEY: "sk\n1" }, /^ANTHROPIC_API_KEY contains/],
    [{}, { ANTHROPIC_AUTH_TOKEN: "ключ" }, /^ANTHROPIC_AUTH_TOKEN contains/],
    [{}, { ...key, ANTHROPIC_BASE_URL: "ftp://x" }, /ANTHROPIC_BASE_URL/],
  ])("is refused in a sentence: %j %j", (asked, env, sentence) => {
    expect(() => choose(asked, env)).toThrow(sentence);
  });

  test("is not asked about a server that is not used", () => {
    expect(choose({ offline: true }, { ANTHROPIC_BASE_URL: "nonsense" }).source.provider).toBe("offline");
  });
});

test("what the aliases stand for comes from the environment, then from settings", () => {
  const env = { ANTHROPIC_DEFAULT_OPUS_MODEL: "env-opus", ANTHROPIC_DEFAULT_HAIKU_MODEL: " " };
  expect(aliasesFrom(env, { opus: "settings-opus", haiku: "settings-haiku" })).toEqual({
    opus: "env-opus",
    haiku: "settings-haiku",
  });
});
