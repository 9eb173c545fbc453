import type { Journal } from "../journal/journal.ts";
import type { Access, Call, CallResult, Turn, Verdict } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { Processes } from "../processes/processes.ts";
import { appended, find, notRun } from "../tools/dispatch.ts";
import type { InvalidCall, ReadyCall } from "../tools/sealed.ts";
import type { CallContext } from "../tools/tool.ts";
import type { ActorRecord, RunningCall } from "./actor-record.ts";
import type { Background } from "./background.ts";
import type { ChildEvent } from "./children.ts";
import type { Commands } from "./commands.ts";
import type { Gate, Gated } from "./gate.ts";
import { type HookSide, heard, isWatched, stopping } from "./hooked-calls.ts";
import { whyNoCommand, whyNoSearch } from "./judged-runs.ts";
import { refusalOf } from "./refusal.ts";
import type { KnownTool, Toolbox } from "./toolbox.ts";
import type { WriteLedger } from "./write-ledger.ts";

/** What the services of one actor may reach of the session. */
export interface ServiceSide extends HookSide {
  readonly toolbox: Toolbox;
  readonly gate: Pick<Gate, "judge" | "recheck" | "hidden" | "filters">;
  readonly journal: Journal;
  readonly processes: Processes;
  readonly commands: Commands;
  readonly background: Pick<Background, "start">;
  readonly writes: WriteLedger;
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

  const after = (call: Call["id"], isError: boolean): void => {
    journal.note({ type: "after", actor: actor.id, call, isError });
    side.writes.release(call, actor.id, !isError);
    actor.calls.delete(call);
    side.changed();
  };

  const gated = async (tool: KnownTool, call: Call, cwd: string): Promise<Gated> => {
    const judged = await side.gate.judge({ actor: actor.id, call, tool, cwd }, side.signal);
    if (judged.type === "refuse") side.denied(call);
    if (judged.type === "refuse" && judged.stop !== undefined) side.halt(judged.stop);
    const { by, reason, rule } = judged;
    const record = {
      type: "before",
      actor: actor.id,
      call: call.id,
      tool: tool.offer.name,
      input: judged.type === "go" ? judged.input : call.input,
      decision: judged.type,
      ...{ by, reason },
      ...(rule === undefined ? {} : { rule }),
    } as const;
    // A pure read may run again after a crash; anything else is durable before it happens (A22.29).
    if (tool.level === "read" || judged.type === "refuse") journal.note(record);
    else await journal.append(record);
    // Judging and the disk take time, in which the agent may have been stopped.
    if (judged.type === "refuse" || !isStopped()) return judged;
    after(call.id, true);
    return { type: "refuse", by: "stop", reason: "it was stopped before this call" };
  };

  /** Only a call that was judged, and of a tool that may execute, has a shell; and only for what was judged. */
  const mustRun = (request: { call: Call["id"]; command: string; cwd: string }) => {
    const running = actor.calls.get(request.call);
    if (running === undefined || toolbox.find(running.tool)?.level !== "execute")
      throw new Error(`The call ${request.call} may not run a command.`);
    const other = whyNoCommand(request, running, actor.spec.root);
    if (other !== null) throw new Error(`The call ${request.call} asked for ${other}.`);
    return running;
  };

  /** A call may have more than one thing run, each under an id that begins with its own. */
  const isRunning = (run: string) =>
    [...actor.calls.keys()].some((call) => run === call || run.startsWith(`${call}.`));

  const busyWith = (
    { id, toolUse }: Call,
    tool: KnownTool,
    { input, outside, context }: Extract<Gated, { type: "go" }>,
    { title, cwd }: { readonly title: string; readonly cwd: string },
  ) => {
    const [first = tool.offer.name, ...others] = tool.names;
    const hooked = { names: [first, ...others] as const, input, toolUseId: toolUse };
    const running: RunningCall = {
      tool: tool.offer.name,
      // In the tree a path need not say where everybody is.
      title: title.replaceAll(`${actor.spec.root}/`, ""),
      ...{ input, cwd, outside, hooked },
      ...(context === undefined ? {} : { context }),
    };
    actor.calls.set(id, running);
    side.changed();
    return running;
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
    prepare: (input: unknown) => ReadyCall<CallContext> | InvalidCall,
  ): Promise<CallResult> => {
    const cwd = actor.turns.at(-1)?.cwd ?? actor.spec.root;
    const judged = await gated(tool, call, cwd);
    if (judged.type === "refuse") return { content: refusalOf(tool.offer.name, judged), isError: true };
    const ready = prepare(judged.input);
    if (ready.type === "invalid") return { content: ready.message, isError: true };
    const running = busyWith(call, tool, judged, { title: ready.title, cwd });
    let isError = true;
    let result: CallResult;
    try {
      result = await ready.call({ call: call.id, actor: actor.id, cwd, signal: side.signal });
      isError = result.isError;
    } finally {
      after(call.id, isError);
    }
    if (!isWatched(running, side)) return result;
    const { append } = await heard(running, result, side);
    return append === undefined ? result : appended(result, append);
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
      const { cwd } = call;
      const asked = tool.prepare(call.input);
      if (asked.type === "invalid") return { type: "refuse", reason: asked.message };
      const judged = await gated(tool, call, cwd);
      if (judged.type === "refuse") return { type: "refuse", reason: refusalOf(tool.offer.name, judged) };
      const claim = judged.rewritten ? tool.prepare(judged.input) : asked;
      if (claim.type === "invalid") return { type: "refuse", reason: claim.message };
      const running = busyWith(call, tool, judged, { title: claim.title, cwd });
      const turn = await turnToWrite(call.id, claim.accesses(cwd));
      if (turn.type === "refuse") return turn;
      // Waiting takes time, in which plan mode or a rule may have come.
      const now = side.gate.recheck({ tool: tool.offer.name, input: judged.input, cwd });
      if (now.type === "deny") {
        after(call.id, true);
        return {
          type: "refuse",
          reason: refusalOf(tool.offer.name, { type: "refuse", by: "rules", reason: now.reason }),
        };
      }
      return {
        ...turn,
        ...(judged.rewritten ? { input: judged.input } : {}),
        ...(isWatched(running, side) ? { watched: true as const } : {}),
        ...(tool.level === "read" && side.gate.filters ? { filtered: true as const } : {}),
      };
    },
    async after({ id, isError, result }) {
      alive();
      const running = actor.calls.get(id);
      after(id, isError);
      return running && result && isWatched(running, side) ? heard(running, result, side) : {};
    },
    async callTool(call) {
      alive();
      if (isStopped()) return notRun;
      const tool = offered(call.tool);
      if (!tool) return { content: notOffered(call.tool), isError: true };
      if (!tool.here)
        return { content: `${call.tool} does not run on the supervisor's side.`, isError: true };
      const { here } = tool;
      const ready = here.prepare(call.input);
      if (ready.type === "invalid") return { content: ready.message, isError: true };
      return callHere(call, tool, (input) => here.prepare(input));
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
      const said = goesOn ? await stopping(actor, summary.text, side) : {};
      current();
      if (said.goOn !== undefined && !isStopped()) {
        actor.goneOn += 1;
        actor.say({ text: said.goOn });
        return { type: "more", steer: actor.hear() };
      }
      const { append } = said;
      const whole = actor.whole(summary);
      side.advance({
        type: "summary",
        summary: append === undefined ? whole : { ...whole, text: `${whole.text}\n\n${append}` },
      });
      // Closed only when the one summary is durable: an agent that was told so may forget everything.
      await actor.ended;
      return { type: "closed" };
    },
    async hidden({ call, paths }) {
      alive();
      const running = actor.calls.get(call);
      if (running === undefined) throw new Error(`The call ${call} is not running.`);
      return side.gate.hidden(paths, running.cwd);
    },
    async run(request) {
      alive();
      const odd = isRunning(request.id) ? whyNoSearch(request) : "a call that is not running";
      if (odd !== null) throw new Error(`It asked for ${odd}.`);
      return side.processes.run({ ...request, owner: actor.id }, side.signal);
    },
    async command(request) {
      alive();
      const { outside } = mustRun(request);
      return side.commands.run(actor.id, request, side.signal, outside);
    },
    async background(request) {
      alive();
      const { outside } = mustRun(request);
      return side.background.start(actor.id, request, side.signal, outside);
    },
  };
}

function notOffered(name: string): string {
  return `This agent has no tool ${JSON.stringify(name)}.`;
}
