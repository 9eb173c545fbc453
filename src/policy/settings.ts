import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { type LimitRange, limitRanges } from "./limit-ranges.ts";

/** What may be set under `troupe`. Meanings and defaults stand with `Limits` in `supervisor/options.ts`. */
const limitSettings = {
  maxAgents: z.exactOptional(wholeIn(limitRanges.maxAgents)),
  maxDepth: z.exactOptional(wholeIn(limitRanges.maxDepth)),
  patienceMs: z.exactOptional(wholeIn(limitRanges.patienceMs)),
  idleMs: z.exactOptional(wholeIn(limitRanges.idleMs)),
  backgroundMs: z.exactOptional(wholeIn(limitRanges.backgroundMs)),
  graceMs: z.exactOptional(wholeIn(limitRanges.graceMs)),
  maxTokens: z.exactOptional(wholeIn(limitRanges.maxTokens)),
  maxTurns: z.exactOptional(wholeIn(limitRanges.maxTurns)),
  thinkingTokens: z.exactOptional(wholeIn(limitRanges.thinkingTokens)),
};

/** What opus, sonnet and haiku stand for. */
const aliasSettings = {
  opus: z.exactOptional(modelName()),
  sonnet: z.exactOptional(modelName()),
  haiku: z.exactOptional(modelName()),
};

const Limits = z.object(limitSettings, "must be an object");
const Aliases = z.object(aliasSettings, "must be an object");
const File = z.object(
  {
    model: z.exactOptional(modelName()),
    troupe: z.exactOptional(z.extend(Limits, { aliases: z.exactOptional(Aliases) })),
  },
  "must be an object",
);

/** The part of the person's settings that a session needs before there is a gate. */
export interface Settings {
  /** Alias or full id. */
  readonly model?: string;
  readonly limits: z.infer<typeof Limits>;
  readonly aliases: z.infer<typeof Aliases>;
}

/** Settings that could be read, and a sentence where something in them could not be used. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly warning?: string;
}

/**
 * The person's own `~/.claude/settings.json`; no file is no settings. A broken one is named in the warning
 * and counts as none. A project's settings are not read: what a repository brings with it may only speak
 * once the person has said that the folder is trusted, and that question does not exist yet.
 */
export async function readPersonSettings(homedir: string): Promise<ReadSettings> {
  const path = join(homedir, ".claude", "settings.json");
  const read = await readJson(path);
  if (read.type === "absent") return { settings: none };
  if (read.type === "broken") return { settings: none, warning: unused(path, read.problem) };
  const file = z.safeParse(File, read.value);
  if (!file.success) return { settings: none, warning: unused(path, firstProblem(file.error)) };
  const { aliases = {}, ...limits } = file.data.troupe ?? {};
  const { model } = file.data;
  const settings = { limits, aliases, ...(model === undefined ? {} : { model }) };
  const unknown = unknownTroupeKeys(read.value);
  if (unknown.length === 0) return { settings };
  return { settings, warning: `${path}: there is no setting ${unknown.join(", ")}; correct or remove it.` };
}

/** `TROUPE_MAX_AGENTS`, or a sentence where it cannot be used. Empty is not set. */
export function maxAgentsIn(
  env: Readonly<Record<string, string | undefined>>,
): { readonly value?: number } | { readonly problem: string } {
  const word = env["TROUPE_MAX_AGENTS"]?.trim();
  if (!word) return {};
  const value = /^\d{1,9}$/.test(word) ? Number(word) : Number.NaN;
  if (value >= 1 && value <= 256) return { value };
  return { problem: `TROUPE_MAX_AGENTS is "${word}"; set it to a whole number from 1 to 256, or unset it.` };
}

const none: Settings = { limits: {}, aliases: {} };

type Json =
  | { readonly type: "absent" }
  | { readonly type: "broken"; readonly problem: string }
  | { readonly type: "read"; readonly value: unknown };

async function readJson(path: string): Promise<Json> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    // ENOTDIR: `~/.claude` is a file, so there are no settings in it either.
    if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
    return { type: "broken", problem: `cannot be read (${code})` };
  }
  try {
    return { type: "read", value: JSON.parse(text.replace(/^\ufeff/, "")) };
  } catch (error) {
    return { type: "broken", problem: syntaxProblem(error) };
  }
}

/** V8 tells the place of most mistakes, but not of a file that just ends. */
function syntaxProblem(error: unknown): string {
  const place = /line (\d+) column (\d+)/.exec(error instanceof Error ? error.message : "");
  return place ? `line ${place[1]}, column ${place[2]} is not valid JSON` : "is not valid JSON";
}

function firstProblem(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "is not valid";
  return issue.path.length > 0 ? `${z.core.toDotPath(issue.path)} ${issue.message}` : issue.message;
}

function unused(path: string, problem: string): string {
  return `${path}: ${problem}; correct it, until then none of its settings are used.`;
}

/** A misspelt name would otherwise be ignored in silence. */
function unknownTroupeKeys(value: unknown): string[] {
  const troupe = keysOf(value, "troupe");
  const known = new Set([...Object.keys(limitSettings), "aliases"]);
  const aliases = Object.keys(keysOf(troupe, "aliases")).filter((key) => !Object.hasOwn(aliasSettings, key));
  return [
    ...Object.keys(troupe)
      .filter((key) => !known.has(key))
      .map((key) => `troupe.${key}`),
    ...aliases.map((key) => `troupe.aliases.${key}`),
  ];
}

function keysOf(value: unknown, key: string): object {
  if (typeof value !== "object" || value === null) return {};
  const inner: unknown = Reflect.get(value, key);
  return typeof inner === "object" && inner !== null ? inner : {};
}

function wholeIn({ min, max }: LimitRange): z.ZodMiniType<number> {
  return z.custom<number>(
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be a whole number from ${min} to ${max}`,
  );
}

function modelName(): z.ZodMiniType<string> {
  return z.custom<string>(
    (value) => typeof value === "string" && value.trim() !== "",
    "must be the name of a model",
  );
}
