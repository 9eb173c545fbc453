import { askEveryCommand } from "../../policy/every-command.ts";
import { nameOf } from "../../policy/hooks/hooks.ts";
import type { Judgement } from "../../policy/judgement.ts";
import { sandboxDecision } from "../../policy/sandbox/sandbox-decision.ts";
import { withForeignGit } from "../../policy/trust/git-calls.ts";
import type { Behaviour } from "../../settings/rules.ts";
import type { ActiveRules } from "./active-rules.ts";
import type { AskedCall } from "./call.ts";

/** What would happen to a call, and what else would have a say. */
export interface Explanation extends Judgement {
  /** Sentences about the sandbox and hooks; empty where neither has a say. */
  readonly besides: readonly string[];
}

const STRICTNESS: Readonly<Record<Behaviour, number>> = { allow: 0, ask: 1, deny: 2 };

/** As the gate of a session decides it, without hooks, sandbox and person: of them it is only said what they may do. */
export function explain({ tool, names, input }: AskedCall, standing: ActiveRules): Explanation {
  const { engine, mode, workspace, foreignGit, confines, asksEveryCommand } = standing;
  const [cwd] = workspace;
  // Whether it holds shows when the first command runs; here it is taken to.
  const context = { enforced: confines };
  const [own, ...others] = names;
  const byRules = others
    .map((name) => engine.judge(mode, cwd, name, input, context))
    .filter(({ rule }) => rule !== undefined)
    .reduce(
      (one, other) => (STRICTNESS[other.decision] > STRICTNESS[one.decision] ? other : one),
      engine.judge(mode, cwd, own, input, context),
    );
  const alone = (command: string) => engine.judge(mode, cwd, "Bash", { command });
  const command = input["command"];
  const withGit =
    tool === "Bash" && typeof command === "string"
      ? withForeignGit(byRules, mode, command, alone, () => foreignGit(cwd))
      : byRules;
  const judgement = tool === "Bash" && asksEveryCommand ? askEveryCommand(withGit, mode) : withGit;
  const sandbox = tool === "Bash" ? sandboxSentence(judgement, input, standing) : null;
  return {
    ...judgement,
    besides: [...(sandbox === null ? [] : [sandbox]), ...hookSentences(names, standing)],
  };
}

function sandboxSentence(
  { decision, rule, grants }: Judgement,
  input: AskedCall["input"],
  { sandbox, engine, workspace: [cwd] }: ActiveRules,
): string | null {
  if (sandbox.mode === "off" || decision === "deny") return null;
  const readOnly = engine.judge("plan", cwd, "Bash", input).decision === "allow";
  // Whether there is one shows when a session starts; here it is taken to hold.
  const word = sandboxDecision(sandbox, { state: "enforced", reason: "" }, { input, readOnly });
  switch (word.type) {
    case "allow":
      return decision === "ask" && rule === undefined && grants.length > 0
        ? "The sandbox spares the question where it holds everything (troupe.sandbox.autoAllow)."
        : "It runs in the sandbox, which changes nothing about the decision.";
    case "ask":
    case "refuse":
      return `The sandbox: ${word.reason}`;
    case "silent":
      return sandbox.mode === "required"
        ? "It runs in the sandbox (troupe.sandbox.mode is required); where there is none, it does not run."
        : "It runs in the sandbox where there is one; where there is none, what does more than read is a question.";
    default:
      return word satisfies never;
  }
}

function hookSentences(names: AskedCall["names"], { hooks }: ActiveRules): string[] {
  return hooks
    .filter(({ matches }) => names.some(matches))
    .map(
      (hook) => `${nameOf(hook)} is asked first: it may refuse the call, rewrite it, or spare a question.`,
    );
}
