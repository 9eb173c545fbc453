import type { checkBaseURL } from "../model/base-url.ts";
import type { ModelSource } from "../session/options.ts";
import { UsageError } from "./usage-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Which model answers. */
export interface ModelChoice {
  readonly source: ModelSource;
  readonly model?: string;
  /** For the user, if the choice may surprise them. */
  readonly note?: string;
}

export interface AskedModel {
  /** `--model`. */
  readonly model?: string | undefined;
  /** `--offline`. */
  readonly offline: boolean;
  readonly settingsModel?: string | undefined;
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
      // A server of the user's own needs no key, but the client requires one.
      ...(apiKey === undefined && authToken === undefined ? { apiKey: "none" } : {}),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(authToken === undefined ? {} : { authToken }),
      ...(checked === undefined ? {} : { baseURL: checked.url }),
    },
    ...(model === undefined ? {} : { model }),
  };
}

/** True if a real model is wanted and there is no key for it: then apiKeyHelper is asked. */
export function lacksKey(asked: AskedModel, env: Env): boolean {
  if (asked.offline || modelName(asked, env) === "offline") return false;
  return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].every((name) => readVariable(env, name) === undefined);
}

function modelName({ model, settingsModel }: AskedModel, env: Env): string | undefined {
  return model ?? readVariable(env, "ANTHROPIC_MODEL") ?? settingsModel;
}

function offlineNote(model: string | undefined): string {
  const instead = model === undefined ? "" : ` instead of ${model}`;
  return `No ANTHROPIC_API_KEY is set, so Troupe uses its embedded offline model${instead}, which searches and cites but does not reason; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, to use a real one.`;
}

/** An empty variable counts as not set. */
function readVariable(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function credential(env: Env, name: string): string | undefined {
  const value = readVariable(env, name);
  if (value === undefined || /^[!-~]+$/.test(value)) return value;
  throw new UsageError(
    `${name} contains a space, a line break or another character no key has; set it again.`,
  );
}
