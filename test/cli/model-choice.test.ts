import { describe, expect, test } from "vitest";
import { type AskedModel, chooseModel, lacksKey } from "../../src/cli/model-choice.ts";
import { checkBaseURL } from "../../src/model/base-url.ts";
import { aliasesFrom, resolveModel } from "../../src/model/model-names.ts";

const choose = (asked: Partial<AskedModel> = {}, env: Record<string, string> = {}) =>
  chooseModel({ offline: false, ...asked }, env, checkBaseURL);
const key = { ANTHROPIC_API_KEY: "sk-1" };

describe("the model", () => {
  test("is the embedded one without a key and a server, with a note", () => {
    expect(choose()).toEqual({
      source: { provider: "offline" },
      note: "No ANTHROPIC_API_KEY is set, so Troupe uses its embedded offline model, which searches and cites but does not reason; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own, to use a real one.",
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
      baseURL: "http://localhost:11434",
    });
  });

  test("gets the headers of ANTHROPIC_CUSTOM_HEADERS, one a line", () => {
    const headers = "X-Team: a: b\n\ncf-aig-authorization:Bearer abc\r\n";
    expect(choose({}, { ...key, ANTHROPIC_CUSTOM_HEADERS: headers }).source).toEqual({
      ...{ provider: "anthropic", apiKey: "sk-1" },
      headers: { "x-team": "a: b", "cf-aig-authorization": "Bearer abc" },
    });
  });

  test.each(["secret-without-colon", "a b: c", "Content-Length: 3", "x: \u0001"])(
    "refuses a header that cannot be sent, without its value: %j",
    (line) => {
      const asked = () => choose({}, { ...key, ANTHROPIC_CUSTOM_HEADERS: `x-a: b\n${line}` });
      expect(asked).toThrow(/^Line 2 of ANTHROPIC_CUSTOM_HEADERS/);
      expect(asked).not.toThrow(/secret/);
    },
  );

  test.each([
    ["1", { promptCaching: false }],
    ["true", { promptCaching: false }],
    ["0", {}],
  ])("gets no marks of caching if DISABLE_PROMPT_CACHING is on: %s", (value, added) => {
    expect(choose({}, { ...key, DISABLE_PROMPT_CACHING: value }).source).toEqual({
      ...{ provider: "anthropic", apiKey: "sk-1" },
      ...added,
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

describe("a chat completions API", () => {
  const local = { OPENAI_BASE_URL: "http://localhost:11434/v1/", OPENAI_MODEL: "qwen" };
  const one = { opus: "qwen", sonnet: "qwen", haiku: "qwen", fable: "qwen" };

  test("is chosen by its address, and its model answers for all aliases", () => {
    expect(choose({}, local)).toEqual({
      source: { provider: "openai", baseURL: "http://localhost:11434/v1" },
      ...{ model: "qwen", aliases: one },
    });
    expect(choose({ model: "other" }, { ...local, OPENAI_API_KEY: "k" })).toMatchObject({
      source: { provider: "openai", apiKey: "k" },
      model: "other",
    });
    const aliases = { opus: "big" };
    expect(choose({ model: "Opus", aliases }, local).aliases).toMatchObject({ haiku: "big" });
    // Servers of one's own have a model of that name, or take any.
    const own = choose({ model: "default" }, local);
    expect(resolveModel(own.model ?? "", own.aliases)).toBe("default");
  });

  test.each([
    ["http://localhost:8080", "http://localhost:8080/v1"],
    ["https://api.groq.com/openai/v1/chat/completions", "https://api.groq.com/openai/v1"],
    ["https://x.test/v1beta/openai/", "https://x.test/v1beta/openai"],
  ])("is reached below the address: %s", (given, baseURL) => {
    expect(choose({}, { ...local, OPENAI_BASE_URL: given }).source).toMatchObject({ baseURL });
  });

  test("is not chosen by a key alone, nor against Anthropic's variables, unless a setting does", () => {
    expect(choose({}, { OPENAI_API_KEY: "k", OPENAI_MODEL: "m" }).source.provider).toBe("offline");
    expect(choose({}, { ...local, ...key })).toMatchObject({
      source: { provider: "anthropic" },
      note: expect.stringContaining("troupe.provider"),
    });
    expect(choose({ provider: "anthropic" }, { ...local, ...key })).not.toHaveProperty("note");
    const chosen = choose({ provider: "openai" }, { ...key, OPENAI_API_KEY: "k", OPENAI_MODEL: "m" });
    expect(chosen.source).toEqual({ provider: "openai", apiKey: "k" });
    expect(lacksKey({ offline: false, provider: "openai" }, {})).toBe(false);
  });

  test.each([
    [{}, { OPENAI_BASE_URL: "localhost:1" }, /OPENAI_BASE_URL/],
    [{}, { OPENAI_BASE_URL: "http://localhost:1" }, /^No model of localhost:1 is named; set OPENAI_MODEL/],
    [
      { settingsModel: "opus[1m]" },
      { OPENAI_BASE_URL: "http://localhost:1" },
      /opus\[1m\] is an alias of Ant/,
    ],
    [{ settingsModel: "sonnet" }, { OPENAI_BASE_URL: "http://localhost:1" }, /\(sonnet is an alias/],
    [{ provider: "openai" as const }, key, /neither OPENAI_BASE_URL nor OPENAI_API_KEY/],
  ])("is refused in a sentence: %j %j", (asked, env, sentence) => {
    expect(() => choose(asked, env)).toThrow(sentence);
  });
});

test("what the aliases stand for comes from the environment, then from settings", () => {
  const env = { ANTHROPIC_DEFAULT_OPUS_MODEL: "env-opus", ANTHROPIC_DEFAULT_HAIKU_MODEL: " " };
  expect(aliasesFrom(env, { opus: "settings-opus", haiku: "settings-haiku" })).toEqual({
    opus: "env-opus",
    haiku: "settings-haiku",
  });
});
