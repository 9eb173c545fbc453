import type { Journal } from "../journal/journal.ts";
import type { Access, AfterAnswer, Call, CallResult, Turn, Verdict } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import { judge, type Permissions } from "../policy/gate.ts";
import type { Processes } from "../processes/processes.ts";
import { find, notRun } from "../tools/dispatch.ts";
import type { ReadyCall } from "../tools/sealed.ts";
import type { CallContext } from "../tools/tool.ts";
import type { ActorRecord } from "./actor-record.ts";
import type { Background } from "./background.ts";
import type { ChildEvent } from "./children.ts";
import type { Commands } from "./commands.ts";
import { whyNoCommand, whyNoSearch } from "./judged-runs.ts";
import type { KnownTool, Toolbox } from "./toolbox.ts";
import type { WriteLedger } from "./write-ledger.ts";

/** What the services of one actor may reach of the session. */
export interface ServiceSide {
  readonly toolbox: Toolbox;
  readonly permissions: Permissions;
  readonly journal: Journal;
  readonly processes: Processes;
  readonly commands: Commands;
  readonly background: Pick<Background, "start">;
  readonly writes: WriteLedger;
  /** Aborted when the actor has ended. */
  readonly signal: AbortSignal;
  /** False once the actor has a newer thread: what the old one still asks is refused. */
  isCurrent(): boolean;
  advance(event: ChildEvent): void;
  changed(): void;
  denied(call: Call): void;
  /** An agent that has answered is kept for what it runs in the background: whether it is to go on. */
  goesOn(): Promise<boolean>;
}

const NOT_RUN = String(notRun.content);

/**
 * The supervisor's answers to one actor. An agent's thread decides nothing: each of its calls passes here
 * before it runs, and each of its turns is durable before it goes on.
 */
export function agentServices(actor: ActorRecord, side: ServiceSide): Services {
  const { journal, toolbox } = side;
  const current = () => {
    if (!side.isCurrent())
      throw new Error("This agent goes on in another thread; the old one is not answered.");
  };
  const alive = () => {
    current();
    side.advance({ type: "alive" });
  };

  /** The letter that stops an agent travels on another lane, so its next call may come first. */
  const isStopped = () => actor.child.state === "cancelling" || actor.child.state === "ended";

  /** A thread is not believed in what it was given: only what its spec offers exists for it. */
  const offered = (name: string) => {
    const offer = find(actor.spec.tools, name);
    return offer && toolbox.find(offer.name);
  };

  const after = (call: Call["id"], isError: boolean): AfterAnswer => {
    journal.note({ type: "after", actor: actor.id, call, isError });
    side.writes.release(call, actor.id, !isError);
    actor.calls.delete(call);
    side.changed();
    return {};
  };

  const gated = async (tool: KnownTool, call: Call, accesses: readonly Access[]): Promise<Verdict> => {
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
    // Judging and the disk take time, in which the agent may have been stopped.
    if (verdict.type === "refuse" || !isStopped()) return verdict;
    after(call.id, true);
    return { type: "refuse", reason: NOT_RUN };
  };

  /** Only a call that was judged, and of a tool that may execute, has a shell; and only for what was judged. */
  const mustRun = (request: { call: Call["id"]; command: string; cwd: string }) => {
    const running = actor.calls.get(request.call);
    if (running === undefined || toolbox.find(running.tool)?.level !== "execute")
      throw new Error(`The call ${request.call} may not run a command.`);
    const other = whyNoCommand(request, running, actor.spec.root);
    if (other !== null) throw new Error(`The call ${request.call} asked for ${other}.`);
  };

  const isRunning = (call: string) => [...actor.calls.keys()].some((id) => id === call);

  const busyWith = ({ id, input }: Call, tool: KnownTool, title: string, cwd: string) => {
    // In the tree a path need not say where everybody is.
    const shown = title.replaceAll(`${actor.spec.root}/`, "");
    actor.calls.set(id, { tool: tool.offer.name, title: shown, input, cwd });
    side.changed();
  };

  /** Two calls that write the same file come one after the other, and the later one is told of the earlier. */
  const turnToWrite = async (id: Call["id"], accesses: readonly Access[]): Promise<Verdict> => {
    const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
    if (targets.length === 0) return { type: "go" };
    const writer = { actor: actor.id, description: actor.spec.description };
    const lastWriters = await side.writes.hold(id, writer, targets, side.signal);
    if (lastWriters !== null) return { type: "go", lastWriters };
    after(id, true);
    return { type: "refuse", reason: NOT_RUN };
  };

  const callHere = async (
    call: Call,
    tool: KnownTool,
    ready: ReadyCall<CallContext>,
  ): Promise<CallResult> => {
    const cwd = actor.turns.at(-1)?.cwd ?? actor.spec.root;
    const verdict = await gated(tool, call, [...ready.accesses(cwd)]);
    if (verdict.type === "refuse") return { content: verdict.reason, isError: true };
    busyWith(call, tool, ready.title, cwd);
    let isError = true;
    try {
      const result = await ready.call({ call: call.id, actor: actor.id, cwd, signal: side.signal });
      isError = result.isError;
      return result;
    } finally {
      after(call.id, isError);
    }
  };

  /** A turn is taken once, in its order, and before the summary: the conversation is the fold of these. */
  const record = async (turn: Turn): Promise<void> => {
    if (actor.child.state === "ended") throw new Error("This agent has ended; no turn of it is taken.");
    const next = actor.turnsTaken + 1;
    if (turn.turn !== next) throw new Error(`Turn ${turn.turn} came where turn ${next} was due.`);
    await journal.append({ type: "turn", actor: actor.id, turn });
    current();
    actor.take(turn);
  };

  return {
    async before(call) {
      alive();
      if (isStopped()) return { type: "refuse", reason: NOT_RUN };
      const tool = offered(call.tool);
      if (!tool) return { type: "refuse", reason: notOffered(call.tool) };
      const claim = tool.prepare(call.input);
      if (claim.type === "invalid") return { type: "refuse", reason: claim.message };
      const accesses = claim.accesses(call.cwd);
      const verdict = await gated(tool, call, accesses);
      if (verdict.type === "refuse") return verdict;
      busyWith(call, tool, claim.title, call.cwd);
      const turn = await turnToWrite(call.id, accesses);
      return turn.type === "refuse" ? turn : { ...verdict, ...turn };
    },
    async after({ id, isError }) {
      alive();
      return after(id, isError);
    },
    async callTool(call) {
      alive();
      if (isStopped()) return notRun;
      const tool = offered(call.tool);
      if (!tool) return { content: notOffered(call.tool), isError: true };
      if (!tool.here)
        return { content: `${call.tool} does not run on the supervisor's side.`, isError: true };
      const ready = tool.here.prepare(call.input);
      if (ready.type === "invalid") return { content: ready.message, isError: true };
      return callHere(call, tool, ready);
    },
    async turn(turn) {
      alive();
      await record(turn);
      side.changed();
      return { steer: actor.hear() };
    },
    async finish({ turn, summary }) {
      alive();
      if (turn) await record(turn);
      const goesOn = summary.status === "done" || summary.status === "partial";
      if (goesOn && (await side.goesOn())) {
        current();
        actor.goesOnAfter(summary.text);
        return { type: "more", steer: actor.hear() };
      }
      side.advance({ type: "summary", summary: actor.whole(summary) });
      // Closed only when the one summary is durable: an agent that was told so may forget everything.
      await actor.ended;
      return { type: "closed" };
    },
    async run(request) {
      alive();
      const odd = isRunning(request.id) ? whyNoSearch(request) : "a call that is not running";
      if (odd !== null) throw new Error(`It asked for ${odd}.`);
      return side.processes.run({ ...request, owner: actor.id }, side.signal);
    },
    async command(request) {
      alive();
      mustRun(request);
      return side.commands.run(actor.id, request, side.signal);
    },
    async background(request) {
      alive();
      mustRun(request);
      return side.background.start(actor.id, request, side.signal);
    },
  };
}

function notOffered(name: string): string {
  return `This agent has no tool ${JSON.stringify(name)}.`;
}
