import { homedir } from "node:os";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import { AskBroker } from "../policy/ask-broker.ts";
import { engineOf, type PolicyEngine } from "../policy/engine/engine.ts";
import { allowedByMode, PRIMARY } from "../policy/engine/tool-table.ts";
import { isOff } from "../policy/gate.ts";
import type { HookRunner } from "../policy/hooks/runner.ts";
import { type SessionAsks, sessionAsks } from "./asking.ts";
import type { Actors } from "./desk.ts";
import { Gate, type GateParts, type SandboxState } from "./gate.ts";
import type { SupervisorOptions } from "./options.ts";
import { type Mode, modeFrom } from "./plan-mode.ts";
import { hookCaller } from "./session-hooks.ts";
import { rulesFrom, SessionRules } from "./session-rules.ts";
import type { Toolbox } from "./toolbox.ts";

export interface PermissionParts {
  readonly options: Pick<
    SupervisorOptions,
    "rules" | "allowedTools" | "disallowedTools" | "permissionMode" | "person" | "whyNotMode" | "foreignGit"
  >;
  /** The workspace, the session's own folder first. */
  readonly folders: readonly string[];
  /** Folders of ours that may be read besides. */
  readonly readable: readonly string[];
  readonly hooks: HookRunner;
  readonly sandbox: SandboxState;
  readonly actors: Actors;
  readonly onWarning: (message: string) => void;
}

/** What decides in a session: its mode, its rules, the person, and the gate that asks all of them. */
export interface Permissions {
  readonly mode: Mode;
  readonly rules: SessionRules;
  readonly broker: AskBroker;
  readonly asks: SessionAsks;
  /** Whether a tool is forbidden altogether, and so is not offered. */
  isOff(names: readonly string[]): boolean;
  /** The gate over these tools. */
  gate(toolbox: Toolbox): Gate;
}

export function sessionPermissions(parts: PermissionParts): Permissions {
  const { options, hooks, sandbox, actors } = parts;
  const rules = new SessionRules(options.rules ?? [], [
    ...rulesFrom(options.allowedTools ?? [], "allow", "cli"),
    ...rulesFrom(options.disallowedTools ?? [], "deny", "cli"),
  ]);
  let gate: Gate | null = null;
  const broker = new AskBroker({
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
  const engine = engineFor(rules, parts);
  const caller = hookCaller(actors, () => mode.current());
  const gateParts: Omit<GateParts, "toolbox"> = {
    mode: () => mode.current(),
    engine,
    hooks,
    asks,
    denied: (call) => broker.denied(call),
    deniesAny: () => rules.all.some(({ behaviour }) => behaviour === "deny"),
    sandbox,
    foreignGit: options.foreignGit ?? (() => null),
    caller,
  };
  // At the start, where a person still looks.
  engine();
  return {
    ...{ mode, rules, broker, asks },
    isOff: (names) => isOff(rules.all, names),
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

/** Made anew only where rules have changed. What is wrong with a rule is said once. */
function engineFor(
  rules: SessionRules,
  { folders, readable, onWarning }: PermissionParts,
): () => PolicyEngine {
  const [projectRoot = "/", ...additionalDirs] = folders;
  const anchors = { projectRoot, additionalDirs, readable, home: homedir(), platform: process.platform };
  const told = new Set<string>();
  let made: { readonly of: SessionRules["all"]; readonly engine: PolicyEngine } | null = null;
  return () => {
    if (made?.of === rules.all) return made.engine;
    const engine = engineOf(rules.all, anchors);
    made = { of: rules.all, engine };
    for (const problem of engine.problems) {
      if (!told.has(problem)) onWarning(problem);
      told.add(problem);
    }
    return engine;
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
