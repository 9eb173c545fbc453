import { noUsage } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import { noReceipts } from "../mailbox/turns.ts";
import type { HookCaller } from "../policy/hooks/results.ts";
import type { HookRunner } from "../policy/hooks/runner.ts";
import type { AgentResult } from "./options.ts";

/** A prompt as hooks leave it: its text with what they add, or no turn at all. */
export type Submitted =
  | { readonly type: "go"; readonly text: string }
  | { readonly type: "blocked"; readonly reason: string };

type PromptHooks = Pick<HookRunner, "has" | "sessionStart" | "userPromptSubmit">;

/** Whether any hook has a say in prompts: where none has, a prompt begins at once. */
export function isHeard(hooks: PromptHooks): boolean {
  return hooks.has("SessionStart", ["startup"]) || hooks.has("UserPromptSubmit");
}

/** What hooks make of a prompt (A5.9, A5.11). `first`: nothing was said in this session before. */
export async function submitted(
  text: string,
  hooks: PromptHooks,
  caller: HookCaller,
  { first, signal }: { readonly first: boolean; readonly signal: AbortSignal },
): Promise<Submitted> {
  const started = first ? await hooks.sessionStart("startup", caller, signal) : {};
  const said = await hooks.userPromptSubmit(text, caller, signal);
  if (said.type === "blocked") return said;
  const parts = [started.context, said.prompt ?? text, said.context];
  return { type: "go", text: parts.filter((part) => part !== undefined && part !== "").join("\n\n") };
}

/** No turn was begun, so the conversation stays as it was. */
export function blockedPrompt(reason: string): AgentResult {
  const summary = {
    status: "failed",
    ...{ text: "", turns: 0, usage: noUsage, receipts: noReceipts },
    reason: `A hook stopped the prompt: ${reason || "it gave no reason."}`,
  } as const;
  return { id: MAIN, type: "main", description: "main conversation", summary, durationMs: 0 };
}
