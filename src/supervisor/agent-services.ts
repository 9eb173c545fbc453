import type { MessagePort } from "node:worker_threads";
import type { Background } from "../features/background/background.ts";
import type { Commands } from "../features/background/commands.ts";
import { commandRefusal, searchRefusal } from "../features/background/gated-runs.ts";
import { type CompactSide, compactServices } from "../features/compaction/compacting.ts";
import type { Journal } from "../journal/journal.ts";
import type { Call, LastTurn, Reply, Summary, Turn } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { TurnAnswer } from "../mailbox/turn-answers.ts";
import type { Processes } from "../processes/processes.ts";
import { type ActorRecord, compactRequest } from "./actor-record.ts";
import { agentCalls, type CallSide, isStopped } from "./agent-calls.ts";
import { completeRun, type EndSide, hasPendingInput, isTheEnd } from "./completion.ts";
import type { ChildEvent } from "./lifecycle.ts";

/** What the services of one actor may reach of the session. */
export interface ServiceSide extends CompactSide, EndSide, CallSide {
  readonly journal: Journal;
  readonly processes: Processes;
  readonly commands: Commands;
  readonly background: Pick<Background, "start">;
  advance(event: ChildEvent): void;
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
  /** Aborted when nothing of the actor may run any more: its commands in the background end by this. */
  readonly life: AbortSignal;
}

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

  /** Only a call that was judged, and of a tool that may execute, has a shell; and only for what was judged. */
  const mustRun = (request: { call: Call["id"]; command: string; cwd: string }) => {
    const running = actor.calls.get(request.call);
    if (running === undefined || toolbox.find(running.tool)?.level !== "execute")
      throw new Error(`The call ${request.call} may not run a command.`);
    const other = commandRefusal(request, running, actor.root);
    if (other !== null) throw new Error(`The call ${request.call} asked for ${other}.`);
    return running;
  };

  /** A call may have more than one thing run, each under an id that begins with its own. */
  const isRunning = (run: string) =>
    [...actor.calls.keys()].some((call) => run === call || run.startsWith(`${call}.`));

  /** A turn is taken once, in its order, and before the summary: the conversation is the fold of these. */
  const record = async (turn: Turn): Promise<void> => {
    if (actor.child.state === "ended") throw new Error("This agent has ended; no turn of it is taken.");
    const next = actor.turnsTaken + 1;
    if (turn.turn !== next) throw new Error(`Turn ${turn.turn} came where turn ${next} was due.`);
    await journal.append({ type: "turn", actor: actor.id, turn });
    current();
    actor.take(turn);
  };

  const more = (): TurnAnswer => {
    const last = side.lastWords();
    const { wish } = actor;
    return {
      steer: actor.owed.drain(),
      ...(last === null ? {} : { last }),
      ...(wish === null ? {} : { compact: compactRequest(wish) }),
    };
  };
  const calls = agentCalls(actor, side);
  const compaction = compactServices(actor, side);

  return {
    async before(call) {
      alive();
      return once(`before ${call.id}`, async () => {
        actor.judging += 1;
        try {
          return await calls.before(call);
        } finally {
          actor.judging = Math.max(0, actor.judging - 1);
          side.changed();
        }
      });
    },
    async after(end) {
      alive();
      return calls.after(end);
    },
    async callTool(call) {
      alive();
      return once(`callTool ${call.id}`, () => calls.callTool(call));
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
      if (compacted && hasPendingInput(actor) && !isStopped(actor)) return { type: "more", ...more() };
      // Nobody was answered, so nobody is asked whether that may be the end.
      const answered = !compacted && (summary.status === "done" || summary.status === "partial");
      if (answered && !isStopped(actor)) {
        if (hasPendingInput(actor)) {
          actor.goesOnAfter(summary.text);
          return { type: "more", ...more() };
        }
        if (side.keeps()) {
          side.rest(summary);
          return { type: "closed" };
        }
      }
      const conclusion = answered
        ? await completeRun(actor, summary, side)
        : ({ type: "ends", summary: actor.withEarlierAnswers(summary) } as const);
      current();
      if (answered && !isStopped(actor)) {
        if (conclusion.type === "goes-on") return { type: "more", ...more() };
        if (!isTheEnd(actor, conclusion)) {
          actor.goesOnAfter(summary.text);
          return { type: "more", ...more() };
        }
      }
      side.advance({
        type: "summary",
        summary: conclusion.type === "ends" ? conclusion.summary : actor.withEarlierAnswers(summary),
      });
      // Closed only when the one summary is durable: an agent that was told so may forget everything.
      await actor.ended;
      return { type: "closed" };
    },
    async hidden({ call, paths }) {
      alive();
      return calls.hidden(call, paths);
    },
    async run(request) {
      alive();
      const odd = isRunning(request.id) ? searchRefusal(request) : "a call that is not running";
      if (odd !== null) throw new Error(`It asked for ${odd}.`);
      return side.processes.run({ ...request, owner: actor.id }, side.signal);
    },
    async command(request) {
      alive();
      return side.commands.run(actor.id, request, side.signal, mustRun(request));
    },
    async background(request) {
      alive();
      return side.background.start(actor.id, request, side.life, mustRun(request));
    },
  };
}
