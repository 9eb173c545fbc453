import type { ActorId } from "../../mailbox/ids.ts";
import type { HookCaller } from "../../policy/hooks/results.ts";
import type { HookRunner } from "../../policy/hooks/runner.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { hasPostToolHooks, runPostToolUse, runStopHooks } from "./tool-hooks.ts";

export interface HookFeatureParts {
  readonly hooks: Pick<HookRunner, "has" | "postToolUse" | "stop" | "subagentStop">;
  readonly actors: Pick<Actors, "stop">;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
}

/**
 * The user's hooks. Joints: `prepareCall` (whether a result is wanted), `afterCall` (PostToolUse), `beforeFinish`
 * (Stop, SubagentStop). The gate runs PreToolUse, the session the hooks of prompts, compaction its own.
 */
export function hooksFeature({ hooks, actors, caller }: HookFeatureParts): Joints {
  /** How many times in a row hooks have made an actor continue in its run. */
  const continued = new Map<ActorId, { readonly run: number; readonly times: number }>();
  return {
    prepareCall: ({ running }) => (hasPostToolHooks(running, hooks) ? { watched: true } : {}),
    async afterCall({ actor, running, result, signal }) {
      if (result === null || !hasPostToolHooks(running, hooks)) return {};
      return runPostToolUse(running, result, {
        ...{ hooks, signal, caller: caller(actor.id, running.cwd) },
        halt: (reason) =>
          actors.stop(actor.id, { status: "cancelled", reason: `A hook ended it: ${reason}` }),
      });
    },
    async beforeFinish({ actor, text, summary, isRestored, signal }) {
      // The hooks of a reply from before a crash have run.
      if (isRestored) return { summary };
      const before = continued.get(actor.id);
      const times = before?.run === actor.run ? before.times : 0;
      const goneOn = { ...caller(actor.id, actor.cwd), goneOn: times, lastText: text };
      const { goOn, append } = await runStopHooks(goneOn, hooks, signal);
      if (goOn !== undefined && !signal.aborted) {
        continued.set(actor.id, { run: actor.run, times: times + 1 });
        return { continueWith: goOn };
      }
      return {
        summary: append === undefined ? summary : { ...summary, text: `${summary.text}\n\n${append}` },
      };
    },
  };
}
