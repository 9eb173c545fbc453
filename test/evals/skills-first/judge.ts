import type { MessageParam } from "../../../src/index.ts";

/** How a conversation broke the rule that a skill which matches is loaded before anything else. */
export type Violation =
  /** Another tool was called before it. */
  | { readonly how: "tool-first"; readonly tool: string }
  /** Another skill was loaded before it; null: the call named none. */
  | { readonly how: "other-skill-first"; readonly loaded: string | null }
  /** The answer was given before it, or without it. */
  | { readonly how: "answer-first" }
  /** None matches, and one was loaded. */
  | { readonly how: "skill-for-nothing"; readonly loaded: string | null };

export type Judgement =
  | { readonly type: "kept" }
  | { readonly type: "violated"; readonly violation: Violation }
  /** It ended before anything could be told. */
  | { readonly type: "open" };

/**
 * Judges one conversation by its messages alone. `wanted`: the skill that matches its prompt, or null. Words beside a
 * call are no answer: a model may say what it is about to do.
 */
export function judge(wanted: string | null, messages: readonly MessageParam[]): Judgement {
  const steps = messages.flatMap(stepsOf);
  if (wanted === null) {
    const loading = steps.find((step) => step.type === "skill");
    if (loading) return violated({ how: "skill-for-nothing", loaded: loading.name });
    return steps.at(-1)?.type === "answer" ? { type: "kept" } : { type: "open" };
  }
  const [first] = steps;
  switch (first?.type) {
    case undefined:
      return { type: "open" };
    case "answer":
      return violated({ how: "answer-first" });
    case "tool":
      return violated({ how: "tool-first", tool: first.name });
    case "skill":
      if (first.name === wanted) return { type: "kept" };
      return violated({ how: "other-skill-first", loaded: first.name });
    default:
      return first satisfies never;
  }
}

type Step =
  | { readonly type: "tool"; readonly name: string }
  | { readonly type: "skill"; readonly name: string | null }
  | { readonly type: "answer" };

/** What the model did with one reply, in its order. */
function stepsOf({ role, content }: MessageParam): Step[] {
  if (role !== "assistant") return [];
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const calls = blocks.flatMap((block): Step[] => {
    if (block.type !== "tool_use") return [];
    const { name, input } = block;
    return [name === "Skill" ? { type: "skill", name: skillIn(input) } : { type: "tool", name }];
  });
  if (calls.length > 0) return calls;
  const says = blocks.some((block) => block.type === "text" && block.text.trim() !== "");
  return says ? [{ type: "answer" }] : [];
}

/** As Skill itself takes it: with or without a slash. */
function skillIn(input: unknown): string | null {
  if (typeof input !== "object" || input === null || !("skill" in input)) return null;
  return typeof input.skill === "string" ? input.skill.trim().replace(/^\//, "") : null;
}

function violated(violation: Violation): Judgement {
  return { type: "violated", violation };
}
