import { askEveryCommand } from "../../policy/every-command.ts";
import { type Hook, hookName } from "../../policy/hooks/hooks.ts";
import type { Judgement } from "../../policy/judgement.ts";
import { sandboxDecision } from "../../policy/sandbox/sandbox-decision.ts";
import { withForeignGit } from "../../policy/trust/git-calls.ts";
import type { Behaviour } from "../../settings/rules.ts";
import type { ActiveRules } from "./active-rules.ts";
import type { AskedCall } from "./call.ts";

/** What would happen to a call, and what else takes part. */
export interface Explanation extends Judgement {
  /** Sentences about the sandbox and hooks, if they take part. */
  readonly besides: readonly string[];
}

const STRICTNESS: Readonly<Record<Behaviour, number>> = { allow: 0, ask: 1, deny: 2 };

/** Decides as the gate of a session does, without hooks, sandbox and user: it only says what they may do. */
export function explain({ tool, names, input }: AskedCall, active: ActiveRules): Explanation {
  const { engine, mode, workspace, foreignGit, confines, asksEveryCommand } = active;
  const [cwd] = workspace;
  // Whether the confinement works shows when the first command runs; here it is assumed.
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
  const sandbox = tool === "Bash" ? sandboxSentence(judgement, input, active) : null;
  return {
    ...judgement,
    besides: [...(sandbox === null ? [] : [sandbox]), ...hookSentences({ names, input }, active)],
  };
}

function sandboxSentence(
  { decision, rule, grants }: Judgement,
  input: AskedCall["input"],
  { sandbox, engine, workspace: [cwd] }: ActiveRules,
): string | null {
  if (sandbox.mode === "off" || decision === "deny") return null;
  const readOnly = engine.judge("plan", cwd, "Bash", input).decision === "allow";
  // Whether the sandbox works shows when a session starts; here it is assumed.
  const decided = sandboxDecision(sandbox, { state: "enforced", reason: "" }, { input, readOnly });
  switch (decided.type) {
    case "allow":
      return decision === "ask" && rule === undefined && grants.length > 0
        ? "The sandbox makes the question unnecessary if it works (troupe.sandbox.autoAllow)."
        : "It runs in the sandbox, which changes nothing about the decision.";
    case "ask":
    case "refuse":
      return `The sandbox: ${decided.reason}`;
    case "silent":
      return sandbox.mode === "required"
        ? "It runs in the sandbox (troupe.sandbox.mode is required); without one it does not run."
        : "It runs in the sandbox if there is one; without one, what does more than read is a question.";
    default:
      return decided satisfies never;
  }
}

function hookSentences(
  { names, input }: Pick<AskedCall, "names" | "input">,
  { hooks, workspace: [cwd] }: ActiveRules,
): string[] {
  const fits = ({ matches, condition }: Hook) =>
    names.some(matches) && (condition?.({ names, input, cwd, root: cwd }) ?? true);
  return hooks
    .filter(fits)
    .map(
      (hook) => `${hookName(hook)} runs first: it may refuse the call, rewrite it, or answer the question.`,
    );
}
