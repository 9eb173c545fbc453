import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { Access, AfterAnswer, AfterCall, BeforeCall, Call, CallDecision } from "../mailbox/calls.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { ReadyCall, ToolEnd } from "../tools/bind-tool.ts";
import { appended, find, noSuchTool, notRun, refusedCall } from "../tools/dispatch.ts";
import type { CallContext } from "../tools/tool.ts";
import { runTimed } from "../tools/tool-module.ts";
import type { KnownTool, Toolbox } from "../tools/toolbox.ts";
import type { Actor } from "./actor-record.ts";
import type { CallNotes, CoreEvent, Evaluation, Joints } from "./joints.ts";
import type { RunningCall } from "./running-call.ts";

export interface CallParts {
  readonly joints: readonly Joints[];
  readonly journal: Pick<Journal, "append" | "note">;
  readonly toolbox: Pick<Toolbox, "find" | "whyAbsent">;
  readonly clock: Pick<Clock, "now" | "after">;
  changed(actor: Actor): void;
  emit(event: CoreEvent): void;
  onWarning(message: string): void;
}

type Claim = Pick<ReadyCall<CallContext>, "title" | "description">;

/** The calls of one actor. */
interface CallEnding {
  /** Its result, for the journal. */
  readonly recorded?: CallResult | undefined;
  readonly refusal?: string;
  readonly stop?: string;
}

export interface AgentCalls {
  /** A call of an agent's own tool that is about to run. */
  before(call: BeforeCall): Promise<CallDecision>;
  after(call: AfterCall): Promise<AfterAnswer>;
  /** A call of a tool on this side. */
  callTool(call: Call): Promise<CallResult>;
}

const NOT_RUN = String(notRun.content);

/** Each call passes here before it runs, and again when it has ended, whichever side its tool lives on. */
export function agentCalls(actor: Actor, parts: CallParts): AgentCalls {
  const { joints, journal, toolbox, clock } = parts;
  const { signal } = actor.stopping;

  /** A loop is not believed in what it was given: only what its spec offers exists for it. */
  const findOffered = (name: string) => {
    const offer = find(actor.spec.tools, name);
    return offer && toolbox.find(offer.name);
  };

  /** Within a worktree a path need not say where that is. */
  const shownOf = ({ title, description }: Claim): Claim => ({
    title: title.replaceAll(`${actor.root}/`, ""),
    ...(description === undefined ? {} : { description }),
  });

  /** Returns the first decision, as the journal has it: durable before anything that it allows. */
  const evaluate = async (tool: KnownTool, call: Call, cwd: string, claim: Claim): Promise<Evaluation> => {
    const evaluation = await decideCall(joints, { actor, call, tool, cwd, signal });
    const { by, reason, rule, tier } = evaluation;
    const record = {
      type: "before",
      actor: actor.id,
      call: call.id,
      tool: tool.offer.name,
      input: evaluation.type === "go" ? evaluation.input : call.input,
      decision: evaluation.type,
      ...{ by, reason },
      ...(rule === undefined ? {} : { rule }),
      ...(tier === undefined ? {} : { tier }),
    } as const;
    // A pure read may run again after a crash; anything else is durable before it happens (A22.29).
    if (tool.level === "read" || evaluation.type === "refuse") journal.note(record);
    else await journal.append(record);
    // That takes time, in which the agent may have been stopped.
    if (evaluation.type === "refuse") parts.emit({ type: "refused", actor, call, reason, ...shownOf(claim) });
    if (evaluation.type === "refuse" || !actor.isStopped) return evaluation;
    journal.note({ type: "after", actor: actor.id, call: call.id, isError: true });
    return { type: "refuse", by: "stop", reason: "it was stopped before this call", refusal: NOT_RUN };
  };

  /** From here on the live tree shows the call. Features may still refuse it. */
  const start = async (
    { id, toolUse }: Call,
    tool: KnownTool,
    { input, outside, light, context }: Extract<Evaluation, { type: "go" }>,
    claim: Claim & { readonly cwd: string; readonly accesses: readonly Access[] },
    writes: readonly string[] | null,
  ): Promise<{ readonly running: RunningCall; readonly notes: CallNotes }> => {
    const [first = tool.offer.name, ...others] = tool.names;
    const running: RunningCall = {
      ...{ tool: tool.offer.name, names: [first, ...others], toolUse, input, outside, writes },
      ...shownOf(claim),
      ...{ local: tool.offer.side === "agent", cwd: claim.cwd, startedAt: clock.now() },
      ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
      ...(light === undefined ? {} : { light }),
      ...(context === undefined ? {} : { context }),
    };
    actor.addCall(id, running);
    parts.changed(actor);
    const starting = { actor, id, tool, running, accesses: claim.accesses, signal };
    let notes: CallNotes = {};
    try {
      for (const feature of joints) {
        const said = feature.prepareCall?.(starting);
        notes = { ...notes, ...(said instanceof Promise ? await said : said) };
        if (notes.refusal !== undefined) break;
      }
    } catch (error) {
      await end(id, running, true, null);
      throw error;
    }
    if (notes.refusal !== undefined) await end(id, running, true, null, { refusal: notes.refusal });
    return { running, notes };
  };

  /** The call is over; features add to its result, and release what it held. */
  const end = async (
    id: CallId,
    running: RunningCall | undefined,
    isError: boolean,
    result: ToolEnd | null,
    { recorded, refusal, stop }: CallEnding = {},
  ): Promise<AfterAnswer> => {
    journal.note({
      ...{ type: "after", actor: actor.id, call: id, isError },
      ...(recorded ? { result: recorded } : {}),
    });
    if (recorded) actor.noteResult(id, recorded);
    actor.removeCall(id);
    parts.changed(actor);
    if (running === undefined) return {};
    const answers: AfterAnswer[] = [];
    for (const feature of joints) {
      const answer = feature.afterCall?.({
        ...{ actor, id, running, isError, result, signal },
        ...(refusal === undefined ? {} : { refusal }),
        ...(stop === undefined ? {} : { stop }),
      });
      if (answer !== undefined) answers.push(answer instanceof Promise ? await answer : answer);
    }
    const append = answers.flatMap((one) => one.append ?? []).join("\n\n");
    const changed = answers.flatMap((one) => one.changed ?? []);
    return { ...(append === "" ? {} : { append }), ...(changed.length === 0 ? {} : { changed }) };
  };

  const warnOfOverdue = ({ tool }: RunningCall): void => {
    const after = (toolbox.find(tool)?.timeoutMs ?? 0) / 1_000;
    const agent = `${actor.spec.type} "${actor.spec.description}"`;
    parts.onWarning(
      `${tool}, called by ${agent}, did not return within ${after} s. Its signal was aborted, and the agent continues without its result.`,
    );
  };

  return {
    async before(call) {
      if (actor.isStopped) return refuse(NOT_RUN);
      const tool = findOffered(call.tool);
      if (!tool) return refuse(`This agent has no tool ${JSON.stringify(call.tool)}.`);
      const { cwd } = call;
      const asked = tool.prepare(call.input);
      if (asked.type === "invalid") return refuse(asked.message);
      const problem = asked.problem?.(cwd) ?? null;
      // The user is not asked about a call that cannot succeed.
      if (problem !== null) return refuse(problem);
      const evaluation = await evaluate(tool, call, cwd, asked);
      if (evaluation.type === "refuse") return refuse(evaluation.refusal);
      const claim = evaluation.rewritten ? tool.prepare(evaluation.input) : asked;
      if (claim.type === "invalid") return refuse(claim.message);
      const accesses = claim.accesses(cwd);
      const { notes } = await start(
        call,
        tool,
        evaluation,
        { ...claim, cwd, accesses },
        writesOf(tool, accesses),
      );
      if (notes.refusal !== undefined) return refuse(notes.refusal);
      return {
        type: "go",
        ...notes,
        ...(evaluation.rewritten ? { input: evaluation.input } : {}),
        ...(evaluation.changed === undefined ? {} : { changed: evaluation.changed }),
      };
    },

    async after({ id, isError, result, response, overdue, stop }) {
      const running = actor.calls.get(id);
      if (running && overdue) warnOfOverdue(running);
      const isKept = running !== undefined && toolbox.find(running.tool)?.repeatable === false;
      const ending = { ...(isKept ? { recorded: result } : {}), ...(stop === undefined ? {} : { stop }) };
      return end(id, running, isError, { ...result, response }, ending);
    },

    async callTool(call) {
      if (actor.isStopped) return notRun;
      const tool = findOffered(call.tool);
      if (!tool || call.absent)
        return refusedCall(toolbox.whyAbsent(actor.id, call.tool) ?? noSuchTool(call.tool));
      const { here } = tool;
      if (!here) return refusedCall(`${call.tool} does not run on the supervisor's side.`);
      const asked = here.prepare(call.input);
      if (asked.type === "invalid") return refusedCall(asked.message);
      const { cwd, place } = actor;
      const evaluation = await evaluate(tool, call, cwd, asked);
      if (evaluation.type === "refuse") return refusedCall(evaluation.refusal);
      const ready = here.prepare(evaluation.input);
      if (ready.type === "invalid") return refusedCall(ready.message);
      const claim = { ...ready, cwd, accesses: [] };
      const { running, notes } = await start(
        call,
        tool,
        evaluation,
        claim,
        tool.level === "read" ? [] : null,
      );
      if (notes.refusal !== undefined) return refusedCall(notes.refusal);
      let ended: ToolEnd;
      try {
        const run = (until: AbortSignal) =>
          ready.call({ call: call.id, actor: actor.id, cwd, signal: until });
        const { timeoutMs } = tool;
        ended = await (timeoutMs === undefined
          ? run(signal)
          : runTimed(call.tool, timeoutMs, { signal, clock }, run));
      } catch (error) {
        await end(call.id, running, true, null);
        throw error;
      }
      if (ended.overdue) warnOfOverdue(running);
      const { response: _, ...own } = ended;
      const hasMoved = actor.place !== null && actor.place !== place;
      const result: CallResult = hasMoved && actor.place ? { ...own, moved: actor.place } : own;
      const recorded = tool.repeatable ? undefined : result;
      const { append } = await end(call.id, running, result.isError, ended, { recorded });
      return append === undefined ? result : appended(result, append);
    },
  };
}

/** Returns what the first feature decides of a call. Nothing else does; it is refused if that fails. */
export async function decideCall(
  joints: readonly Joints[],
  call: Parameters<NonNullable<Joints["evaluateCall"]>>[0],
): Promise<Evaluation> {
  const refusal = (reason: string): Evaluation => ({
    ...{ type: "refuse", by: "rules", reason },
    refusal: `${call.tool.offer.name} was not allowed: ${reason}.`,
  });
  try {
    for (const feature of joints) {
      const evaluation = await feature.evaluateCall?.(call);
      if (evaluation !== undefined) return evaluation;
    }
  } catch (error) {
    return refusal(`the permission check failed (${errorMessage(error)})`);
  }
  return refusal("nothing here decides about calls");
}

/** What a call of an agent's own tool may write to: nothing, these files, or (null) anything. */
export function writesOf({ level }: KnownTool, accesses: readonly Access[]): readonly string[] | null {
  if (level === "read") return [];
  const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
  return level === "write" && targets.length > 0 ? targets : null;
}

function refuse(reason: string): CallDecision {
  return { type: "refuse", reason };
}
