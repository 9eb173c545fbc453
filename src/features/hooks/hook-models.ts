import type { AgentDefinition } from "../../context/agents/definition.ts";
import { textOf } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { ModelOutcome, ModelRequest } from "../../model/client.ts";
import type { HookAnswer, HookModels, HookQuestion } from "../../policy/hooks/model-hook.ts";
import { HOOK_AGENT } from "../../policy/hooks/parse-hooks.ts";

/** Turns that an agent of a hook may take. */
const MAX_TURNS = 50;
/** A model that thinks first needs some of them for that. */
const ANSWER_TOKENS = 8_000;
const READ_TOOLS = ["Read", "Grep", "Glob"];

/** Asks the small model, or the named one, on behalf of an actor, which is charged. */
export type AskModel = (
  actor: ActorId,
  request: Omit<ModelRequest, "actor" | "model"> & { readonly model?: string },
  signal: AbortSignal,
) => Promise<ModelOutcome>;

/** Starts an agent on behalf of an actor, in the ordinary way. Resolves with its summary. */
export type RunAgent = (
  actor: ActorId,
  definition: AgentDefinition,
  asked: { readonly prompt: string; readonly description: string; readonly model: string | undefined },
  signal: AbortSignal,
) => Promise<Summary>;

export interface HookModelOptions {
  readonly source: { readonly provider: "anthropic" | "openai" | "offline" | "client" };
  readonly smallModel?: string;
}

/** Returns the models of a session for its hooks; null if it has only the offline one. */
export function hookModels(
  { source, smallModel }: HookModelOptions,
  ask: AskModel,
  runAgent: RunAgent,
): HookModels | null {
  if (source.provider === "offline") return null;
  return {
    async ask({ actor, model, system, prompt }, signal): Promise<HookAnswer> {
      const outcome = await ask(
        actor,
        {
          ...{ system: [system], tools: [], maxTokens: ANSWER_TOKENS },
          messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
          ...(model === undefined ? {} : { model }),
        },
        signal,
      );
      return outcome.type === "failure"
        ? { type: "none", why: `has no answer: ${outcome.failure.message}` }
        : { type: "reply", text: textOf(outcome.reply.content) };
    },
    async check({ actor, event, model = smallModel, system, prompt }: HookQuestion, signal) {
      const definition: AgentDefinition = {
        ...{ name: HOOK_AGENT, whenToUse: "", prompt: system, tools: READ_TOOLS },
        ...{ maxTurns: MAX_TURNS, memory: false },
      };
      const summary = await runAgent(
        actor,
        definition,
        { prompt, description: `${event} hook`, model },
        signal,
      );
      if (summary.status === "done") return { type: "reply", text: summary.text };
      return {
        type: "none",
        why: `has no answer: its agent ended ${summary.status}${summary.reason ? ` (${summary.reason})` : ""}`,
      };
    },
  };
}
