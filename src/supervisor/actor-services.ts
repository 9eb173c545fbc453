import type { MessagePort } from "node:worker_threads";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../lib/clock.ts";
import type { ActorModel, ActorSpec, LastTurn, Turn } from "../mailbox/messages.ts";
import type { Services, TurnAnswer } from "../mailbox/services.ts";
import { type Actor, compactRequest } from "./actor-record.ts";
import { agentCalls, type CallParts } from "./calls.ts";
import type { Completion } from "./completion.ts";
import type { FeatureServices, Joints } from "./joints.ts";
import type { ActorEvent } from "./lifecycle.ts";
import type { Notice } from "./notices.ts";

export interface ServiceParts extends CallParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly completion: Pick<Completion, "finish">;
  advance(actor: Actor, event: ActorEvent): void;
  /** A port to the gateway, in place of one that closed. */
  connect(actor: Actor): MessagePort;
}

/**
 * Answers what an actor's loop requests, as long as it is the actor's current attempt. The loop decides nothing: each of
 * its calls passes here before it runs, and each of its turns is durable before it continues.
 */
export function actorServices(actor: Actor, parts: ServiceParts): Services {
  const { journal, joints, clock, completion, advance, emit } = parts;
  const { attempt } = actor.spec;
  const now = () => clock.now();
  const isCurrent = () => actor.spec.attempt === attempt;
  const assertCurrent = () => {
    if (!isCurrent())
      throw new Error(
        "This request comes from an earlier attempt of the agent; only the current one is answered.",
      );
  };

  /** Each question is a sign of life, and so is its answer. */
  const answers =
    <Q, A>(answer: (question: Q) => Promise<A>) =>
    (question: Q): Promise<A> =>
      actor.answer(now, async () => {
        assertCurrent();
        advance(actor, { type: "alive" });
        return answer(question);
      });

  const changed = () => parts.changed(actor);

  /** A turn is taken once, in its order, and before the summary: the conversation is the fold of these. */
  const record = async (turn: Turn): Promise<void> => {
    if (actor.hasEnded) throw new Error("This agent has ended; no turn of it is taken.");
    const next = actor.turnsTaken + 1;
    if (turn.turn !== next) throw new Error(`Turn ${turn.turn} came where turn ${next} was due.`);
    await journal.append({ type: "turn", actor: actor.id, turn });
    assertCurrent();
    actor.takeTurn(turn);
    emit({ type: "turn", actor, turn });
  };

  /** What the loop needs for its next request. */
  const nextTurn = (): TurnAnswer => {
    const before = actor.spec.model;
    const { last, notices } = beforeTurn(joints, actor);
    const steer = actor.inbox.drain(notices);
    const { pendingCompaction, spec } = actor;
    return {
      steer,
      ...(last ? { last } : {}),
      ...(pendingCompaction ? { compact: compactRequest(pendingCompaction) } : {}),
      ...(spec.model === before ? {} : { model: modelIn(spec) }),
    };
  };

  const provided: Partial<FeatureServices> = {};
  for (const feature of joints) Object.assign(provided, feature.services?.(actor, { isCurrent }));
  const served = <M extends keyof FeatureServices>(method: M): Services[M] =>
    answers<never, never>((question) => {
      const serve = provided[method] as ((question: unknown) => Promise<never>) | undefined;
      if (serve === undefined) throw new Error(`Nothing here serves ${method}.`);
      return serve(question);
    }) as unknown as Services[M];

  const calls = agentCalls(actor, { ...parts, changed });
  return {
    before: answers((call) =>
      actor.answerOnce(`before ${call.id}`, async () => {
        try {
          return await calls.before(call);
        } finally {
          changed();
        }
      }),
    ),
    after: answers((end) => calls.after(end)),
    callTool: answers((call) => actor.answerOnce(`callTool ${call.id}`, () => calls.callTool(call))),
    reply: answers(async (reply) => {
      const next = actor.turnsTaken + 1;
      if (reply.turn !== next)
        throw new Error(`A reply of turn ${reply.turn} came where turn ${next} was due.`);
      journal.note({ type: "reply", actor: actor.id, reply });
      actor.takeReply(reply);
      emit({ type: "reply", actor, reply });
      return null;
    }),
    model: answers(async () => parts.connect(actor)),
    turn: answers(async (turn) => {
      await record(turn);
      changed();
      return nextTurn();
    }),
    finish: answers(async ({ turn, ...finish }) => {
      if (turn) await record(turn);
      const how = await completion.finish(actor, finish, assertCurrent);
      if (how === "continues") return { type: "more", ...nextTurn() };
      // Closed only when the one summary is durable: after this the actor may forget everything.
      if (how === "ended") await actor.ended;
      return { type: "closed" };
    }),
    run: served("run"),
    command: served("command"),
    background: served("background"),
    hidden: served("hidden"),
    compacting: served("compacting"),
    compacted: served("compacted"),
  };
}

function modelIn({ model, maxTokens, window }: ActorSpec): ActorModel {
  return { model, maxTokens, ...(window === undefined ? {} : { window }) };
}

/** What features say before a request: the first reason to make it the last one, and all their notices. */
export function beforeTurn(
  joints: readonly Joints[],
  actor: Actor,
): { readonly last: LastTurn | null; readonly notices: readonly Notice[] } {
  const all = joints.flatMap((feature) => feature.beforeTurn?.(actor) ?? []);
  // The calls of a reply are not done yet: there is no request before they are.
  const last = actor.reply === null ? all.find((one) => one.last)?.last : null;
  return { last: last ?? null, notices: all.flatMap(({ notice }) => notice ?? []) };
}
