import type { SkillCase } from "./cases.ts";
import { type Asked, converse } from "./conversation.ts";
import { judge, type Violation } from "./judge.ts";

export interface Violated {
  readonly case: string;
  readonly wanted: string | null;
  readonly violation: Violation;
}

export interface Evaluation {
  /** Conversations that could be judged. */
  readonly judged: number;
  readonly violations: readonly Violated[];
  /** Conversations that ended before anything could be told. After one without any reply none was begun. */
  readonly open: readonly { readonly case: string; readonly reason: string }[];
}

/** One conversation for each case, one after the other, as a server with narrow limits wants it. */
export async function evaluate(
  cases: readonly SkillCase[],
  asked: Asked,
  onViolation: (violated: Violated) => void = () => {},
): Promise<Evaluation> {
  const violations: Violated[] = [];
  const open: { case: string; reason: string }[] = [];
  let judged = 0;
  for (const { name, prompt, skill } of cases) {
    const { messages, replies, reason } = await converse(prompt, asked);
    const judgement = judge(skill, messages);
    switch (judgement.type) {
      case "kept":
        judged += 1;
        break;
      case "violated": {
        const violated = { case: name, wanted: skill, violation: judgement.violation };
        judged += 1;
        violations.push(violated);
        onViolation(violated);
        break;
      }
      case "open":
        open.push({ case: name, reason: reason ?? "The model said nothing." });
        break;
      default:
        judgement satisfies never;
    }
    if (replies === 0) break;
  }
  return { judged, violations, open };
}

/** One violation as a line for a person. */
export function lineOf({ case: name, wanted, violation }: Violated): string {
  return `violated: ${name}: ${clauseOf(violation, wanted)}`;
}

function clauseOf(violation: Violation, wanted: string | null): string {
  switch (violation.how) {
    case "tool-first":
      return `${violation.tool} was called before the skill ${wanted}`;
    case "other-skill-first":
      return `${named(violation.loaded)} was called before the skill ${wanted}`;
    case "answer-first":
      return `it was answered before the skill ${wanted} was called`;
    case "skill-for-nothing":
      return `${named(violation.loaded)} was called, and none matches`;
    default:
      return violation satisfies never;
  }
}

function named(skill: string | null): string {
  return skill === null ? "Skill without a name" : `the skill ${skill}`;
}
