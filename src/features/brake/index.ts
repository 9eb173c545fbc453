import { type ActorId, callId, MAIN } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { SessionAsks } from "../gate/asking.ts";

export interface BrakeParts {
  readonly actors: Pick<Actors, "all" | "stop">;
  readonly asks: Pick<SessionAsks, "hasPerson" | "question">;
  /** Failures in a row for one reason; 0: they stop nothing. */
  readonly mostSame: number;
  readonly onWarning: (message: string) => void;
}

/** The agents of one owner: those of a reply, of a script or of a command. */
interface FanOut {
  /** Of the last failure, and the same without its figures; null if the last one to end has not failed. */
  reason: string | null;
  kind: string | null;
  count: number;
  /** Whether the others start, once one of them is about to: null, or why not. */
  decision: Promise<string | null> | null;
}

export interface Brake {
  readonly joints: Joints;
  /** Why this agent was not started, or null. */
  stopped(id: ActorId): string | null;
}

const START = "Start them";
const LEAVE = "Do not";
/** An index that no call of a reply has. */
const NO_CALL = 1_000_001;

/**
 * The brake: agents that fail in a row for one reason are most likely followed by others that do, and cost. Joints: `onEnd`
 * (counts), `prepareStart` (holds the next ones until it is decided).
 */
export function openBrake({ actors, asks, mostSame, onWarning }: BrakeParts): Brake {
  const fanOuts = new Map<ActorId | null, FanOut>();
  const stopped = new Map<ActorId, string>();

  function count({ runFor: { owner }, lostWith }: Actor, { status, reason = "" }: Summary): void {
    // Runners that died with it are no reason to expect the same of the others.
    if (lostWith.length > 0) return;
    const fanOut = fanOuts.get(owner) ?? { reason: null, kind: null, count: 0, decision: null };
    fanOuts.set(owner, fanOut);
    if (fanOut.decision !== null) return;
    // The same failure may name another number, such as a time.
    const kind = status === "failed" ? reason.replace(/\d+/g, "0") : null;
    fanOut.count = kind === null ? 0 : kind === fanOut.kind ? fanOut.count + 1 : 1;
    fanOut.kind = kind;
    fanOut.reason = kind === null ? null : reason;
  }

  /** Waits for the decision of its fan-out, which the first of those that are left asks for. */
  async function hold(actor: Actor, fanOut: FanOut, reason: string): Promise<null> {
    fanOut.decision ??= decide(actor, reason);
    const why = await fanOut.decision;
    fanOuts.delete(actor.runFor.owner);
    if (why !== null) stop(actor, why);
    return null;
  }

  async function decide(actor: Actor, reason: string): Promise<string | null> {
    const sentence = `${mostSame} agents in a row failed for the same reason: ${reason}`;
    const others = waiting(actor);
    const isWanted = asks.hasPerson && (await ask(actor, sentence, others.length + 1));
    if (isWanted) return null;
    const why = `${mostSame} agents in a row failed for the same reason, so no more are started: ${reason}`;
    onWarning(why);
    for (const other of waiting(actor)) stop(other, why);
    return why;
  }

  /** Asks for their owner: the agent that is about to start keeps its slot, or the next one would wait in it for the same answer. */
  async function ask(
    { runFor: { owner }, stopping }: Actor,
    sentence: string,
    left: number,
  ): Promise<boolean> {
    const question = `${sentence}\nStart the other ${left}?`;
    const options = [
      { label: START, description: "They may fail in the same way." },
      { label: LEAVE, description: "They end as cancelled, with this reason." },
    ];
    const outcome = await asks.question(
      [{ question, header: "Brake", multiSelect: false, yesOrNo: true, options }],
      { actor: owner ?? MAIN, call: callId(owner ?? MAIN, 0, NO_CALL), signal: stopping.signal },
    );
    return outcome.type === "answers" && outcome.answers[question] === START;
  }

  function waiting({ id, runFor: { owner } }: Actor): readonly Actor[] {
    return actors
      .all()
      .filter(
        (one) =>
          one.id !== id &&
          one.runFor.owner === owner &&
          one.lifecycle.state === "queued" &&
          one.turnsTaken === 0,
      );
  }

  function stop({ id }: Actor, reason: string): void {
    stopped.set(id, reason);
    actors.stop(id, { status: "cancelled", reason });
  }

  return {
    stopped: (id) => stopped.get(id) ?? null,
    joints: {
      prepareStart(actor) {
        const fanOut = fanOuts.get(actor.runFor.owner);
        if (fanOut === undefined || mostSame === 0 || actor.spec.depth === 0 || actor.turnsTaken > 0)
          return null;
        const { reason, count } = fanOut;
        if (reason === null || count < mostSame) return null;
        return { tool: "Brake", title: "others have failed", ready: hold(actor, fanOut, reason) };
      },
      onEnd({ actor, summary }) {
        if (actor.spec.depth > 0) count(actor, summary);
        return {};
      },
    },
  };
}
