import { given } from "../../lib/json.ts";
import { shellWord } from "../../lib/text.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import type { PermissionDenial } from "../../policy/judgement.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { Rule } from "../../settings/permissions.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Evaluation, Joints } from "../../supervisor/joints.ts";
import { notRun } from "../../tools/dispatch.ts";
import { halt } from "../hooks/index.ts";
import type { Gate, Gated } from "./gate.ts";

export interface GateFeatureParts {
  readonly gate: Gate;
  readonly broker: Pick<UserRequestBroker, "withdraw">;
  readonly actors: Pick<Actors, "stop">;
  /** Returns where an actor may write now. */
  scopeOf(actor: Actor): WriteScope;
  /** Returns the rules that hold for this actor alone. */
  lent(actor: Actor): readonly Rule[];
  onDenied(denial: PermissionDenial): void;
}

/**
 * The gate: may a call run? Joints: `evaluateCall` (hooks, rules, the user), `prepareCall` (the rules again, after a
 * wait), `services` (which search results its agent may see), `onEvent`.
 */
export function gateFeature(parts: GateFeatureParts): Joints {
  const { gate, broker, actors } = parts;
  const territoryOf = (actor: Actor) => ({
    ...parts.scopeOf(actor),
    lent: parts.lent(actor),
  });
  return {
    async evaluateCall({ actor, call, tool, cwd, signal }) {
      const scope = territoryOf(actor);
      const gated = await gate.judge({ actor: actor.id, call, tool, cwd, scope }, signal);
      if (gated.type === "refuse") {
        const { toolUse, tool: name, input } = call;
        const { by, rule, grants = [], asked: reason = gated.reason } = gated;
        parts.onDenied({
          ...{ actor: actor.id, tool_name: name, tool_use_id: toolUse, tool_input: input },
          ...{ by, reason, grants },
          ...(rule === undefined ? {} : { rule }),
        });
        if (gated.stop !== undefined) halt(actors, actor.id, gated.stop);
      }
      return evaluationOf(tool.offer.name, gated);
    },
    prepareCall({ actor, tool, running }) {
      const { input, cwd, light, local } = running;
      // A call that runs here has not waited since it was allowed.
      if (!local) return {};
      // Plan mode or a rule may have changed during the wait.
      const same = { tool: tool.offer.name, input, cwd, scope: territoryOf(actor) };
      const now = gate.recheck(same, light !== undefined);
      if (now.type === "deny")
        return { refusal: refusalOf(tool.offer.name, { type: "refuse", by: "rules", reason: now.reason }) };
      const additionalDirs = [...same.scope.additionalDirs];
      const isChanged = additionalDirs.join("\0") !== actor.spec.additionalDirs.join("\0");
      const filtered = tool.level === "read" && gate.filters;
      return { ...(isChanged ? { additionalDirs } : {}), ...(filtered ? { filtered } : {}) };
    },
    services: (actor) => ({
      async hidden({ call, paths }) {
        const running = actor.calls.get(call);
        if (running === undefined) throw new Error(`The call ${call} is not running.`);
        return gate.filterResults(paths, { cwd: running.cwd, scope: territoryOf(actor) });
      },
    }),
    onEvent(event) {
      if (event.type === "released") broker.withdraw(event.id);
    },
  };
}

function evaluationOf(tool: string, gated: Gated): Evaluation {
  const { by, reason, rule, tier } = gated;
  const grounds = { by, reason, ...given({ rule, tier }) };
  if (gated.type === "refuse") return { type: "refuse", ...grounds, refusal: refusalOf(tool, gated) };
  return gated;
}

/** Formats for the agent why a call was denied, and what to do instead. */
export function refusalOf(
  tool: string,
  { by, reason, grants = [], asked }: Extract<Gated, { type: "refuse" }>,
): string {
  const why = sentence(reason === "" ? "no reason was given" : reason);
  switch (by) {
    case "rules":
      return `${tool} was not allowed: ${why} Continue without it, or by another way that is allowed.`;
    case "hook":
      return `${tool} was stopped by a hook of the user: ${why}`;
    case "person":
      return why;
    case "nobody" /* word-ok: as recorded */:
      {
        const way = grants.length === 0 ? "" : ` (--allowed-tools ${shellWord(grants.join(","))})`;
        const cause = asked === undefined ? "" : ` (${withoutStop(asked)})`;
        return `${tool} needs the user's permission${cause}. ${why} Continue without it, or report that it is needed${way}.`;
      }
    case "stop":
      return String(notRun.content);
    default:
      return by satisfies never;
  }
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, "");
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]["”)]*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
