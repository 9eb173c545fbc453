import type { checkBaseURL } from "../model/base-url.ts";
import type { ModelSource } from "../session/options.ts";
import { UsageError } from "./usage-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Which model answers. */
export interface ModelChoice {
  readonly source: ModelSource;
  readonly model?: string;
  /** A line for the person, where the choice is not the one they may expect. */
  readonly note?: string;
}

export interface AskedModel {
  /** `--model`; wins over everything. */
  readonly model?: string | undefined;
  /** `--offline`. */
  readonly offline: boolean;
  /** The person's settings; the last resort. */
  readonly settingsModel?: string | undefined;
}

export type CheckBaseURL = typeof checkBaseURL;

/**
 * From flags, environment and settings to a model. Without a key or a base URL it is the embedded offline
 * model, and says so. Throws a `UsageError` on what contradicts itself or cannot be sent.
 */
export function chooseModel(asked: AskedModel, env: Env, check: CheckBaseURL): ModelChoice {
  const model = asked.model ?? set(env, "ANTHROPIC_MODEL") ?? asked.settingsModel;
  if (asked.offline && asked.model !== undefined && asked.model !== "offline") {
    throw new UsageError(`--offline and --model ${asked.model} contradict each other; give one of them.`);
  }
  if (asked.offline || model === "offline") return { source: { provider: "offline" } };
  const apiKey = credential(env, "ANTHROPIC_API_KEY");
  const authToken = credential(env, "ANTHROPIC_AUTH_TOKEN");
  const baseURL = set(env, "ANTHROPIC_BASE_URL");
  if (baseURL === undefined && apiKey === undefined && authToken === undefined) {
    return { source: { provider: "offline" }, note: offlineNote(asked.model) };
  }
  const checked = baseURL === undefined ? undefined : check(baseURL);
  if (checked?.ok === false) throw new UsageError(checked.message);
  return {
    source: {
      provider: "anthropic",
      // A server of one's own needs no key, but the client wants to send one.
      ...(apiKey === undefined && authToken === undefined ? { apiKey: "none" } : {}),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(authToken === undefined ? {} : { authToken }),
      ...(checked === undefined ? {} : { baseURL: checked.url }),
    },
    ...(model === undefined ? {} : { model }),
  };
}

/** Whether a real model is wanted and there is nothing to open its door with: what apiKeyHelper is for. */
export function lacksKey(asked: AskedModel, env: Env): boolean {
  const model = asked.model ?? set(env, "ANTHROPIC_MODEL") ?? asked.settingsModel;
  if (asked.offline || model === "offline") return false;
  return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].every((name) => set(env, name) === undefined);
}

function offlineNote(model: string | undefined): string {
  const instead = model === undefined ? "" : ` instead of ${model}`;
  return `No ANTHROPIC_API_KEY is set, so Troupe uses its embedded offline model${instead}, which searches and cites but does not reason; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, to use a real one.`;
}

/** Empty counts as not set, as in every shell script. */
function set(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function credential(env: Env, name: string): string | undefined {
  const value = set(env, name);
  if (value !== undefined && !/^[!-~]+$/.test(value)) {
    throw new UsageError(
      `${name} contains a space, a line break or another character no key has; set it again.`,
    );
  }
  return value;
}
