import { charsIn } from "../context/compaction/tokens.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { ActorSpec, FromAgent, ToAgent } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { ModelClient, ModelEvent } from "../model/client.ts";
import type { SealedTool } from "../tools/bind-tool.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import type { AgentCallContext } from "../tools/tool.ts";
import { AgentConversation } from "./agent-state.ts";
import { boundsIn } from "./compaction.ts";
import { runAgent } from "./loop.ts";

/** What a host passes to an actor, in whatever thread it runs. */
export interface ActorWorld {
  readonly spec: ActorSpec;
  readonly services: Services;
  readonly mail: Mailbox<ToAgent, FromAgent>;
  readonly model: ModelClient;
  /** Tools that run in the agent's own thread. */
  readonly tools: readonly SealedTool<AgentCallContext>[];
  readonly clock: Clock;
}

/** Runs one agent from its spec to its summary. Rejects only when the supervisor is gone. */
export async function runActor({ spec, services, mail, model, tools, clock }: ActorWorld): Promise<void> {
  const state = new AgentConversation(spec);
  const stop = new AbortController();
  const wanted = new Set<() => void>();
  mail.onMail((message) => {
    switch (message.type) {
      case "cancel":
        return stop.abort(new Error(message.reason));
      case "yield":
        for (const call of wanted) call();
        return;
      default:
        message satisfies never;
    }
  });
  const report = reporter(mail, clock);
  report.progress(state);
  const dispatch: Dispatch = {
    get offered() {
      return state.offered;
    },
    local: new Map(tools.map((tool) => [tool.name, tool])),
    services,
    signal: stop.signal,
    moved: (place) => state.move(place),
    context: (call) => ({
      call,
      actor: spec.id,
      cwd: state.cwd,
      root: state.root,
      additionalDirs: spec.additionalDirs,
      resultChars: charsIn(boundsIn(spec, state).result),
      ...(spec.fileRules ? { fileRules: spec.fileRules } : {}),
      signal: stop.signal,
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
  try {
    await runAgent(spec, state, {
      model,
      services,
      dispatch,
      signal: stop.signal,
      onModelEvent: report.modelEvent,
      onProgress: report.progress,
      onWanted(call) {
        wanted.add(call);
        return () => void wanted.delete(call);
      },
    });
  } finally {
    report.end();
  }
}

/** At most 20 progress messages a second: they are for users. */
const INTERVAL_MS = 50;

/** Reports to the supervisor where the agent is. Nothing depends on these messages. */
function reporter(mail: Mailbox<ToAgent, FromAgent>, clock: Clock) {
  let pending: FromAgent | undefined;
  let withdraw: (() => void) | undefined;
  let turn = 0;
  const flush = () => {
    withdraw = undefined;
    if (pending === undefined) return;
    mail.send(pending);
    pending = undefined;
    withdraw = clock.after(INTERVAL_MS, flush);
  };
  return {
    progress(state: AgentConversation) {
      turn = state.turns;
      pending = { type: "progress", turn: state.turns, usage: state.usage, text: state.said.slice(-2000) };
      if (withdraw === undefined) flush();
    },
    modelEvent(event: ModelEvent) {
      switch (event.type) {
        case "text":
          return void mail.send({ type: "text", text: event.text, turn });
        case "call-begins":
          return void mail.send({ type: "call-begins", tool: event.tool });
        case "waiting":
          return; // the gateway tells the supervisor itself, for all agents
        default:
          event satisfies never;
      }
    },
    end() {
      withdraw?.();
    },
  };
}
