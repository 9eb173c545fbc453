import { textAt } from "../../lib/json.ts";
import type { Access } from "../../mailbox/calls.ts";
import type { Confinement } from "../../policy/confinement/confinement.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import type { PolicyEngine } from "../../policy/engine/engine.ts";
import { fetchTarget, hostPattern } from "../../policy/engine/network-hosts.ts";
import { bothOf } from "../../policy/engine/place.ts";
import { askEveryCommand, type JudgeContext, type Judgement } from "../../policy/judgement.ts";
import type { SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { withForeignGit } from "../../policy/trust/git-calls.ts";
import { type Behaviour, narrower, type PermissionMode } from "../../settings/permissions.ts";
import type { KnownTool } from "../../tools/toolbox.ts";

/** The rules in force. Synchronous and without effects. */
export type Engine = Pick<PolicyEngine, "judge" | "hides">;

/** What decides about a call before anybody is asked. */
export interface JudgeParts {
  mode(): PermissionMode;
  /** Returns the one file that may be written in plan mode. */
  planFile(): string;
  /** Returns the engine for this write scope. */
  engine(scope: WriteScope): Engine;
  /** Keeps an actor in its own worktree. */
  readonly confinement: Confinement;
  readonly sandbox: { readonly settings: SandboxSettings };
  readonly asksEveryCommand: boolean;
  /** Returns what git would run in a directory without trust (see `SupervisorOptions`). */
  foreignGit(folder: string): string | null;
}

/** Where a call is made. */
export interface CallPlace {
  /** The agent's working directory. */
  readonly cwd: string;
  /** Its write scope. */
  readonly scope: WriteScope;
}

export const BASH = "Bash";

/** Decides about a call by its actor's worktree, the rules and the mode. Synchronous and without effects. */
export function judgeCall(
  rules: JudgeParts,
  tool: KnownTool,
  input: unknown,
  where: CallPlace,
  context: JudgeContext = {},
): Judgement {
  const { cwd, scope } = where;
  const outsideTree = treeRefusal(rules, tool, input, where);
  if (outsideTree !== null) return { decision: "deny", reason: outsideTree, parts: [], grants: [] };
  const [engine, mode] = [rules.engine(scope), narrower(rules.mode(), scope.atMost)];
  // A rule may use an older name of the tool.
  const [first, ...others] = tool.names.map((name) => engine.judge(mode, cwd, name, input, context));
  if (first === undefined) throw new Error("a tool without a name");
  const own = others.filter(({ rule }) => rule !== undefined).reduce(stricter, first);
  if (own.decision === "deny" && own.rule === undefined && writesPlan(rules, tool, input, cwd))
    return { decision: "allow", reason: "it writes the plan", tier: "mode", parts: [], grants: [] };
  if (tool.offer.name === BASH) {
    // Without the confinement, which would allow what no rule does.
    const alone = (command: string) =>
      engine.judge(mode, cwd, BASH, { command }, { ...context, enforced: false });
    const command = textAt(input, "command") ?? "";
    const judged = withForeignGit(own, mode, command, alone, () => rules.foreignGit(cwd));
    return rules.asksEveryCommand ? askEveryCommand(judged, mode) : judged;
  }
  if (tool.offer.name === "WebFetch")
    return withManagedDomains(own, textAt(input, "url"), rules.sandbox.settings);
  if (!tool.isCustom || own.rule !== undefined) return own;
  const claim = tool.prepare(input);
  return claim.type === "invalid" ? own : judgeForeign(engine, mode, tool, claim.accesses(cwd), cwd, own);
}

/** Checked before rules and mode, which do not override it (issue 6, point 2). */
function treeRefusal(
  { confinement }: JudgeParts,
  tool: KnownTool,
  input: unknown,
  { cwd, scope }: CallPlace,
): string | null {
  if (scope.tree === null) return null;
  const claim = tool.prepare(input);
  const accesses = claim.type === "invalid" ? [] : claim.accesses(cwd);
  const command = tool.offer.name === BASH ? (textAt(input, "command") ?? "") : null;
  const unknownInput = tool.isCustom || tool.offer.name.startsWith("mcp__") ? input : null;
  return confinement.refuses({ command, accesses, unknownInput, cwd }, scope.tree);
}

function writesPlan(rules: JudgeParts, tool: KnownTool, input: unknown, cwd: string): boolean {
  if (rules.mode() !== "plan" || !(tool.offer.name === "Write" || tool.offer.name === "Edit")) return false;
  const claim = tool.prepare(input);
  const file = bothOf(rules.planFile());
  return claim.type !== "invalid" && claim.accesses(cwd).every(({ target }) => file.includes(target));
}

/** Denies a WebFetch that no rule decided if the organisation lets only its own domains be reached. */
function withManagedDomains(
  judgement: Judgement,
  url: string | null,
  { managedDomainsOnly, allowedDomains }: SandboxSettings,
): Judgement {
  if (!managedDomainsOnly || judgement.rule !== undefined) return judgement;
  const { host } = fetchTarget(url ?? "");
  if (host !== null && allowedDomains.some((domain) => hostPattern(domain)?.matches(host))) return judgement;
  const reason =
    "your organisation's settings (allowManagedDomainsOnly) name all domains that can be reached";
  return { decision: "deny", reason, parts: [], grants: [] };
}

/**
 * Evaluates a library user's own tool, unknown to the engine: by its declared level, and by the paths it declares, as
 * if Read or Write touched them.
 */
function judgeForeign(
  engine: Engine,
  mode: PermissionMode,
  { level, offer }: KnownTool,
  accesses: readonly Access[],
  cwd: string,
  unknown: Judgement,
): Judgement {
  const touched = accesses.flatMap(({ kind, target }): Judgement[] => {
    switch (kind) {
      case "read":
        return [engine.judge(mode, cwd, "Read", { file_path: target })];
      case "write":
        return [engine.judge(mode, cwd, "Write", { file_path: target })];
      case "network":
        return [engine.judge(mode, cwd, "WebFetch", { url: target })];
      case "execute":
        return [];
      default:
        return kind satisfies never;
    }
  });
  const reason = `${offer.name} declares that it only reads`;
  const harmless: Judgement = { decision: "allow", reason, parts: [], grants: [] };
  const edits = mode === "acceptEdits" && level === "write" && touched.length > 0;
  return touched.reduce(stricter, level === "read" || edits ? harmless : unknown);
}

const STRICTNESS: Readonly<Record<Behaviour, number>> = { allow: 0, ask: 1, deny: 2 };

function stricter(one: Judgement, other: Judgement): Judgement {
  return STRICTNESS[other.decision] > STRICTNESS[one.decision] ? other : one;
}
