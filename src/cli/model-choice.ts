import { given } from "../lib/json.ts";
import { MODEL_ALIASES } from "../mailbox/model.ts";
import type { checkBaseURL } from "../model/base-url.ts";
import { aliasNamed } from "../model/model-names.ts";
import type { ModelSource } from "../session/options.ts";
import { UsageError } from "./exit-codes.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Which model answers. */
export interface ModelChoice {
  readonly source: ModelSource;
  readonly model?: string;
  /** What an alias stands for at this server, if neither settings nor the environment say it. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** For the user, if the choice may surprise them. */
  readonly note?: string;
}

export interface AskedModel {
  /** `--model`. */
  readonly model?: string | undefined;
  /** `--offline`. */
  readonly offline: boolean;
  readonly settingsModel?: string | undefined;
  /** `troupe.provider`. */
  readonly provider?: "anthropic" | "openai" | undefined;
  /** What settings and the environment say that aliases stand for. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export type CheckBaseURL = typeof checkBaseURL;

/**
 * Chooses by flag, then environment, then settings. Without a key or a base URL it is the embedded offline model, with a
 * note. Throws a `UsageError` for flags that contradict each other, and for keys and addresses that cannot be right.
 */
export function chooseModel(asked: AskedModel, env: Env, check: CheckBaseURL): ModelChoice {
  const model = modelName(asked, env);
  if (asked.offline && asked.model !== undefined && asked.model !== "offline")
    throw new UsageError(`--offline and --model ${asked.model} contradict each other; give one of them.`);
  if (asked.offline || model === "offline") return { source: { provider: "offline" } };
  if (providerOf(asked, env) === "openai") return openaiChoice(asked, env, check);
  const apiKey = credential(env, "ANTHROPIC_API_KEY");
  const authToken = credential(env, "ANTHROPIC_AUTH_TOKEN");
  const baseURL = readVariable(env, "ANTHROPIC_BASE_URL");
  if (baseURL === undefined && apiKey === undefined && authToken === undefined)
    return { source: { provider: "offline" }, note: offlineNote(asked.model) };
  const checked = baseURL === undefined ? undefined : check(baseURL);
  if (checked?.ok === false) throw new UsageError(checked.message);
  return {
    source: {
      provider: "anthropic",
      ...given({ apiKey, authToken, baseURL: checked?.url, headers: customHeaders(env) }),
      ...(isOn(env, "DISABLE_PROMPT_CACHING") ? { promptCaching: false } : {}),
    },
    ...(model === undefined ? {} : { model }),
    ...(asked.provider === undefined && readVariable(env, "OPENAI_BASE_URL") !== undefined
      ? { note: BOTH }
      : {}),
  };
}

const ANTHROPIC = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];

const BOTH =
  "Both OPENAI_BASE_URL and variables of Anthropic are set, so Troupe uses Anthropic's; set troupe.provider in your settings to choose.";

/** A key of OpenAI alone chooses nothing: many have one for other programs. */
function providerOf({ provider }: AskedModel, env: Env): "anthropic" | "openai" {
  if (provider !== undefined) return provider;
  const isAnthropic = ANTHROPIC.some((name) => readVariable(env, name) !== undefined);
  return !isAnthropic && readVariable(env, "OPENAI_BASE_URL") !== undefined ? "openai" : "anthropic";
}

/** The server has no default model, and agents that name an alias get the same model. */
function openaiChoice(asked: AskedModel, env: Env, check: CheckBaseURL): ModelChoice {
  const { aliases = {} } = asked;
  const apiKey = credential(env, "OPENAI_API_KEY");
  const baseURL = readVariable(env, "OPENAI_BASE_URL");
  if (apiKey === undefined && baseURL === undefined)
    throw new UsageError(
      "troupe.provider is openai, but neither OPENAI_BASE_URL nor OPENAI_API_KEY is set; set one of them.",
    );
  const checked = baseURL === undefined ? undefined : check(baseURL, "openai");
  if (checked?.ok === false) throw new UsageError(checked.message);
  const model = modelName(asked, env, "OPENAI_MODEL");
  // Local servers have a model of that name, or take any.
  const alias = model === undefined || model === "default" ? undefined : aliasNamed(model);
  const id = alias === undefined ? model : aliases[alias];
  if (model === undefined || id === undefined)
    throw new UsageError(
      `No model of ${checked?.ok ? checked.host : "api.openai.com"} is named${model === undefined ? "" : ` (${model} is an alias of Anthropic's)`}; set OPENAI_MODEL or --model to one that it has.`,
    );
  return {
    source: { provider: "openai", ...given({ apiKey, baseURL: checked?.url }) },
    model,
    aliases: Object.fromEntries(MODEL_ALIASES.map((name) => [name, id])),
  };
}

/** True if a real model is wanted and there is no key for it: then apiKeyHelper is asked. */
export function lacksKey(asked: AskedModel, env: Env): boolean {
  if (asked.offline || asked.provider === "openai" || modelName(asked, env) === "offline") return false;
  return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].every((name) => readVariable(env, name) === undefined);
}

function modelName(
  { model, settingsModel }: AskedModel,
  env: Env,
  variable = "ANTHROPIC_MODEL",
): string | undefined {
  return model ?? readVariable(env, variable) ?? settingsModel;
}

function offlineNote(model: string | undefined): string {
  const instead = model === undefined ? "" : ` instead of ${model}`;
  return `No ANTHROPIC_API_KEY is set, so Troupe uses its embedded offline model${instead}, which searches and cites but does not reason; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own, to use a real one.`;
}

/** What the connection needs as it is. */
const OF_THE_CONNECTION =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|upgrade|te)$/;

/** Returns the headers that the user adds to each request, one a line. Their values may be secrets, so no message has one. */
function customHeaders(env: Env): Readonly<Record<string, string>> | undefined {
  const lines = (readVariable(env, "ANTHROPIC_CUSTOM_HEADERS") ?? "").split(/\r?\n/);
  const headers = lines.flatMap((line, at) => {
    if (line.trim() === "") return [];
    const [, name = "", value = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*([\t\x20-\x7e]*)$/.exec(line) ?? [];
    if (name !== "" && !OF_THE_CONNECTION.test(name.toLowerCase()))
      return [[name.toLowerCase(), value.trim()] as const];
    throw new UsageError(
      `Line ${at + 1} of ANTHROPIC_CUSTOM_HEADERS is not a header that can be sent; write NAME: VALUE, one a line.`,
    );
  });
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}

/** An empty variable counts as not set. */
export function readVariable(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

export function isOn(env: Env, name: string): boolean {
  return /^(1|true|yes|on)$/i.test(readVariable(env, name) ?? "");
}

function credential(env: Env, name: string): string | undefined {
  const value = readVariable(env, name);
  if (value === undefined || /^[!-~]+$/.test(value)) return value;
  throw new UsageError(
    `${name} contains a space, a line break or another character no key has; set it again.`,
  );
}
