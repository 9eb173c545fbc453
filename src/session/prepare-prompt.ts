import type { Reference } from "../context/references.ts";
import type { AgentResult } from "../events/agent-result.ts";
import { withHookWords } from "../features/hooks/hook-words.ts";
import type { OpenedServers } from "../features/servers/index.ts";
import type { SessionSkills, TypedPrompt } from "../features/skills/session-skills.ts";
import { noUsage } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import { noReceipts } from "../mailbox/turns.ts";
import type { HookCaller } from "../policy/hooks/hook-results.ts";
import type { HookRunner } from "../policy/hooks/hook-runner.ts";
import type { SupervisorOptions } from "./options.ts";

/** A prompt as hooks leave it: its text with what they add, or no turn at all. */
export type Submitted =
  | {
      readonly type: "go";
      readonly text: string;
      /** What of it may name files. */
      readonly mentions: string;
      /** What comes with it, other than those. */
      readonly attached?: readonly Reference[];
    }
  /** `reason` is a sentence for the user. */
  | { readonly type: "blocked"; readonly reason: string };

type Opened = "startup" | "resume" | "clear";

/** Returns how a session was opened, as its SessionStart hooks read it. */
export function openedBy({ resume, afterClear }: Pick<SupervisorOptions, "resume" | "afterClear">): Opened {
  if (resume !== undefined) return "resume";
  return afterClear ? "clear" : "startup";
}

/** What of a session has a say in prompts. */
export interface PromptParts {
  readonly hooks: PromptHooks;
  readonly caller: (actor: typeof MAIN, cwd: string) => HookCaller;
  readonly options: Pick<SupervisorOptions, "cwd">;
  readonly skills: Pick<SessionSkills, "look" | "typed"> | null;
  /** Their prompts, for a session without skills. */
  readonly servers: Pick<OpenedServers, "prompted">;
}

interface PromptTurn {
  /** How the session was opened, for its first prompt; null for later ones. */
  readonly opened: Opened | null;
  readonly signal: AbortSignal;
}

type PromptHooks = Pick<HookRunner, "has" | "sessionStart" | "userPromptSubmit">;

/** Returns null if it is taken as it is. */
export function preparePrompt(text: string, side: PromptParts, turn: PromptTurn): Promise<Submitted> | null {
  const needsWork = hasHooks(side.hooks, turn) || side.skills !== null || side.servers.prompted !== null;
  return needsWork ? runHooksAndSkills(text, side, turn) : null;
}

/** Whether any hook has a say in prompts. */
function hasHooks(hooks: PromptHooks, { opened }: PromptTurn): boolean {
  return (opened !== null && hooks.has("SessionStart", [opened])) || hooks.has("UserPromptSubmit");
}

/**
 * What hooks make of a prompt (A5.9, A5.11), and then skills (A12.7): a hook sees the line as the user typed it, and
 * what it adds calls no skill.
 */
async function runHooksAndSkills(
  text: string,
  { hooks, caller, options, skills, servers }: PromptParts,
  { opened, signal }: PromptTurn,
): Promise<Submitted> {
  const who = caller(MAIN, options.cwd);
  const started = opened === null ? {} : await hooks.sessionStart(opened, who, signal);
  const said = await hooks.userPromptSubmit(text, who, signal);
  if (said.type === "blocked")
    return { type: "blocked", reason: `A hook stopped the prompt: ${said.reason || "it gave no reason."}` };
  const line = said.prompt ?? text;
  await skills?.look();
  const typed =
    skills === null
      ? ((await servers.prompted?.(line, signal)) ?? plain(line))
      : await skills.typed(line, signal);
  if (typed.type === "refused") return { type: "blocked", reason: typed.reason };
  const { attached = [], mentions } = typed;
  const words = withHookWords(typed.text, [
    { event: "SessionStart", context: started.context },
    { event: "UserPromptSubmit", context: said.context },
  ]);
  // What hooks print may be anybody's text: no name in it fetches a file.
  return { type: "go", text: words, mentions, attached };
}

function plain(line: string): TypedPrompt {
  return { type: "prompt", text: line, mentions: line };
}

/** No turn was begun, so the conversation stays as it was. */
export function blockedPrompt(reason: string): AgentResult {
  const summary = {
    status: "failed",
    ...{ text: "", turns: 0, usage: noUsage, receipts: noReceipts },
    reason,
  } as const;
  return { id: MAIN, type: "main", description: "main conversation", summary, durationMs: 0 };
}
