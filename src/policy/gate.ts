import type { Access, Verdict } from "../mailbox/messages.ts";
import { isInside, pathsMeant } from "./containment.ts";
import { protectedName } from "./protected-paths.ts";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "dontAsk";

export interface Permissions {
  readonly mode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  /** The workspace: reading inside it needs no question, and in acceptEdits neither does writing. */
  readonly folders: readonly string[];
  /** Ours: what the session's commands wrote. Reading there needs no question either. */
  readonly readable?: readonly string[];
}

export interface GatedCall {
  /** The tool's name and its other names. */
  readonly names: readonly string[];
  readonly level: "read" | "write" | "execute" | "network";
  readonly accesses: readonly Access[];
}

/** The modes in which a tool that writes or runs is offered, as long as nobody can be asked (issue "Hands", 7). */
const ACTING: ReadonlySet<PermissionMode> = new Set(["acceptEdits", "bypassPermissions"]);

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
  const named = call.names.some((known) => permissions.allowedTools.includes(known));
  if (!named && !isAllowedByMode(permissions.mode, call)) {
    return refuse(
      `${name} needs the person's permission, and nobody can be asked here. Go on without it, or report that it is needed (--allowedTools ${name}).`,
    );
  }
  for (const access of call.accesses) {
    const reason = await whyRefused(access, permissions, named);
    if (reason !== null) return refuse(reason);
  }
  return { type: "go" };
}

/** In acceptEdits a tool acts without a question only where it says what it touches. */
function isAllowedByMode(mode: PermissionMode, { level, accesses }: GatedCall): boolean {
  if (level === "read") return true;
  return mode === "acceptEdits" && level !== "network" && accesses.length > 0;
}

async function whyRefused(
  { kind, target }: Access,
  { folders, readable = [] }: Permissions,
  named: boolean,
): Promise<string | null> {
  switch (kind) {
    case "read":
      return named || (await isInside(target, [...folders, ...readable])) ? null : outside(target, folders);
    case "execute":
      return (await isInside(target, folders)) ? null : outside(target, folders);
    case "write": {
      if (!(await isInside(target, folders))) return outside(target, folders);
      const name = (await pathsMeant(target)).map(protectedName).find((found) => found !== null);
      if (name === undefined) return null;
      return `${target} is protected (${name}): what is written there can run commands later, so only the person may change it. Go on without it, or report what should be changed.`;
    }
    case "network":
      return named ? null : `Nobody can be asked here whether ${target} may be reached. Go on without it.`;
    default:
      return kind satisfies never;
  }
}

function outside(target: string, folders: readonly string[]): string {
  return `${target} is outside the workspace (${folders.join(", ")}), and nobody can be asked here. Go on without it, or report that it is needed (--add-dir).`;
}

/** Whether the whole tool is switched off, so that it need not be offered at all. */
export function isOffered(permissions: Permissions, names: readonly string[]): boolean {
  return !permissions.disallowedTools.some((rule) => names.includes(rule.replace("(*)", "")));
}

/** Whether the built-in tools of this level are offered in this mode. A library user's own tools always are. */
export function isOfferedInMode(mode: PermissionMode, level: GatedCall["level"]): boolean {
  return (level !== "write" && level !== "execute") || ACTING.has(mode);
}

function toolOf(rule: string): string {
  const parenthesis = rule.indexOf("(");
  return parenthesis < 0 ? rule : rule.slice(0, parenthesis);
}

function refuse(reason: string): Verdict {
  return { type: "refuse", reason };
}
