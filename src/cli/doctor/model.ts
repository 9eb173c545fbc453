import { MAIN } from "../../mailbox/ids.ts";
import { aliasesFrom, DEFAULT_MODEL } from "../../model/model-names.ts";
import { openProvider } from "../../model/open-provider.ts";
import type { ModelSource } from "../../session/options.ts";
import type { Settings } from "../../settings/read-settings.ts";
import { shortTime } from "../../terminal/figures.ts";
import type { Arguments } from "../arguments.ts";
import type { ModelChoice } from "../model-choice.ts";
import type { CliIO } from "../process-io.ts";
import { sessionFlags } from "../session-flags.ts";
import { availableModel } from "../session-setup.ts";
import type { DoctorCheck } from "./check.ts";

type Env = Readonly<Record<string, string | undefined>>;
type ModelSettings = Pick<Settings, "aliases" | "availableModels">;

/** Milliseconds for the reply of one token. */
const REPLY_MS = 20_000;
const name = "model";

/** Sends one request for one token to the server that a session would use, if there is one. */
export async function checkModel(
  choice: ModelChoice,
  { args, io, env, settings }: { args: Arguments; io: CliIO; env: Env; settings: ModelSettings },
): Promise<DoctorCheck> {
  const { source, note } = choice;
  const aliases = { ...choice.aliases, ...aliasesFrom(env, settings.aliases) };
  const { availableModels } = settings;
  const given = args.value(sessionFlags.model) ?? choice.model;
  const asked = availableModel(given, choice, { aliases, availableModels }) ?? DEFAULT_MODEL;
  if (source.provider === "offline") {
    const text = "the offline model: it searches and cites, but does not reason";
    if (note === undefined) return { name, state: "ok", text };
    const todo = "Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own.";
    return { name, state: "warning", text: `no key and no server is set, so it is ${text}`, todo };
  }
  const client = source.provider === "client" ? source.client : await openProvider({ source, aliases, env });
  const over = new AbortController();
  const cancel = io.clock.after(REPLY_MS, () => over.abort());
  const since = io.clock.now();
  const outcome = await client.ask(
    {
      ...{ actor: MAIN, model: asked, system: [], tools: [], maxTokens: 1 },
      messages: [{ role: "user", content: "Reply with OK." }],
    },
    () => {},
    over.signal,
  );
  cancel();
  const where = `${hostOf(source)} (${credentialOf(source, env)})`;
  if (outcome.type === "reply")
    return {
      name,
      state: "ok",
      text: `${asked} at ${where} replied in ${shortTime(io.clock.now() - since)}`,
    };
  const { kind, message } = outcome.failure;
  if (over.signal.aborted)
    return {
      ...{ name, state: "wrong", text: `${asked} at ${where} did not reply within ${REPLY_MS / 1_000} s` },
      todo: "Check the address and the network, or choose another model with --model.",
    };
  const isBusy = kind === "rate_limit" || kind === "overloaded";
  return {
    ...{ name, state: isBusy ? "warning" : "wrong", text: message },
    ...(isBusy ? { todo: "Key and address are right; wait, or use another model." } : {}),
  };
}

function hostOf(source: ModelSource): string {
  const address = "baseURL" in source ? source.baseURL : undefined;
  if (address !== undefined) return URL.parse(address)?.host ?? address;
  return source.provider === "openai" ? "api.openai.com" : "api.anthropic.com";
}

/** Returns where the credential comes from, never the credential. */
function credentialOf(source: ModelSource, env: Env): string {
  const key = "apiKey" in source ? source.apiKey : undefined;
  const variable = source.provider === "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
  if (key !== undefined) return env[variable]?.trim() === key ? `key of ${variable}` : "key of apiKeyHelper";
  return "authToken" in source && source.authToken !== undefined
    ? "token of ANTHROPIC_AUTH_TOKEN"
    : "no key is set";
}
