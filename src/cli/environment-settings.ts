import { Effort } from "../mailbox/model.ts";
import { limitRanges } from "../settings/limits.ts";
import type { Settings } from "../settings/read-settings.ts";
import { quoted } from "./exit-codes.ts";
import { type Env, isOn, readVariable } from "./model-choice.ts";

const LIMITS = {
  MAX_THINKING_TOKENS: "thinkingTokens",
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: "maxTokens",
  API_TIMEOUT_MS: "idleMs",
  BASH_DEFAULT_TIMEOUT_MS: "commandMs",
  BASH_MAX_TIMEOUT_MS: "maxCommandMs",
} as const;

const PROVIDERS = {
  CLAUDE_CODE_USE_BEDROCK: "Amazon Bedrock",
  CLAUDE_CODE_USE_VERTEX: "Google Vertex AI",
  CLAUDE_CODE_USE_FOUNDRY: "Microsoft Foundry",
} as const;

/**
 * Reads Claude Code's variables that stand for a setting; they win over it. A value that cannot be used leaves the
 * setting, with a note.
 */
export function settingsWithEnvironment(env: Env, settings: Settings) {
  const notes: string[] = [];
  const refuse = (name: string, wanted: string) => {
    const value = quoted(readVariable(env, name) ?? "");
    notes.push(`${name} is ${value}, which does not count; set it to ${wanted}, or unset it.`);
  };
  const limits = Object.entries(LIMITS).flatMap(([name, limit]) => {
    const text = readVariable(env, name);
    if (text === undefined) return [];
    const { min, max } = limitRanges[limit];
    const value = /^\d+$/.test(text) ? Number(text) : -1;
    if (value > max) notes.push(`${name} is ${text}, and the most is ${max}, which counts.`);
    if (value >= min) return [[limit, Math.min(value, max)] as const];
    refuse(name, `a whole number from ${min} to ${max}`);
    return [];
  });
  return {
    settings: {
      ...withEffort(env, settings, refuse),
      limits: { ...settings.limits, ...Object.fromEntries(limits) },
      compaction: { ...settings.compaction, ...compactionOf(env, refuse) },
    },
    notes,
  };
}

type Refuse = (name: string, wanted: string) => void;

function withEffort(env: Env, { effort: set, ...others }: Settings, refuse: Refuse): Settings {
  const name = "CLAUDE_CODE_EFFORT_LEVEL";
  const text = readVariable(env, name)?.toLowerCase();
  if (text === "auto") return others;
  const chosen = Effort.safeParse(text).data;
  if (text !== undefined && chosen === undefined) refuse(name, `${Effort.options.join(", ")} or auto`);
  const effort = chosen ?? set;
  return effort === undefined ? others : { ...others, effort };
}

function compactionOf(env: Env, refuse: Refuse): { readonly auto?: false } {
  const name = "DISABLE_AUTO_COMPACT";
  if (isOn(env, name)) return { auto: false };
  if (!/^(|0|false|no|off)$/i.test(readVariable(env, name) ?? "")) refuse(name, "1 or 0");
  return {};
}

/** Returns which providers are asked for that Troupe cannot ask, unless the user has a server of their own already. */
export function providerNotes(env: Env): string[] {
  const hasServer = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"].some((name) => readVariable(env, name));
  const wanted = Object.entries(PROVIDERS).filter(([name]) => !hasServer && isOn(env, name));
  return wanted.map(
    ([name, provider]) =>
      `${name} is set, but Troupe does not ask ${provider} itself; set ANTHROPIC_BASE_URL to a gateway that does and speaks the Messages API (docs/models.md), and unset it.`,
  );
}
