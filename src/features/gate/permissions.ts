import { homedir } from "node:os";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import { confinement } from "../../policy/confinement/confinement.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import { engineOf, type PolicyEngine } from "../../policy/engine/engine.ts";
import { type Anchors, bothOf, isIn } from "../../policy/engine/place.ts";
import { allowedByMode, PRIMARY } from "../../policy/engine/tool-table.ts";
import { isToolDenied } from "../../policy/gate.ts";
import type { HookRunner } from "../../policy/hooks/runner.ts";
import { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { Shell } from "../../processes/platform-shell.ts";
import type { SupervisorOptions } from "../../session/options.ts";
import type { Toolbox } from "../../supervisor/toolbox.ts";
import type { Actors } from "../background/background-service.ts";
import { hookCaller } from "../hooks/session-hooks.ts";
import { type Mode, modeFrom } from "../plan-mode/plan-mode.ts";
import { type SessionAsks, sessionAsks } from "./asking.ts";
import { type TrackedParts, trackedLookUp } from "./ever-tracked.ts";
import { Gate, type GateParts, type SandboxState } from "./gate.ts";
import { rulesFrom, SessionRules } from "./session-rules.ts";

export interface PermissionParts {
  readonly options: Pick<
    SupervisorOptions,
    | "rules"
    | "askEveryCommand"
    | "allowedTools"
    | "disallowedTools"
    | "permissionMode"
    | "person"
    | "whyNotMode"
    | "foreignGit"
  >;
  /** The workspace, the session's own folder first. */
  readonly folders: readonly string[];
  /** Folders of ours that may be read besides. */
  readonly readable: readonly string[];
  readonly hooks: HookRunner;
  /** The file of the plan that is being made. */
  readonly planFile: () => string;
  readonly sandbox: SandboxState;
  /** What commands are run by. */
  readonly shell: Shell["kind"];
  readonly actors: Actors;
  /** The process that runs git; absent: nothing is known of histories. */
  readonly tracked?: Pick<TrackedParts, "worktrees" | "clock">;
  readonly onWarning: (message: string) => void;
}

/** What decides in a session: its mode, its rules, the person, and the gate that asks all of them. */
export interface Permissions {
  readonly mode: Mode;
  readonly rules: SessionRules;
  readonly broker: UserRequestBroker;
  readonly asks: SessionAsks;
  /** Whether a tool is forbidden altogether or could only refuse, and so is not offered. */
  isOff(names: readonly string[]): boolean;
  /** True if a rule allows WebFetch for this very host or address. */
  namesHost(host: string): boolean;
  /** The gate over these tools. */
  gate(toolbox: Toolbox): Gate;
}

/** Tools that could only refuse if no user can be asked. */
const NEEDS_USER: readonly string[] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

export function sessionPermissions(parts: PermissionParts): Permissions {
  const { options, hooks, sandbox, actors, tracked } = parts;
  const rules = new SessionRules(options.rules ?? [], [
    ...rulesFrom(options.allowedTools ?? [], "allow", "cli"),
    ...rulesFrom(options.disallowedTools ?? [], "deny", "cli"),
  ]);
  let gate: Gate | null = null;
  const broker = new UserRequestBroker({
    person: options.person
      ? notifying(options.person, hooks, {
          caller: (actor, cwd) => caller(actor, cwd),
          folders: parts.folders,
        })
      : null,
    onGrant: (texts) => rules.grant(texts),
    recheck: (question) => gate?.recheck(question) ?? { type: "ask" },
    onLate: (ask) =>
      parts.onWarning(
        `An answer came too late and changed nothing: ${"title" in ask ? ask.title : ask.type}.`,
      ),
  });
  const initial = options.permissionMode ?? "default";
  const mode = modeFrom(initial, () => void broker.changed(), options.whyNotMode);
  const asks = sessionAsks(broker, actors);
  const engine = enginesFor(rules, parts);
  const caller = hookCaller(actors, () => mode.current());
  const gateParts: Omit<GateParts, "toolbox"> = {
    mode: () => mode.current(),
    planFile: parts.planFile,
    ...{ engine, confinement: confinement(homedir()) },
    hooks,
    asks,
    rules: ({ lent = [] }) => [...rules.all, ...lent],
    denied: (call) => broker.denied(call),
    deniesAny: () => rules.all.some(({ behaviour }) => behaviour === "deny"),
    sandbox,
    asksEveryCommand: options.askEveryCommand ?? false,
    ...(tracked === undefined
      ? {}
      : {
          lookUpTracked: trackedLookUp({
            ...{ ...tracked, foreignGit: options.foreignGit ?? (() => null) },
            rules: ({ lent = [] }) => [...rules.all, ...lent],
          }),
        }),
    foreignGit: options.foreignGit ?? (() => null),
    caller,
  };
  // At the start, where a person still looks.
  const [root = "/", ...additionalDirs] = parts.folders;
  engine({ root, additionalDirs, tree: null });
  return {
    ...{ mode, rules, broker, asks },
    isOff: (names) =>
      isToolDenied(rules.all, names) || (!asks.hasPerson && names.some((name) => NEEDS_USER.includes(name))),
    namesHost: (host) => engine({ root, additionalDirs, tree: null }).namesHost(host),
    gate(toolbox) {
      for (const text of options.disallowedTools ?? []) {
        if (isMistyped(text, toolbox.known))
          parts.onWarning(
            `The rule ${text} forbids nothing, because there is no such tool; check its spelling.`,
          );
      }
      gate = new Gate({ ...gateParts, toolbox });
      return gate;
    },
  };
}

/** A name that no tool has, also none that is still to come by its server or its issue. */
function isMistyped(text: string, known: ReadonlySet<string>): boolean {
  const name = text.replace(/\(.*/s, "").trim();
  if (name.startsWith("mcp__") || name.includes("*") || known.has(name)) return false;
  return !Object.hasOwn(PRIMARY, name) && !allowedByMode(name, {}, "default");
}

/** Engines that are kept: one for each place that somebody works in. */
const MOST_ENGINES = 64;

/** Made anew only where rules have changed, and for each place. What is wrong with a rule is said once. */
function enginesFor(
  rules: SessionRules,
  { folders, readable, shell, onWarning }: PermissionParts,
): (territory: WriteScope) => PolicyEngine {
  const told = new Set<string>();
  const made = new Map<string, PolicyEngine>();
  let of: SessionRules["all"] | null = null;
  return (territory) => {
    if (of !== rules.all || made.size >= MOST_ENGINES) made.clear();
    of = rules.all;
    const { root, additionalDirs, tree, lent = [] } = territory;
    const key = JSON.stringify([root, additionalDirs, tree?.path, lent.map(({ text }) => text)]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const engine = engineOf([...of, ...lent], { ...anchorsOf(territory, folders, readable), shell });
    made.set(key, engine);
    for (const problem of engine.problems) {
      if (!told.has(problem)) onWarning(problem);
      told.add(problem);
    }
    return engine;
  };
}

/**
 * An actor in a tree has that for its project and its workspace. The session's own folders are no workspace to it: what
 * is not in its tree, such as ignored files of the checkout, it may read there (see `confinement` for what is).
 */
function anchorsOf(
  { root, additionalDirs, tree }: WriteScope,
  folders: readonly string[],
  readable: readonly string[],
): Anchors {
  const common = { projectRoot: root, home: homedir(), platform: process.platform };
  if (tree === null) return { ...common, additionalDirs, readable };
  const inTree = (folder: string) => isIn(bothOf(tree.path), folder);
  return {
    ...common,
    additionalDirs: additionalDirs.filter(inTree),
    readable: [...readable, ...folders, ...additionalDirs.filter((folder) => !inTree(folder))],
    twin: { tree: tree.path, checkout: tree.checkout },
  };
}

/** Notification hooks hear of each question before the person does. */
function notifying(
  person: NonNullable<SupervisorOptions["person"]>,
  hooks: Pick<HookRunner, "has" | "notification">,
  { caller, folders }: Pick<GateParts, "caller"> & Pick<PermissionParts, "folders">,
): NonNullable<SupervisorOptions["person"]> {
  return {
    ask(ask, signal) {
      const kind = ask.type === "permission" ? "permission_prompt" : "elicitation_dialog";
      if (hooks.has("Notification", [kind])) {
        const actor: ActorId = ask.askers[0]?.actor ?? MAIN;
        const words =
          ask.type === "permission" ? `${ask.tool}: ${ask.title}` : "A question waits for an answer.";
        void hooks.notification(kind, words, caller(actor, folders[0] ?? "/"), signal);
      }
      return person.ask(ask, signal);
    },
  };
}
