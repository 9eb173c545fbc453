import type Anthropic from "@anthropic-ai/sdk";

/** The first version of each family's numbering that thinks adaptively (Claude 4.6). */
const ADAPTIVE_FROM = { major: 4, minor: 6 };

/**
 * How a model is asked to think. Newer Claude models decide themselves how much and reject a budget; older
 * ones, and other models behind the same API, want one.
 */
export function thinkingOf(model: string, tokens: number): Anthropic.ThinkingConfigParam {
  return thinksAdaptively(model)
    ? { type: "adaptive", display: "summarized" }
    : { type: "enabled", budget_tokens: tokens };
}

function thinksAdaptively(model: string): boolean {
  // Full ids only: claude-<family>-<major>[-<minor>][-<date>]; a longer number is a date.
  const [, major, minor = "0"] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(model) ?? [];
  if (major === undefined) return false;
  const version = Number(major);
  return (
    version > ADAPTIVE_FROM.major || (version === ADAPTIVE_FROM.major && Number(minor) >= ADAPTIVE_FROM.minor)
  );
}
