import { valueAt } from "../../lib/json.ts";
import type { SandboxReport, SandboxSettings } from "./sandbox.ts";

/** The sandbox's decision about one command, before rules and the user decide. */
export type SandboxDecision =
  /** No decision: rules, mode and user decide as usual. */
  | { readonly type: "silent" }
  /** It may run without a question, unless a deny or ask rule says otherwise. */
  | { readonly type: "allow" }
  /** Only the user's own yes lets it run, whatever rules and mode allow. */
  | { readonly type: "ask"; readonly reason: string }
  | { readonly type: "refuse"; readonly reason: string };

export interface SandboxedCall {
  /** The call's input, as it came from the model. */
  readonly input: unknown;
  /** True if the permission engine found it to be plainly read-only. */
  readonly readOnly: boolean;
}

/** True if a call of Bash asks to run outside the sandbox (A7.9): any value except an absent or false field. */
export function leavesSandbox(input: unknown): boolean {
  const wish = valueAt(input, ["dangerouslyDisableSandbox"]);
  return wish !== undefined && wish !== false;
}

/**
 * Returns the sandbox's decision. `report` is null if the mode is off. Leaving the sandbox is a question in every
 * permission mode: otherwise a model could switch off what confines it. Without enforcement nothing is allowed without
 * a question.
 */
export function sandboxDecision(
  settings: SandboxSettings,
  report: SandboxReport | null,
  { input, readOnly }: SandboxedCall,
): SandboxDecision {
  if (settings.mode === "off" || report === null) return { type: "silent" };
  if (settings.mode === "required" && leavesSandbox(input))
    return refuse(
      "Commands run in the sandbox only (troupe.sandbox.mode is required), so dangerouslyDisableSandbox is not honoured. Send the command without it.",
    );
  switch (report.state) {
    case "unavailable":
      if (settings.mode === "required")
        return refuse(
          `Commands run in the sandbox only (troupe.sandbox.mode is required), and none is available here. ${report.reason}`,
        );
      if (readOnly && !leavesSandbox(input)) return { type: "silent" };
      return {
        type: "ask",
        reason: `It would run without a sandbox, because none is available here. ${report.reason}`,
      };
    case "partial":
    case "enforced":
      if (leavesSandbox(input))
        return { type: "ask", reason: "It asks to run outside of the sandbox (dangerouslyDisableSandbox)." };
      return report.state === "enforced" && settings.autoAllow ? { type: "allow" } : { type: "silent" };
    default:
      return report.state satisfies never;
  }
}

/**
 * True if an allowed call runs outside the sandbox, given its `sandboxWord`. Passed to what starts commands, so that an
 * unevaluated command never counts as one.
 */
export function runsOutside(
  settings: SandboxSettings,
  report: SandboxReport | null,
  input: unknown,
): boolean {
  switch (settings.mode) {
    case "off":
      return true;
    case "required":
      return false;
    case "on":
      return leavesSandbox(input) || report?.state === "unavailable";
    default:
      return settings.mode satisfies never;
  }
}

function refuse(reason: string): SandboxDecision {
  return { type: "refuse", reason };
}
