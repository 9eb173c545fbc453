import type { ActorHost, SessionSide } from "../../actors/hosts.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ActorId, SessionId } from "../../mailbox/ids.ts";
import type { LentModel, RunnerHooks, RunnerRules } from "../../mailbox/runners.ts";
import type { GatewayConfig } from "../../model/gateway.ts";
import type { AvailableModels } from "../../model/model-names.ts";
import type { HookCaller } from "../../policy/hooks/hook-results.ts";
import { defaultSandboxSettings, type SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { narrower, type PermissionMode } from "../../settings/permissions.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { UsageMeter } from "../budget/usage-meter.ts";
import type { SessionRules } from "../gate/session-rules.ts";
import type { HeldWorktrees } from "../writers/held-worktrees.ts";
import { type TravelWorktrees, travellingFiles } from "./travelling-files.ts";

/** Runners that are reached through an engine. */
export interface RunnersOptions {
  /** Its address: `redis://…`, `rediss://…`, `postgres://…` or `ssh://HOST`. `TROUPE_ENGINE_PASSWORD` is its password. */
  readonly engine: string;
  /** The pool of agents that name none (default: those run here). */
  readonly pool?: string;
  /** The file with the key of the fleet (default `~/.troupe/fleet-key`). */
  readonly key?: string;
  /** A shell command that runs once in each new worktree on a runner, before its agent starts. */
  readonly setup?: string;
  /**
   * A git repository that the session and its runners reach (`troupe.runners.remote` on their machines), for the first copy of a
   * repository and for files over 64 MiB.
   */
  readonly remote?: string;
  /**
   * Whose credentials runners ask models with: their own (default), or those of the session, lent to each agent while it runs.
   */
  readonly credentials?: "runner" | "lend";
  /** Agents of the session that are on runners, or wait for one, at the same time (default 256). */
  readonly maxAgents?: number;
}

/** Other machines on which agents can run. */
export interface Runners extends Omit<RunnersOptions, "engine"> {
  /** The version of this Troupe. */
  readonly version: string;
  createHost(parts: RunnersHostParts): ActorHost;
}

export interface RunnersHostParts {
  readonly session: SessionId;
  readonly clock: Clock;
  onWarning(message: string): void;
}

export interface RunnersFeatureParts {
  readonly session: SessionId;
  readonly options: {
    readonly runners?: Runners;
    readonly source: GatewayConfig["source"] | { readonly provider: "client" };
    readonly aliases?: Readonly<Record<string, string>>;
    readonly availableModels?: AvailableModels;
    readonly sandbox?: Partial<SandboxSettings>;
    readonly askEveryCommand?: boolean;
  };
  readonly usage: Pick<UsageMeter, "hear">;
  readonly rules: Pick<SessionRules, "withLent">;
  readonly mode: { current(): PermissionMode };
  readonly hooks: { afterCalls(skills: readonly string[]): RunnerHooks[] };
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
  readonly worktrees: TravelWorktrees;
  readonly trees: Pick<HeldWorktrees, "at" | "received" | "merges" | "mergedInto">;
  onWarning(message: string): void;
}

/** Agents on other machines. Joint: `elsewhere` (what they take along, what they cost, by which rules they work). */
export function runnersFeature(parts: RunnersFeatureParts): Joints {
  const { runners } = parts.options;
  if (runners === undefined) return {};
  const lent = runners.credentials === "lend" ? { lent: lentBy(parts.options) } : {};
  const told = new Set<string>();
  /** Each attempt of an agent may find the same. */
  const warn = (sentence: string) => {
    if (!told.has(sentence)) parts.onWarning(sentence);
    told.add(sentence);
  };
  return { elsewhere: (actor) => sideOf(actor, runners, lent, { ...parts, onWarning: warn }) };
}

function sideOf(
  actor: Actor,
  { version, setup, remote }: Runners,
  lent: { readonly lent?: LentModel },
  parts: RunnersFeatureParts,
): SessionSide {
  const { usage, rules, mode, options, hooks, caller, onWarning } = parts;
  return {
    offer: {
      ...{ version, files: actor.spec.isolation?.away ?? null },
      ...(setup === undefined ? {} : { setup }),
      ...lent,
    },
    ...travellingFiles(actor, {
      ...{ ...parts, remote },
      onNote: (note) => onWarning(`The worktree of agent ${actor.id}: ${note}`),
    }),
    paid({ id: _, ...paid }) {
      usage.hear({ type: "usage", actor: actor.id, ...paid });
    },
    rules: (): RunnerRules => ({
      hooks: hooks.afterCalls(caller(actor.id, actor.cwd).skills ?? []),
      mode: narrower(mode.current(), actor.spec.permissionMode),
      rules: rules.withLent().map(({ text, behaviour, scope }) => ({ text, behaviour, scope })),
      sandbox: { ...defaultSandboxSettings, ...options.sandbox },
      ...(options.askEveryCommand ? { askEveryCommand: true } : {}),
    }),
  };
}

/** Throws if it has none that could be lent. */
function lentBy({ source, aliases = {}, availableModels = [] }: RunnersFeatureParts["options"]): LentModel {
  if (source.provider === "client")
    throw new Error(
      "The model client of a program cannot be lent to runners: leave out `credentials`, or name a provider.",
    );
  return { source, aliases: { ...aliases }, availableModels: availableModels.map((list) => [...list]) };
}
