import { readFileSync } from "node:fs";
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { checkBaseURL } from "../../src/model/base-url.ts";
import { contextWindowOf, costOf } from "../../src/model/known-models.ts";
import { aliasesFrom, DEFAULT_ALIASES, DEFAULT_MODEL, resolveModel } from "../../src/model/model-names.ts";

/** The ids that the SDK names, without the "any other string" of its union. */
type Named<M> = M extends string ? (string extends M ? never : M) : never;
DEFAULT_ALIASES satisfies Record<string, Named<Anthropic.Model>>;

/** The same ids as text, since types are gone at run time. */
function namedModels(): string[] {
  const file = new URL(
    "../../node_modules/@anthropic-ai/sdk/resources/messages/messages.d.ts",
    import.meta.url,
  );
  const union = /export type Model = ([^;]+);/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
  return [...union.matchAll(/'([^']+)'/g)].map(([, id]) => id ?? "");
}

function newest(family: string): string | undefined {
  const version = (id: string) => {
    const [, major = "0", minor = "0"] =
      new RegExp(`^claude-${family}-(\\d+)(?:-(\\d{1,2}))?$`).exec(id) ?? [];
    return Number(major) * 100 + Number(minor);
  };
  return namedModels()
    .filter((id) => version(id) > 0)
    .sort((a, b) => version(b) - version(a))[0];
}

describe("names of models", () => {
  test.each(Object.entries(DEFAULT_ALIASES))(
    "%s is the newest of its family in the SDK (A22.17)",
    (alias, id) => {
      expect(namedModels().length).toBeGreaterThan(10);
      expect(id).toBe(newest(alias));
    },
  );

  test("aliases resolve whatever their case, the default is sonnet, ids of the seed and any other pass (A1.7)", () => {
    expect(resolveModel(DEFAULT_MODEL)).toBe(DEFAULT_ALIASES.sonnet);
    expect(resolveModel(" OPUS ")).toBe(DEFAULT_ALIASES.opus);
    for (const id of [
      "claude-opus-4-7",
      "claude-sonnet-4-6",
      "claude-haiku-4-5-20251001",
      "Qwen/Qwen3",
      "toString",
    ])
      expect(resolveModel(id)).toBe(id);
  });

  test("the environment names other ids, an empty variable does not", () => {
    const aliases = aliasesFrom({ ANTHROPIC_DEFAULT_OPUS_MODEL: "mine", ANTHROPIC_DEFAULT_HAIKU_MODEL: "" });
    expect(resolveModel("opus", aliases)).toBe("mine");
    expect(resolveModel("haiku", aliases)).toBe(DEFAULT_ALIASES.haiku);
    expect(resolveModel("sonnet", { fast: "x" })).toBe(DEFAULT_ALIASES.sonnet);
    expect(resolveModel("fast", { fast: "x" })).toBe("x");
  });

  test.each([
    ["opus[1m]", DEFAULT_ALIASES.opus],
    ["Sonnet[1M]", DEFAULT_ALIASES.sonnet],
    ["claude-opus-4-7[1m]", "claude-opus-4-7"],
    ["best", DEFAULT_ALIASES.opus],
    ["opusplan", DEFAULT_ALIASES.sonnet],
    ["default", DEFAULT_ALIASES.sonnet],
  ])("reads %s, which settings of Claude Code may have, as %s", (name, id) => {
    expect(resolveModel(name)).toBe(id);
  });

  test("gives a model of another server the window that its mark names", () => {
    const aliases = aliasesFrom({ ANTHROPIC_DEFAULT_OPUS_MODEL: "glm-9[1m]" });
    const id = resolveModel("best", aliases);
    expect(contextWindowOf(id)).toBe(1_000_000);
    expect(contextWindowOf("glm-9")).toBe(200_000);
    expect(contextWindowOf(id, { "glm-9": 500_000 })).toBe(500_000);
    expect(resolveModel("opus[1m]", { opus: "mine" })).toBe("mine[1m]");
  });
});

describe("base URLs", () => {
  test.each([
    ["http://localhost:11434", "http://localhost:11434", "localhost:11434"],
    [" https://gateway.example/anthropic/v1/ ", "https://gateway.example/anthropic", "gateway.example"],
    ["https://api.anthropic.com/v1/messages", "https://api.anthropic.com", "api.anthropic.com"],
    ["http://[::1]:8080/", "http://[::1]:8080", "[::1]:8080"],
  ])("%s is understood", (text, url, host) => {
    expect(checkBaseURL(text)).toEqual({ ok: true, url, host });
  });

  test.each([
    ["", /empty/],
    ["localhost:11434", /does not start with http/],
    ["api.example.com/v1", /does not start with http/],
    ["ftp://example.com", /ftp:/],
    ["http://", /not an address/],
    ["http://a b", /not an address/],
    ["http://localhost:99999", /not an address/],
    ["https://me:hunter2@example.com", /ANTHROPIC_API_KEY/],
    ["https://example.com?key=1", /more than an address/],
  ])("%s is refused in one sentence that names the variable and shows no password", (text, words) => {
    const checked = checkBaseURL(text);
    expect(checked).toMatchObject({ ok: false, message: expect.stringMatching(words) });
    expect(checked).toMatchObject({ message: expect.stringContaining("ANTHROPIC_BASE_URL") });
    expect(checked).not.toMatchObject({ message: expect.stringContaining("hunter2") });
  });
});

describe("prices", () => {
  const million = { ...noUsage, input_tokens: 1e6, output_tokens: 1e6, cache_read_input_tokens: 1e6 };

  test("every default has a known price, cached tokens cost less", () => {
    for (const id of Object.values(DEFAULT_ALIASES)) expect(costOf(id, million).costKnown).toBe(true);
    expect(costOf("claude-sonnet-4-5-20250929", million)).toEqual({ usd: 18.3, costKnown: true });
  });

  test("a long prompt costs more where the price says so", () => {
    const usage = (input_tokens: number) => ({ ...noUsage, input_tokens });
    expect(costOf("claude-haiku-5-5", usage(100_000)).usd).toBeCloseTo(0.01);
    expect(costOf("claude-haiku-5-5", usage(200_000)).usd).toBeCloseTo(0.1);
  });

  test("the offline model is free, an unknown one counts as 0 and says so", () => {
    expect(costOf("offline", million)).toEqual({ usd: 0, costKnown: true });
    expect(costOf("claude-sonnet-9", million)).toEqual({ usd: 0, costKnown: false });
    expect(costOf("constructor", million)).toEqual({ usd: 0, costKnown: false });
  });

  test("prices of one's own come before the list, and add what it lacks (issue 5 item 6)", () => {
    const half = { input: 1, output: 2, cacheWrite: 3, cacheRead: 4 };
    const own = { "claude-opus-5-5": half, mine: half, "claude-sonnet-5-5-20260901": half };
    expect(costOf("claude-opus-5-5-20261001", million, own)).toEqual({ usd: 7, costKnown: true });
    expect(costOf("mine", million, own)).toEqual({ usd: 7, costKnown: true });
    expect(costOf("claude-sonnet-5-5-20260901", million, own).usd).toBe(7);
    expect(costOf("claude-sonnet-5-5", million, own)).toEqual(costOf("claude-sonnet-5-5", million));
    expect(costOf("toString", million, own).costKnown).toBe(false);
  });
});
