import { boundsIn } from "../context/compaction/compact.ts";
import { charsIn } from "../context/compaction/tokens.ts";
import type { Clock } from "../lib/clock.ts";
import type { ActorSpec, FromAgent } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { ModelClient, ModelEvent } from "../model/client.ts";
import type { Dispatch, OwnTools } from "../tools/dispatch.ts";
import { AgentConversation } from "./agent-state.ts";
import type { CheckData } from "./ending.ts";
import { runAgent } from "./loop.ts";

/** What a host passes to an actor. */
export interface ActorWorld {
  readonly spec: ActorSpec;
  readonly services: Services;
  readonly model: ModelClient;
  /** The agent's own tools; those that need a thread lease one. */
  readonly tools: OwnTools;
  /** Checks an answer that must be data. */
  readonly check: CheckData;
  readonly clock: Clock;
  /** Aborted, with the reason, when the actor must end with a summary. */
  readonly signal: AbortSignal;
  /** Reports to the supervisor where the agent is. Nothing depends on it. */
  report(report: FromAgent): void;
}

/** Runs one agent from its spec to its summary. Rejects only when the supervisor is gone. */
export async function runActor(world: ActorWorld): Promise<void> {
  const { spec, services, model, tools, check, clock, signal, report } = world;
  const state = new AgentConversation(spec);
  const onProgress = ({ turns, usage, said }: AgentConversation) =>
    report({ type: "progress", turn: turns, usage, text: said.slice(-2000) });
  onProgress(state);
  const dispatch: Dispatch = {
    get offered() {
      return state.offered;
    },
    ...{ own: tools, services, signal },
    moved: (place) => state.move(place),
    context: (call) => ({
      call,
      actor: spec.id,
      cwd: state.cwd,
      root: state.root,
      additionalDirs: spec.additionalDirs,
      resultChars: charsIn(boundsIn(state).result),
      ...(spec.fileRules ? { fileRules: spec.fileRules } : {}),
      ...(spec.commandLimits ? { commandLimits: spec.commandLimits } : {}),
      signal,
      reads: state.reads,
      lastWriters: [],
      todo: state.todo,
      clock,
      deferred: state.offered.filter((tool) => tool.deferred),
      // By default, unless the decision says otherwise.
      hidden: async () => new Set(),
      run: (request) => services.run({ ...request, owner: spec.id }),
      command: services.command,
      background: services.background,
      ran: (command, exitCode) => void state.commands.push({ command, exitCode }),
      changeDirectory(path) {
        state.cwd = path;
      },
    }),
  };
  const onModelEvent = (event: ModelEvent) => {
    switch (event.type) {
      case "text":
      case "thinking":
        return report({ ...event, turn: state.turns + 1 });
      case "call-begins":
        return report(event);
      case "waiting":
      case "paused":
      case "unpaused":
        return; // the gateway tells the supervisor itself, for all agents
      default:
        event satisfies never;
    }
  };
  await runAgent(state, { model, services, dispatch, check, signal, onModelEvent, onProgress });
}
