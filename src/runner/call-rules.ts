import { homedir } from "node:os";
import type { Gated } from "../features/gate/gate.ts";
import { openGate } from "../features/gate/permissions.ts";
import { SessionRules } from "../features/gate/session-rules.ts";
import { commandSandbox, type SessionSandbox } from "../features/sandbox/index.ts";
import { fleetKeyFile } from "../journal/paths.ts";
import type { Clock } from "../lib/clock.ts";
import type { BeforeCall } from "../mailbox/calls.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { OfferedSpec, RunnerRules } from "../mailbox/runners.ts";
import { AddedDirs, enclosingWorktree, writeScope } from "../policy/confinement/write-scope.ts";
import { denyingFiles } from "../policy/sandbox/denied-paths.ts";
import { sandboxRules } from "../policy/sandbox/patterns.ts";
import { defaultSandboxSettings, type SandboxSettings } from "../policy/sandbox/sandbox.ts";
import { foreignGitClause, gitGrants } from "../policy/trust/foreign-git.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import type { KnownTool, Toolbox } from "../tools/toolbox.ts";
import type { AttemptGit } from "./attempt-files.ts";

export interface CallRulesParts {
  readonly offer: OfferedSpec;
  readonly toolbox: Toolbox;
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  /** Troupe's directory on this machine. */
  readonly home: string;
  readonly git: AttemptGit | null;
  /** Where outputs of the agent's commands are. */
  readonly outputs: string;
  /** What this machine's user set. */
  readonly sandbox: Partial<SandboxSettings>;
  readonly onWarning: (message: string) => void;
}

/** `mustAsk`: this machine asks the user, which the session does. */
type MustAsk = NonNullable<BeforeCall["mustAsk"]>;

export type Evaluated =
  | Extract<Gated, { type: "refuse" }>
  | (Extract<Gated, { type: "go" }> & { readonly mustAsk?: MustAsk });

/** The session's rules, as this machine evaluates them on its own disk. */
export interface CallRules {
  evaluate(call: BeforeCall, tool: KnownTool, signal: AbortSignal): Promise<Evaluated>;
  /** Evaluates an allowed call again. Returns why it is now forbidden, or null. */
  recheck(tool: string, input: unknown, cwd: string, isConfined: boolean): string | null;
  /** Whether search results must be filtered. */
  readonly filters: boolean;
  filterResults(paths: readonly string[], cwd: string): string[];
  replace(rules: RunnerRules): void;
  readonly sandbox: SessionSandbox;
}

/**
 * Evaluates an agent's calls where its files are: links, other repositories and the sandbox are those of this machine. It can
 * only make a decision stricter, as the session evaluates each call as well.
 */
export function openCallRules(parts: CallRulesParts): CallRules {
  const { offer, toolbox, processes, clock, home, git, outputs, onWarning } = parts;
  const { spec } = offer;
  const actor = { root: spec.root, rootHere: spec.root, spec };
  const added = new AddedDirs(spec.additionalDirs);
  const own = enclosingWorktree(spec.root, spec.isolation, null);
  const tree = own === null || git === null ? own : { ...own, common: git.common };
  const scope = writeScope(actor, tree, added);
  let { mode } = offer.rules;
  const settings = denyingFiles(stricterSandbox(offer.rules.sandbox, parts.sandbox), [fleetKeyFile(home)]);
  const rules = new SessionRules(offer.rules.rules, sandboxRules(settings, homedir(), [spec.root]));
  const options = {
    ...{ cwd: spec.root, sandbox: settings, askEveryCommand: offer.rules.askEveryCommand ?? false },
    foreignGit: (dir: string) => foreignGitClause(gitGrants(dir), false),
  };
  const sandbox = commandSandbox(options, {
    ...{ home, processes, added, onWarning, shown: [] },
    readable: [outputs, ...(git === null ? [] : [git.clone])],
    actors: { find: (id) => (id === spec.id ? actor : undefined) },
    treeAt: () => tree,
  });
  const asked = new Map<CallId, MustAsk>();
  const { gate } = openGate({
    ...{ options, rules, sandbox, toolbox, cwd: spec.root, added, readable: [outputs], onWarning },
    shell: platformShell(process.platform, process.env)?.kind ?? "bash",
    hooks: NO_HOOKS,
    // Plan files are written on the session's machine.
    planFile: () => "/dev/null/plan.md",
    permissions: {
      mode: { current: () => mode },
      broker: { denied: () => null },
      caller: (owner, cwd) => ({ owner, cwd, permissionMode: mode }),
      asks: {
        // The session asks the user; nothing runs before its answer.
        async permission({ reason }, { call, isFinal }) {
          asked.set(call, { reason, isFinal });
          return { type: "allow", grants: [] };
        },
      },
    },
    tracked: { clock, worktrees: { everTracked: () => Promise.reject(new Error("no history here")) } },
  });
  return {
    async evaluate(call, tool, signal) {
      const { id, cwd } = call;
      const gated = await gate.judge({ actor: spec.id, call, tool, cwd, scope }, signal);
      const mustAsk = asked.get(id);
      asked.delete(id);
      return gated.type === "refuse" || mustAsk === undefined ? gated : { ...gated, mustAsk };
    },
    recheck(tool, input, cwd, isConfined) {
      const now = gate.recheck({ tool, input, cwd, scope }, isConfined);
      return now.type === "deny" ? now.reason : null;
    },
    get filters() {
      return gate.filters;
    },
    filterResults: (paths, cwd) => gate.filterResults(paths, { cwd, scope }),
    replace(next) {
      mode = next.mode;
      rules.replaceSettings(next.rules);
    },
    sandbox,
  };
}

/** Hooks that decide are the session's. */
const NO_HOOKS = {
  has: () => false,
  preToolUse: async () => ({ type: "go" }) as const,
  permissionRequest: async () => ({ type: "none" }) as const,
};

const MODES = ["off", "on", "required"] as const;

/** What the session and this machine's user say of the sandbox together: what either forbids is forbidden. */
export function stricterSandbox(
  session: Partial<SandboxSettings> = {},
  own: Partial<SandboxSettings> = {},
): SandboxSettings {
  const there = { ...defaultSandboxSettings, ...session };
  const here = { ...defaultSandboxSettings, ...own };
  const mode = MODES[Math.max(MODES.indexOf(there.mode), MODES.indexOf(here.mode))] ?? "required";
  return {
    ...there,
    mode,
    deniedDomains: [...there.deniedDomains, ...here.deniedDomains],
    denyWrite: [...there.denyWrite, ...here.denyWrite],
    denyRead: [...there.denyRead, ...here.denyRead],
    managedDomainsOnly: there.managedDomainsOnly || here.managedDomainsOnly,
  };
}
