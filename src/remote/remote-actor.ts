import type { ActorHandle, ActorStart, Exit, Vitals } from "../actors/hosts.ts";
import type { SealedBlobs } from "../engine/sealed-blobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { ReliableChannel } from "../mailbox/rpc/reliable-channel.ts";
import { receive, sender, serve } from "../mailbox/rpc/server.ts";
import {
  type agentNotices,
  attemptNotices,
  attemptRequests,
  type Boarded,
  packKit,
  type RunnerExit,
  type RunnerRules,
  type SentEdits,
} from "../mailbox/runners.ts";

export interface RemoteActorParts {
  readonly clock: Pick<Clock, "now">;
  readonly blobs: SealedBlobs;
  onWarning(message: string): void;
  /** It is no longer suspected of taking its runners with it. */
  onCleared(): void;
  /** It has ended here, however; a runner that still has it must end it. */
  onEnd(runner: string | null): void;
}

/** Milliseconds without a sign of its runner after which the user is notified. */
const AWAY_MS = 10_000;
/** Milliseconds on a runner after which it is no longer suspected, also without a turn: others wait for that, and it may wait for its user. */
const SUSPECT_MS = 600_000;

const UNKNOWN =
  "Result unknown: the machine on which this call ran was lost while it ran. It was not run again; look at what it has done before you do.";

/** One attempt of an actor that runs elsewhere, or waits for a runner. */
export class RemoteActor implements ActorHandle {
  readonly start: ActorStart;
  readonly #parts: RemoteActorParts;
  readonly #exit = Promise.withResolvers<Exit>();
  readonly exited = this.#exit.promise;
  /** Its own calls that may run, and have no result yet. */
  readonly #running = new Set<CallId>();
  #channel: ReliableChannel | null = null;
  /** Its ID. */
  #runner: string | null = null;
  /** Its name, for users; its ID until it has boarded. */
  #name = "";
  #hasBoarded = false;
  /** Its loop runs on the runner, which has its files. */
  #hasBegun = false;
  #beatAt = 0;
  /** Milliseconds since then in which it could have been heard. */
  #silentMs = 0;
  #isOver = false;
  #isLeaving = false;
  #isSuspect: boolean;
  /** When it got its runner. */
  #servedAt = 0;
  /** Resolves when the edits that have arrived are taken. */
  #taken: Promise<void> = Promise.resolve();
  readonly #recording = new Set<Promise<unknown>>();
  #isWatched = false;
  /** The rules that its runner has, as text. */
  #sentRules = "";

  constructor(start: ActorStart, parts: RemoteActorParts) {
    this.start = start;
    this.#parts = parts;
    this.#isSuspect = start.isSuspect;
  }

  /** Whose it is; null while it waits for one. */
  get runner(): string | null {
    return this.#runner;
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  get channel(): ReliableChannel | null {
    return this.#channel;
  }

  noteBeat(): void {
    this.#beatAt = this.#parts.clock.now();
    this.#silentMs = 0;
    if (this.#runner !== null && this.#beatAt - this.#servedAt > SUSPECT_MS) this.#clear();
  }

  /** Its runner could be heard between these times. Returns the milliseconds of silence since it was. */
  addSilence(from: number, to: number): number {
    this.#silentMs += Math.max(0, to - Math.max(from, this.#beatAt));
    return this.#silentMs;
  }

  #clear(): void {
    if (!this.#isSuspect) return;
    this.#isSuspect = false;
    this.#parts.onCleared();
  }

  /** It is this runner's from now on, which must still board before anything of it runs. */
  serveOn(channel: ReliableChannel, runner: string): void {
    this.#channel = channel;
    this.#runner = runner;
    this.#name = runner;
    this.#servedAt = this.#parts.clock.now();
    this.noteBeat();
    const { services, elsewhere } = this.start;
    const { blobs } = this.#parts;
    /** Its next attempt takes files along that a merge has changed here. Before the response, so that it does not go on without them. */
    const parkIfNew = () => {
      if (elsewhere?.hasNewFiles())
        sender<typeof agentNotices>(channel)("park", "a merge has changed its files");
    };
    const running = this.#running;
    const check = () => {
      if (this.#isOver || !this.#hasBoarded) throw new Error("This attempt of the agent is not under way.");
    };
    /** Recorded in their order, each with its edits: what is recorded as done is done here as well. */
    const recorded =
      <Q extends { readonly edits?: SentEdits | undefined }, A>(record: (question: Q) => Promise<A>) =>
      (question: Q): Promise<A> => {
        const { edits } = question;
        const taken = this.#taken.then(async () => {
          check();
          if (edits === undefined) return;
          const bundle = edits.bundle === null ? null : await blobs.take(edits.bundle);
          await elsewhere?.takeEdits(edits.commit, bundle);
        });
        this.#taken = taken.catch(() => {});
        const answer = taken.then(() => {
          check();
          return record(question);
        });
        this.#recording.add(answer);
        return answer.finally(() => this.#recording.delete(answer));
      };
    /** Of one that has boarded, and not ended. */
    const served =
      <Q, A>(answer: (question: Q) => Promise<A>) =>
      (question: Q): Promise<A> => {
        check();
        this.#hasBegun = true;
        this.#updateRules(channel);
        return answer(question);
      };
    serve(
      channel,
      attemptRequests,
      {
        kit: () => packKit(this.start.spec),
        board: ({ runner: name, lacks }) => this.#board(name, lacks),
        before: served(async (call) => {
          const decision = await services.before(call);
          if (decision.type === "go") running.add(call.id);
          return decision;
        }),
        after: recorded(({ after }) => {
          running.delete(after.id);
          return services.after(after);
        }),
        callTool: served(services.callTool),
        reply: served(services.reply),
        async files({ have, hasRemote = false }) {
          check();
          if (elsewhere === null) throw new Error("This agent has no files of its own.");
          const { bundle, ...files } = await elsewhere.sendFiles(have, hasRemote);
          return { ...files, bundle: bundle === null ? null : await blobs.put(bundle) };
        },
        turn: recorded(async ({ turn }) => {
          const answer = await services.turn(turn);
          this.#clear();
          parkIfNew();
          return answer;
        }),
        finish: recorded(async ({ finish }) => {
          const answer = await services.finish(finish);
          if (answer.type === "more") parkIfNew();
          return answer;
        }),
        compacting: served(services.compacting),
        compacted: served(services.compacted),
        hidden: served(async (found) => [...(await services.hidden(found))]),
      },
      { remember: { most: 200, large: new Set() } },
    );
    receive(channel, attemptNotices, {
      report: (report) => {
        this.#hasBegun = true;
        if (!this.#isOver) this.start.onReport(report);
      },
      paid: (paid) => elsewhere?.paid(paid),
      remark: (sentence) => this.#parts.onWarning(sentence),
      sign() {},
      exit: (exit) => void this.#leave(exitOf(exit)),
    });
  }

  /** Returns the rules in force, which are sent to its runner. */
  sendRules(): RunnerRules {
    const rules = this.start.elsewhere?.rules() ?? { mode: "default", rules: [] };
    this.#sentRules = JSON.stringify(rules);
    return rules;
  }

  /** It cannot be offered at all; `reason` is a sentence. */
  fail(reason: string): void {
    this.#end({ type: "threw", message: reason });
  }

  /** Why it has no runner yet, as a clause. */
  wait(reason: string): void {
    if (this.#runner === null && !this.#isOver)
      this.start.onReport({ type: "place", runner: null, waits: reason });
  }

  /** Its runner was not heard of for too long. */
  lose(): void {
    void this.#leave({ type: "lost", runner: this.#name, begun: this.#hasBegun });
  }

  watch(on: boolean): void {
    this.#isWatched = on;
    if (this.#channel && this.#hasBoarded) sender<typeof agentNotices>(this.#channel)("watch", on);
  }

  cancel(reason: string): void {
    if (this.#channel && this.#hasBoarded) sender<typeof agentNotices>(this.#channel)("cancel", reason);
    else this.#end({ type: "terminated" });
  }

  terminate(): void {
    this.#end({ type: "terminated" });
  }

  vitals(): Vitals {
    if (!this.#hasBoarded) return { type: "unknown" };
    const sinceMs = this.#parts.clock.now() - this.#beatAt;
    return sinceMs < AWAY_MS ? { type: "unknown" } : { type: "away", sinceMs };
  }

  #board(name: string, lacks: readonly string[]): Boarded {
    if (this.#isOver) return "cancelled";
    this.#name = name;
    if (lacks.length > 0) {
      this.#settle({
        type: "threw",
        message: `The runner ${name} lacks ${lacks.join(", ")}: update it, or this Troupe`,
      });
      return "unfit";
    }
    this.#hasBoarded = true;
    this.start.onReport({ type: "place", runner: name, waits: null });
    if (this.#isWatched) this.watch(true);
    return "go";
  }

  /** The user may have changed them since they were sent to the runner. */
  #updateRules(channel: ReliableChannel): void {
    const before = this.#sentRules;
    const rules = this.sendRules();
    if (this.#sentRules !== before) sender<typeof agentNotices>(channel)("rules", rules);
  }

  /** What ran when it left has an unknown result, which is recorded before its next attempt starts. */
  async #leave(exit: Exit): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    // What has arrived is recorded first.
    while (this.#recording.size > 0) await Promise.allSettled(this.#recording);
    if (this.#isOver) return;
    const { after } = this.start.services;
    this.#isOver = true;
    for (const id of this.#running) {
      const result = { content: UNKNOWN, isError: true };
      await after({ id, isError: true, result }).catch(({ message }: Error) =>
        this.#parts.onWarning(message),
      );
    }
    this.#settle(exit);
  }

  #end(exit: Exit): void {
    if (!this.#isOver) this.#settle(exit);
  }

  #settle(exit: Exit): void {
    this.#isOver = true;
    this.#channel?.close();
    this.start.elsewhere?.endTravel();
    this.#parts.onEnd(this.#runner);
    this.#exit.resolve(exit);
  }
}

function exitOf(exit: RunnerExit): Exit {
  return exit.type === "died" ? { type: "threw", message: `Its process died: ${exit.message}` } : exit;
}
