import type { MessagePort } from "node:worker_threads";
import type { Journal } from "../journal/journal.ts";
import type {
  Access,
  BeforeCall,
  Call,
  CallResult,
  LastTurn,
  Reply,
  Summary,
  Turn,
  TurnAnswer,
  Verdict,
} from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { Processes } from "../processes/processes.ts";
import { appended, find, notRun } from "../tools/dispatch.ts";
import type { InvalidCall, ReadyCall } from "../tools/sealed.ts";
import type { CallContext } from "../tools/tool.ts";
import { type ActorRecord, type RunningCall, wishIn } from "./actor-record.ts";
import type { Background } from "./background.ts";
import type { ChildEvent } from "./children.ts";
import type { Commands } from "./commands.ts";
import { type CompactSide, compactServices } from "./compacting.ts";
import type { Gate, Gated } from "./gate.ts";
import { heard, isWatched } from "./hooked-calls.ts";
import { whyNoCommand, whyNoSearch } from "./judged-runs.ts";
import { concluded, goesOnWithNews } from "./keeping.ts";
import { refusalOf } from "./refusal.ts";
import type { KnownTool, Toolbox } from "./toolbox.ts";
import type { WriteLedger } from "./write-ledger.ts";

/** What the services of one actor may reach of the session. */
export interface ServiceSide extends CompactSide {
  readonly toolbox: Toolbox;
  readonly gate: Pick<Gate, "judge" | "recheck" | "hidden" | "filters">;
  readonly journal: Journal;
  readonly processes: Processes;
  readonly commands: Commands;
  readonly background: Pick<Background, "start">;
  readonly writes: WriteLedger;
  advance(event: ChildEvent): void;
  changed(): void;
  denied(call: Call): void;
  /** Something that runs in the background keeps it from ending. */
  keeps(): boolean;
  /** It has answered and is kept, without a thread. */
  rest(summary: Summary): void;
  /** A new lane to the model, where the old one closed. */
  connect(): MessagePort;
  /** What the model wants to do next, before any of it is done. */
  replied(reply: Reply): void;
  /** Whether its next reply must be its last one. */
  lastWords(): LastTurn | null;
  now(): number;
  /** Aborted when nothing of the actor may run any more: its commands in the background end by this. */
  readonly life: AbortSignal;
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

  /** A question of the turn under way, whichever thread asks it: answered once. */
  const once = <A>(question: string, answer: () => Promise<A>): Promise<A> => {
    const before = actor.answers.get(question);
    // The key names the kind of the question, and that the kind of its answer.
    if (before) return before as Promise<A>;
    const first = answer();
    actor.answers.set(question, first);
    // Whoever asked hears of it; a second asker need not exist.
    first.catch(() => {});
    return first;
  };

  /** The letter that stops an agent travels on another lane, so its next call may come first. */
  const isStopped = () => actor.child.state === "cancelling" || actor.child.state === "ended";

  /** A thread is not believed in what it was given: only what its spec offers exists for it. */
  const offered = (name: string) => {
    const offer = find(actor.spec.tools, name);
    return offer && toolbox.find(offer.name);
  };

  const after = (call: Call["id"], isError: boolean, result?: CallResult): void => {
    journal.note({ type: "after", actor: actor.id, call, isError, ...(result ? { result } : {}) });
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
      local: tool.offer.side === "agent",
      startedAt: side.now(),
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
    let result: CallResult;
    try {
      result = await ready.call({ call: call.id, actor: actor.id, cwd, signal: side.signal });
      after(call.id, result.isError, tool.repeatable ? undefined : result);
    } catch (error) {
      after(call.id, true);
      throw error;
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

  const before = async (call: BeforeCall): Promise<Verdict> => {
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
      ...(tool.repeatable ? {} : { kept: true as const }),
      ...(tool.level === "read" && side.gate.filters ? { filtered: true as const } : {}),
    };
  };

  const callTool = async (call: Call): Promise<CallResult> => {
    if (isStopped()) return notRun;
    const tool = offered(call.tool);
    if (!tool) return { content: notOffered(call.tool), isError: true };
    if (!tool.here) return { content: `${call.tool} does not run on the supervisor's side.`, isError: true };
    const { here } = tool;
    const ready = here.prepare(call.input);
    if (ready.type === "invalid") return { content: ready.message, isError: true };
    return callHere(call, tool, (input) => here.prepare(input));
  };

  const more = (): TurnAnswer => {
    const last = side.lastWords();
    const { wish } = actor;
    return {
      steer: actor.owed.hear(),
      ...(last === null ? {} : { last }),
      ...(wish === null ? {} : { compact: wishIn(wish) }),
    };
  };
  const compaction = compactServices(actor, side);

  return {
    async before(call) {
      alive();
      return once(`before ${call.id}`, async () => {
        actor.judging += 1;
        try {
          return await before(call);
        } finally {
          actor.judging = Math.max(0, actor.judging - 1);
          side.changed();
        }
      });
    },
    async after({ id, isError, result }) {
      alive();
      const running = actor.calls.get(id);
      const kept = running !== undefined && toolbox.find(running.tool)?.repeatable === false;
      after(id, isError, kept ? result : undefined);
      return running && result && isWatched(running, side) ? heard(running, result, side) : {};
    },
    async callTool(call) {
      alive();
      return once(`callTool ${call.id}`, () => callTool(call));
    },
    async reply(reply) {
      alive();
      if (reply.turn !== actor.turnsTaken + 1)
        throw new Error(`A reply of turn ${reply.turn} came where turn ${actor.turnsTaken + 1} was due.`);
      journal.note({ type: "reply", actor: actor.id, reply });
      actor.replied(reply);
      side.replied(reply);
      return null;
    },
    async yield(open) {
      alive();
      const runs = [...actor.calls.values()].some(({ local }) => local);
      if (actor.child.state !== "waiting" || runs || actor.reply?.turn !== open.turn) return { type: "stay" };
      actor.open = open;
      side.advance({ type: "yielded" });
      return { type: "released" };
    },
    async model() {
      alive();
      return side.connect();
    },
    async turn(turn) {
      alive();
      await record(turn);
      side.changed();
      return more();
    },
    async compacting(begin) {
      alive();
      return compaction.compacting(begin);
    },
    async compacted(end) {
      alive();
      return compaction.compacted(end);
    },
    async finish({ turn, summary, compacted }) {
      alive();
      if (turn) await record(turn);
      if (compacted && goesOnWithNews(actor) && !isStopped()) return { type: "more", ...more() };
      // Nobody was answered, so nobody is asked whether that may be the end.
      const answered = !compacted && (summary.status === "done" || summary.status === "partial");
      if (answered && !isStopped()) {
        if (goesOnWithNews(actor)) {
          actor.goesOnAfter(summary.text);
          return { type: "more", ...more() };
        }
        if (side.keeps()) {
          side.rest(summary);
          return { type: "closed" };
        }
      }
      const conclusion = answered
        ? await concluded(actor, summary, side)
        : ({ type: "ends", summary: actor.whole(summary) } as const);
      current();
      if (conclusion.type === "goes-on" && !isStopped()) return { type: "more", ...more() };
      side.advance({
        type: "summary",
        summary: conclusion.type === "ends" ? conclusion.summary : actor.whole(summary),
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
      return side.background.start(actor.id, request, side.life, outside);
    },
  };
}

function notOffered(name: string): string {
  return `This agent has no tool ${JSON.stringify(name)}.`;
}
