import type { Access, Verdict } from "../mailbox/messages.ts";
import { isInside } from "./containment.ts";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "dontAsk";

export interface Permissions {
  readonly mode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  /** The workspace: reading inside it needs no question. */
  readonly folders: readonly string[];
}

export interface GatedCall {
  /** The tool's name and its other names. */
  readonly names: readonly string[];
  readonly level: "read" | "write" | "execute" | "network";
  readonly accesses: readonly Access[];
}

/**
 * Whether a call may run. The first, narrow form of the gate: there is nobody to ask yet, so what would be
 * a question is a refusal that says how to allow it. Rules with a specifier are read wide where they deny
 * and not at all where they allow; the permission engine replaces this file's judgement, not its place.
 */
export async function judge(permissions: Permissions, call: GatedCall): Promise<Verdict> {
  const [name = "This tool"] = call.names;
  const denied = permissions.disallowedTools.find((rule) => call.names.includes(toolOf(rule)));
  if (denied !== undefined)
    return refuse(`${name} is not allowed in this session (rule ${denied}). Go on without it.`);
  if (permissions.mode === "bypassPermissions") return { type: "go" };
  if (call.names.some((known) => permissions.allowedTools.includes(known))) return { type: "go" };
  if (call.level !== "read") {
    return refuse(
      `${name} needs the person's permission, and nobody can be asked here. Go on without it, or report that it is needed (--allowedTools ${name}).`,
    );
  }
  for (const { target } of call.accesses) {
    if (await isInside(target, permissions.folders)) continue;
    return refuse(
      `${target} is outside the workspace (${permissions.folders.join(", ")}), and nobody can be asked here. Go on without it, or report that it is needed (--add-dir).`,
    );
  }
  return { type: "go" };
}

/** Whether the whole tool is switched off, so that it need not be offered at all. */
export function isOffered(permissions: Permissions, names: readonly string[]): boolean {
  return !permissions.disallowedTools.some((rule) => names.includes(rule.replace("(*)", "")));
}

function toolOf(rule: string): string {
  const parenthesis = rule.indexOf("(");
  return parenthesis < 0 ? rule : rule.slice(0, parenthesis);
}

function refuse(reason: string): Verdict {
  return { type: "refuse", reason };
}
