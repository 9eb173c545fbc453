import type { Journal } from "../journal/journal.ts";
import type { AfterAnswer, BeforeCall, Call, CallResult, Verdict } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import { judge, type Permissions } from "../policy/gate.ts";
import type { Processes } from "../processes/processes.ts";
import type { ReadyCall } from "../tools/sealed.ts";
import type { CallContext } from "../tools/tool.ts";
import type { ActorRecord } from "./actor-record.ts";
import type { ChildEvent } from "./children.ts";
import type { KnownTool, Toolbox } from "./toolbox.ts";

/** What the services of one actor may reach of the session. */
export interface ServiceSide {
  readonly toolbox: Toolbox;
  readonly permissions: Permissions;
  readonly journal: Journal;
  readonly processes: Processes;
  /** Aborted when the actor has ended. */
  readonly signal: AbortSignal;
  /** False once the actor has a newer thread: what the old one still asks is refused. */
  isCurrent(): boolean;
  advance(event: ChildEvent): void;
  changed(): void;
  denied(call: Call): void;
}

const NOT_RUN = "Not run: the agent was stopped before this call.";

/**
 * The supervisor's answers to one actor. An agent's thread decides nothing: each of its calls passes here
 * before it runs, and each of its turns is durable before it goes on.
 */
export function agentServices(actor: ActorRecord, side: ServiceSide): Services {
  const { journal, toolbox } = side;
  const alive = () => {
    if (!side.isCurrent())
      throw new Error("This agent goes on in another thread; the old one is not answered.");
    side.advance({ type: "alive" });
  };

  /** The letter that stops an agent travels on another lane, so its next call may come first. */
  const isStopped = () => actor.child.state === "cancelling" || actor.child.state === "ended";

  const gated = async (tool: KnownTool, call: Call, accesses: BeforeCall["accesses"]): Promise<Verdict> => {
    const verdict = await judge(side.permissions, { names: tool.names, level: tool.level, accesses });
    if (verdict.type === "refuse") side.denied(call);
    const record = {
      type: "before",
      actor: actor.id,
      call: call.id,
      tool: tool.offer.name,
      input: call.input,
      decision: verdict.type,
    } as const;
    // A pure read may run again after a crash; anything else is durable before it happens (A22.29).
    if (tool.level === "read" || verdict.type === "refuse") journal.note(record);
    else await journal.append(record);
    return verdict;
  };

  const busyWith = (call: Call["id"], tool: string, title: string) => {
    // In the tree a path need not say where everybody is.
    actor.calls.set(call, { tool, title: title.replaceAll(`${actor.spec.root}/`, "") });
    side.changed();
  };

  const after = (call: Call["id"], isError: boolean): AfterAnswer => {
    journal.note({ type: "after", actor: actor.id, call, isError });
    actor.calls.delete(call);
    side.changed();
    return {};
  };

  const callHere = async (
    call: Call,
    tool: KnownTool,
    ready: ReadyCall<CallContext>,
  ): Promise<CallResult> => {
    const verdict = await gated(tool, call, [...ready.accesses(actor.spec.root)]);
    if (verdict.type === "refuse") return { content: verdict.reason, isError: true };
    busyWith(call.id, tool.offer.name, ready.title);
    const result = await ready.call({
      call: call.id,
      actor: actor.id,
      cwd: actor.turns.at(-1)?.cwd ?? actor.spec.root,
      signal: side.signal,
    });
    after(call.id, result.isError);
    return result;
  };

  return {
    async before(call) {
      alive();
      if (isStopped()) return { type: "refuse", reason: NOT_RUN };
      const tool = toolbox.find(call.tool);
      if (!tool) return { type: "refuse", reason: `There is no tool ${call.tool} in this session.` };
      const verdict = await gated(tool, call, call.accesses);
      if (verdict.type === "go") busyWith(call.id, tool.offer.name, call.title);
      return verdict;
    },
    async after({ id, isError }) {
      alive();
      return after(id, isError);
    },
    async callTool(call) {
      alive();
      if (isStopped()) return { content: NOT_RUN, isError: true };
      const tool = toolbox.find(call.tool);
      if (!tool?.here)
        return { content: `${call.tool} does not run on the supervisor's side.`, isError: true };
      const ready = tool.here.prepare(call.input);
      if (ready.type === "invalid") return { content: ready.message, isError: true };
      return callHere(call, tool, ready);
    },
    async turn(turn) {
      alive();
      await journal.append({ type: "turn", actor: actor.id, turn });
      actor.take(turn);
      side.changed();
      return { steer: actor.steering.splice(0) };
    },
    async finish({ turn, summary }) {
      alive();
      if (turn) {
        await journal.append({ type: "turn", actor: actor.id, turn });
        actor.take(turn);
      }
      const goesOn = summary.status === "done" || summary.status === "partial";
      if (goesOn && actor.steering.length > 0) return { type: "more", steer: actor.steering.splice(0) };
      side.advance({ type: "summary", summary });
      // Closed only when the one summary is durable: an agent that was told so may forget everything.
      await actor.ended;
      return { type: "closed" };
    },
    async run(request) {
      alive();
      return side.processes.run({ ...request, owner: actor.id }, side.signal);
    },
  };
}
