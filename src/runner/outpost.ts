import { Background } from "../features/background/background.ts";
import { backgroundService } from "../features/background/background-service.ts";
import { backgroundCommands } from "../features/background/commands.ts";
import { commandServices, withStopped } from "../features/background/index.ts";
import { refusalOf } from "../features/gate/index.ts";
import { type Clock, untilAborted } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { textAt } from "../lib/json.ts";
import type { AfterAnswer, AfterCall, BeforeCall, Call, CallDecision } from "../mailbox/calls.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { CallResult, Reply, Turn } from "../mailbox/messages.ts";
import type { Handlers } from "../mailbox/rpc/table.ts";
import type { OfferedSpec } from "../mailbox/runners.ts";
import type { Finish, FinishAnswer, TurnAnswer } from "../mailbox/services.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import { writesOf } from "../supervisor/calls.ts";
import { Inbox } from "../supervisor/inbox.ts";
import type { Notice } from "../supervisor/notices.ts";
import type { RunningCall } from "../supervisor/running-call.ts";
import { find, refusedCall } from "../tools/dispatch.ts";
import { backgroundTools } from "../tools/session-tools.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { agentRequests } from "./agent-messages.ts";
import type { AttemptFiles, AttemptOutputs } from "./attempt-files.ts";
import type { CallHooks, HookedEnd } from "./call-hooks.ts";
import type { CallRules } from "./call-rules.ts";
import { EditSender } from "./edit-sender.ts";
import type { SessionLink } from "./session-link.ts";
import type { Slot } from "./slot.ts";

export interface OutpostParts {
  readonly offer: OfferedSpec;
  readonly session: Pick<SessionLink, "request">;
  readonly rules: CallRules;
  readonly hooks: Pick<CallHooks, "has" | "runAfter">;
  readonly toolbox: Toolbox;
  readonly processes: Processes;
  readonly outputs: AttemptOutputs;
  readonly clock: Clock;
  readonly files: Pick<AttemptFiles, "exportEdits" | "acceptEdits">;
  readonly slot: Slot;
  /** It was asked to park, and none of its calls runs: it ends here. */
  onParked(): void;
  /** Its files cannot be sent: what it does after that would be lost. */
  onFault(reason: string): void;
  /** It has ended without them: no other runner could send them either. */
  onFailed(reason: string): void;
}

/** Tools of the session that may take long for many agents together, and for which no other agent works. */
const WAITS_FOR_NO_AGENT = /^(?:mcp__.*|WebFetch|WebSearch|AskUserQuestion)$/;
/** Milliseconds after which a decision that is still missing is assumed to wait for the user. */
const USER_MS = 1_000;

interface Open extends RunningCall {
  /** Its files may be others after it. */
  readonly changes: boolean;
  /** Its agent waits for the answer to its end. */
  readonly watched: boolean;
}

/**
 * Answers what an agent's process requests. What concerns this machine is done here: its calls are evaluated, its commands
 * run, its edits collected. Everything else is requested of the session, which decides as for any other agent.
 */
export class Outpost {
  /** Aborted when the agent must stop: its commands end. */
  readonly stopping = new AbortController();
  readonly #life = new AbortController();
  readonly #parts: OutpostParts;
  readonly #calls = new Map<CallId, Open>();
  readonly #background: Background;
  readonly #inbox = new Inbox();
  readonly #tasks: ReturnType<typeof backgroundTools>;
  readonly #edits: EditSender;
  #isParking = false;
  /** Requests that wait at a place where the agent can be continued elsewhere. */
  #atRest = 0;

  constructor(parts: OutpostParts) {
    this.#parts = parts;
    const { processes, outputs, clock, rules, files, offer, onFault } = parts;
    this.#edits = new EditSender({
      ...{ files, stopping: this.stopping.signal, onFault },
      tell: (notice) => this.#inbox.pushNotice(notice),
    });
    const shell = platformShell(process.platform, process.env);
    const variables = { CLAUDE_CODE_SESSION_ID: offer.session };
    this.#background = new Background({
      commands: backgroundCommands(processes, outputs, shell, rules.sandbox.commands, () => variables),
      ...{ processes, clock, note: () => {} },
      tell: (_, notice) => this.#inbox.pushNotice(notice),
      forget: (_, notice) => this.#inbox.withdraw(notice),
      onEnded: () => this.#edits.noteChange(),
    });
    // Its own commands: agents are the session's.
    const noActors = {
      find: () => undefined,
      all: () => [],
      stop() {},
      whileWaiting: <T>(_: unknown, one: Promise<T>) => one,
    };
    this.#tasks = backgroundTools(backgroundService(this.#background, noActors, clock));
  }

  /** The agent hears of it with its next turn. */
  notify(notice: Notice): void {
    this.#inbox.pushNotice(notice);
  }

  /** Something other than a call may have changed its files. */
  noteChange(): void {
    this.#edits.noteChange();
  }

  /** Ends it as soon as another runner can continue it. */
  park(): void {
    this.#isParking = true;
    this.#parkIfIdle();
  }

  /** Its process is gone: so are its commands. */
  close(): void {
    this.stopping.abort(new Error("The agent has ended."));
    this.#life.abort();
  }

  handlers(): Handlers<typeof agentRequests> {
    const { session, offer, processes, toolbox, rules } = this.#parts;
    const actor = {
      ...{ id: offer.spec.id, root: offer.spec.root, calls: this.#calls },
      ...{ stopping: this.stopping, life: this.#life },
    };
    const local = commandServices(actor, {
      ...{ background: this.#background, processes, toolbox, onLines: () => {} },
    });
    return {
      ...local,
      before: (call) => this.#before(call),
      after: (after) => this.#after(after),
      callTool: (call) => this.#callTool(call),
      reply: (reply) => this.#reply(reply),
      turn: async (turn) => this.#rest(await this.#turn(turn)),
      finish: (finish) => this.#finish(finish),
      compacting: (begin) => session.request("compacting", "compacting", begin),
      compacted: (end) => session.request("compacted", "compacted", end),
      hidden: async ({ call, paths }) => {
        const running = this.#calls.get(call);
        if (running === undefined) throw new Error(`The call ${call} is not running.`);
        return rules.filterResults(paths, running.cwd);
      },
    };
  }

  async #before(call: BeforeCall): Promise<CallDecision> {
    const { offer, toolbox, rules, session } = this.#parts;
    await this.#restHere();
    const offered = find(offer.spec.tools, call.tool);
    const tool = offered?.side === "agent" ? toolbox.find(offered.name) : undefined;
    if (tool === undefined) return refuse(`${call.tool} does not run on this machine.`);
    const claim = tool.prepare(call.input);
    if (claim.type === "invalid") return refuse(claim.message);
    const problem = claim.problem?.(call.cwd) ?? null;
    if (problem !== null) return refuse(problem);
    const { signal } = this.stopping;
    let mine = await rules.evaluate(call, tool, signal);
    if (mine.type === "refuse") return refuse(refusalOf(tool.offer.name, mine));
    const { mustAsk } = mine;
    const asked = { ...call, ...(mustAsk === undefined ? {} : { mustAsk }) };
    const decision = await this.#waiting(session.request("before", call.id, asked), USER_MS);
    if (decision.type === "refuse") return decision;
    const input = decision.input ?? call.input;
    // What the session has changed is evaluated here, too; whether to ask was its own question.
    if (decision.input !== undefined) mine = await rules.evaluate({ ...call, input }, tool, signal);
    // The answer may have taken hours.
    const isConfined = mine.type === "go" && mine.light !== undefined;
    const now =
      mine.type === "refuse" ? mine.reason : rules.recheck(tool.offer.name, input, call.cwd, isConfined);
    if (mine.type === "refuse" || now !== null) {
      const reason = refusalOf(tool.offer.name, { type: "refuse", by: "rules", reason: now ?? "" });
      const result = refusedCall(reason);
      void session
        .request("after", call.id, { after: { id: call.id, isError: true, result } }, { patient: true })
        .catch(() => {});
      return refuse(reason);
    }
    const [first = tool.offer.name, ...others] = tool.names;
    const ready = decision.input === undefined ? claim : tool.prepare(input);
    const accesses = ready.type === "invalid" ? [] : ready.accesses(call.cwd);
    const isPure = tool.level === "read" || mine.light?.confined.type === "read";
    const watched = decision.watched || this.#parts.hooks.has([first, ...others]);
    this.#calls.set(call.id, {
      ...{ tool: tool.offer.name, names: [first, ...others], toolUse: call.toolUse, title: claim.title },
      ...{ input, cwd: call.cwd, local: true, startedAt: this.#parts.clock.now() },
      writes: writesOf(tool, accesses),
      ...{ outside: mine.outside, ...(mine.light === undefined ? {} : { light: mine.light }) },
      ...{ changes: !isPure, watched: watched ?? false },
    });
    const filtered = decision.filtered || (tool.level === "read" && rules.filters);
    return { ...decision, ...(filtered ? { filtered } : {}), ...(watched ? { watched } : {}) };
  }

  /** Hooks may change its files, so they run before these are sent. */
  async #after(after: AfterCall): Promise<AfterAnswer> {
    const { session, hooks } = this.#parts;
    const running = this.#calls.get(after.id);
    if (running?.changes) this.#edits.noteChange();
    // Without hooks its agent does not wait: a turn must not overtake what is not sent yet.
    const { answer: hooked, stop }: HookedEnd =
      running !== undefined && hooks.has(running.names)
        ? await hooks.runAfter(running, after, this.stopping.signal)
        : { answer: {} };
    this.#calls.delete(after.id);
    const ended = stop === undefined ? after : { ...after, stop };
    const answer = await this.#edits.send((edits) =>
      session.request("after", after.id, { after: ended, ...edits }, { patient: running?.watched !== true }),
    );
    this.#parkIfIdle();
    return bothAnswers(answer, hooked);
  }

  /** Tools of the session are called there; only tasks that run here are answered here. */
  async #callTool(call: Call): Promise<CallResult> {
    await this.#restHere();
    const { session, offer, clock, slot } = this.#parts;
    const own = this.#tasks.find(({ name, aliases }) => name === call.tool || aliases.includes(call.tool));
    const ready = own?.prepare(call.input);
    const task = textAt(call.input, "task_id") ?? "";
    if (ready?.type !== "ready" || this.#background.find(task) === undefined) {
      const called = this.#waiting(session.request("callTool", call.id, call));
      return WAITS_FOR_NO_AGENT.test(call.tool) ? called : slot.lendWhile(called, () => this.#calls.size > 0);
    }
    const { response: _, ...result } = await ready.call({
      ...{ call: call.id, actor: offer.spec.id, cwd: offer.spec.root, root: offer.spec.root },
      ...{ additionalDirs: [], signal: this.stopping.signal, clock },
    });
    return result;
  }

  /** What its calls request of the session is served after it, so its agent need not wait. */
  async #reply(reply: Reply): Promise<null> {
    const { session, onFault } = this.#parts;
    session
      .request("reply", `${reply.turn}`, reply, { patient: true })
      .catch((error: unknown) => onFault(`its session could not take its reply: ${errorMessage(error)}`));
    return null;
  }

  async #turn(turn: Turn): Promise<TurnAnswer> {
    const { session } = this.#parts;
    const answer = await this.#edits.send((edits) =>
      session.request("turn", `${turn.turn}`, { turn, ...edits }),
    );
    return { ...answer, steer: [...answer.steer, ...this.#inbox.drain()] };
  }

  /** An agent does not end while its commands run, nor before it has heard of their ends. */
  async #finish(finish: Finish): Promise<FinishAnswer> {
    const { session, offer } = this.#parts;
    const { id } = offer.spec;
    const mayContinue = finish.compacted === undefined && finish.summary.status === "done";
    let { turn } = finish;
    let answer: TurnAnswer = { steer: [] };
    while (mayContinue && !this.stopping.signal.aborted) {
      const running = this.#background.runningOf(id);
      if (running.length === 0 && !this.#inbox.hasInput) break;
      // Its answer is a turn like any other: it continues after it.
      answer = turn === null ? { ...answer, steer: this.#inbox.drain() } : await this.#turn(turn);
      turn = null;
      if (answer.steer.length > 0) return { type: "more", ...answer };
      await this.#waiting(
        Promise.race([
          this.#inbox.waitForInput(),
          ...running.map(({ ended }) => ended),
          untilAborted(this.stopping.signal),
        ]),
      );
      await this.#restHere();
    }
    const summary = withStopped(finish.summary, this.#background.release(id));
    const ended = await this.#edits.send((edits) => {
      const { tooLarge } = this.#edits;
      if (tooLarge !== null && summary.status === "done") return this.#fail(tooLarge);
      return session.request("finish", `${turn?.turn ?? `after ${finish.summary.turns}`}`, {
        finish: { ...finish, turn, summary },
        ...edits,
      });
    });
    return ended.type === "more" ? this.#rest(ended) : ended;
  }

  /** Never resolves: its process is ended. */
  #fail(reason: string): Promise<never> {
    this.#parts.onFailed(reason);
    return new Promise(() => {});
  }

  /** Waits for another party. If that takes longer than `ms`, the agent can be continued elsewhere. */
  async #waiting<T>(other: Promise<T>, ms = 0): Promise<T> {
    let isAtRest = false;
    const withdraw = this.#parts.clock.after(ms, () => {
      isAtRest = true;
      this.#atRest += 1;
      this.#parkIfIdle();
    });
    try {
      return await other;
    } finally {
      withdraw();
      if (isAtRest) this.#atRest -= 1;
    }
  }

  async #rest<T>(value: T): Promise<T> {
    await this.#restHere();
    return value;
  }

  /** Never resolves if it parks. */
  async #restHere(): Promise<void> {
    if (!this.#isParking) return;
    this.#atRest += 1;
    this.#parkIfIdle();
    await new Promise(() => {});
  }

  #parkIfIdle(): void {
    if (!this.#isParking || this.#atRest === 0 || this.#calls.size > 0) return;
    // What has ended must be sent first.
    void this.#edits.settle().then(() => this.#parts.onParked());
  }
}

function bothAnswers(one: AfterAnswer, other: AfterAnswer): AfterAnswer {
  const append = [one, other].flatMap((answer) => answer.append ?? []).join("\n\n");
  const changed = [one, other].flatMap((answer) => answer.changed ?? []);
  return { ...(append === "" ? {} : { append }), ...(changed.length === 0 ? {} : { changed }) };
}

function refuse(reason: string): CallDecision {
  return { type: "refuse", reason };
}
