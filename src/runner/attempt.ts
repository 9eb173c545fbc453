import type { SealedBlobs } from "../engine/sealed-blobs.ts";
import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { Packet } from "../mailbox/rpc/reliable-channel.ts";
import { receive, sender, serve } from "../mailbox/rpc/server.ts";
import { type AttemptId, type OfferedSpec, type RunnerExit, withKit } from "../mailbox/runners.ts";
import type { Gateway, GatewayNotice } from "../model/client.ts";
import type { SandboxSettings } from "../policy/sandbox/sandbox.ts";
import type { Processes } from "../processes/processes.ts";
import { Toolbox } from "../tools/toolbox.ts";
import type { AgentForks, AgentProcess, AgentUser } from "./agent-fork.ts";
import { agentReports, agentRequests, ModelPorts, type processNotices } from "./agent-messages.ts";
import { type AttemptFiles, type AttemptOutputs, makeOutputs, type RunnerFiles } from "./attempt-files.ts";
import { type CallHooks, openCallHooks } from "./call-hooks.ts";
import { type CallRules, openCallRules } from "./call-rules.ts";
import type { KnownKits } from "./known-kits.ts";
import { Outpost } from "./outpost.ts";
import { lacking, type OpenedRules, otherUserRefusal, prepareFiles, setUpTree } from "./prepare-attempt.ts";
import { SessionLink } from "./session-link.ts";
import type { Slot } from "./slot.ts";

/** What all attempts of a runner share. */
export interface AttemptParts {
  readonly clock: Clock;
  readonly name: string;
  readonly version: string;
  /** Troupe's directory on this machine. */
  readonly home: string;
  readonly forks: Pick<AgentForks, "take" | "warm" | "close">;
  readonly gateway: Pick<Gateway, "connect" | "disconnect">;
  readonly processes: Processes;
  readonly files: Pick<RunnerFiles, "prepare">;
  readonly kits: KnownKits;
  /** Returns the bytes that the engine keeps for a session. */
  blobsOf(session: string): SealedBlobs;
  readonly sandbox: Partial<SandboxSettings>;
  readonly slot: Slot;
  /** As whom agents and their commands run. */
  readonly user: AgentUser | undefined;
  onWarning(message: string): void;
}

/** Milliseconds that a cancelled agent may take to write its summary. */
const GRACE_MS = 10_000;
/** Milliseconds for which the session may be silent while an agent waits for it. */
export const SILENT_MS = 30 * 60_000;
/** The same while its runner stops. */
const STOPPING_MS = 60_000;
/** The same before the agent has begun: a session that is still there offers it again. */
const BOARDS_MS = 2 * 60_000;

/** One attempt of an agent on this runner: boards, gets its files, runs in a process of its own, and ends. */
export class RunnerAttempt {
  #offer: OfferedSpec;
  readonly #parts: AttemptParts;
  readonly #link: SessionLink;
  readonly #decided = Promise.withResolvers<RunnerExit>();
  #process: AgentProcess | null = null;
  #notify: ReturnType<typeof sender<typeof processNotices>> = () => {};
  #files: AttemptFiles | null = null;
  #outputs: AttemptOutputs | null = null;
  #outpost: Outpost | null = null;
  #rules: CallRules | null = null;
  #hooks: CallHooks | null = null;
  readonly #settingUp = new AbortController();
  readonly #travelling = new AbortController();
  #cancelled: string | null = null;
  #isWatched = false;
  #whyParks: string | null = null;
  #paid = 0;
  readonly #ended = Promise.withResolvers<void>();
  readonly ended = this.#ended.promise;
  #fault: string | null = null;
  #isContinued = false;
  #hasBoarded = false;
  #isOver = false;
  #withdrawGrace = () => {};

  constructor(offer: OfferedSpec, parts: AttemptParts, send: (packet: Packet) => void) {
    this.#offer = offer;
    this.#parts = parts;
    this.#link = new SessionLink({
      ...{ clock: parts.clock, send },
      notices: {
        cancel: (reason) => this.#cancel(reason),
        watch: (on) => {
          this.#isWatched = on;
          this.#notify("watch", on);
        },
        park: (reason) => {
          this.#isContinued = true;
          this.park(reason);
        },
        rules: (rules) => {
          this.#rules?.replace(rules);
          this.#hooks?.replace(rules);
        },
      },
    });
  }

  /** Its spec has its kit once it has boarded. */
  get offer(): OfferedSpec {
    return this.#offer;
  }

  get id(): AttemptId {
    const { session, actor, attempt } = this.offer;
    return { session, actor, attempt };
  }

  /** Why this machine could not prepare its files, as a clause; null if it could, or something else failed. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Its session continues it with other files. */
  get isContinued(): boolean {
    return this.#isContinued;
  }

  get hasFiles(): boolean {
    return this.#files !== null;
  }

  /** It only waits for its session, and takes no slot. */
  get isWaiting(): boolean {
    return this.#parts.slot.isLent;
  }

  /** It has ended, with all that ran for it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Its session knows that it is here. */
  get hasBoarded(): boolean {
    return this.#hasBoarded;
  }

  /** Its session has heard everything. */
  get isThrough(): boolean {
    return this.#link.isThrough;
  }

  receive(packet: Packet): void {
    this.#link.receive(packet);
  }

  resend(): void {
    this.#link.resend();
  }

  /** Ends it at its next call, so that another runner continues it. `reason` is a clause. */
  park(reason: string): void {
    this.#whyParks ??= reason;
    if (this.#outpost !== null) this.#outpost.park();
    else this.#decided.resolve({ type: "parked", reason });
  }

  /** Ends it now; another runner continues it from its last turn. */
  abandon(reason: string): void {
    this.#decided.resolve({ type: "parked", reason });
  }

  /** Ends it immediately; its session has no use for what it would still send. */
  dismiss(): void {
    this.#link.close();
    this.terminate();
  }

  terminate(): void {
    this.#decided.resolve({ type: "terminated" });
  }

  /** Ends it if its session is gone for too long; a runner that stops does not wait for it. */
  checkSession(): void {
    const { silentMs } = this.#link;
    if (!this.#hasBoarded && silentMs > BOARDS_MS) this.dismiss();
    else if (silentMs > SILENT_MS) this.abandon("its session did not respond for 30 minutes");
    else if (this.#whyParks !== null && silentMs > STOPPING_MS) this.abandon(this.#whyParks);
  }

  /** It was paid for a request to a model, which its session books. */
  pay({ model, asked, usage, apiMs, broken, odd }: Extract<GatewayNotice, { type: "usage" }>): void {
    this.#paid += 1;
    const id = `${this.offer.attempt}-${this.#paid}`;
    this.#link.pay({
      ...{ id, model, asked, usage, apiMs },
      ...(broken ? { broken } : {}),
      ...(odd ? { odd } : {}),
    });
  }

  /** Resolves when it has ended, with all that ran for it. Never rejects. */
  async run(): Promise<void> {
    await this.#run();
    this.#isOver = true;
    this.#ended.resolve();
  }

  async #run(): Promise<void> {
    const { gateway, processes, onWarning } = this.#parts;
    const exit = await this.#boardAndRun();
    this.#parts.slot.close();
    this.#travelling.abort(new Error("The attempt is over."));
    this.#process?.kill();
    this.#withdrawGrace();
    gateway.disconnect(this.offer.actor);
    this.#outpost?.close();
    if (exit !== null) this.#link.exit(exit);
    await this.#hooks?.close();
    await processes.stopOwner(this.offer.actor);
    await this.#files?.release().catch((error: unknown) => onWarning(errorMessage(error)));
    await this.#rules?.sandbox.close();
    await this.#outputs?.remove().catch((error: unknown) => onWarning(errorMessage(error)));
  }

  /** Its session has heard of its end, or need not. */
  close(): void {
    this.#link.close();
  }

  /** Returns how it ended, or null if it did not begin. */
  async #boardAndRun(): Promise<RunnerExit | null> {
    const { name, version, files } = this.#parts;
    const decided = this.#decided.promise;
    if (this.#whyParks !== null) return { type: "parked", reason: this.#whyParks };
    const ended = await Promise.race([this.#addKit(), decided]);
    if (ended !== null) return ended;
    const lacks = lacking(this.offer);
    const boarding = this.#link
      .request("board", "board", { runner: name, version, lacks })
      .catch(() => "cancelled" as const);
    const boarded = await Promise.race([boarding, decided]);
    if (typeof boarded !== "string") return boarded;
    if (boarded !== "go") return null;
    this.#hasBoarded = true;
    const refusal = otherUserRefusal(this.offer, this.#parts);
    if (refusal !== null) return { type: "threw", message: refusal };
    try {
      const { preparing, result } = prepareFiles(this.offer, {
        ...{ link: this.#link, name, files, blobs: this.#parts.blobsOf(this.offer.session) },
        signal: this.#travelling.signal,
        onFault: (reason) => {
          this.#fault = reason;
        },
      });
      const own = await Promise.race([result, decided]);
      if ("type" in own) {
        // Its session may never answer; what comes all the same is not kept.
        void preparing.then((late) => late.release()).catch(() => {});
        return own;
      }
      this.#files = own;
      const rules = this.#openRules(own);
      const { signal } = this.#settingUp;
      const isSetUp = await Promise.race([setUpTree(this.offer, rules, { ...this.#parts, signal }), decided]);
      if (typeof isSetUp !== "boolean") return isSetUp;
      if (!isSetUp) return { type: "terminated" };
      return await Promise.race([this.#runIn(own, rules), decided]);
    } catch (error) {
      return { type: "threw", message: errorMessage(error) };
    }
  }

  async #addKit(): Promise<RunnerExit | null> {
    try {
      const kit = await this.#parts.kits.find(this.offer.kit, () => this.#link.request("kit", "kit", null));
      this.#offer = { ...this.offer, spec: withKit(this.offer.spec, kit) };
      return null;
    } catch (error) {
      return { type: "threw", message: errorMessage(error) };
    }
  }

  #openRules({ git }: AttemptFiles): OpenedRules {
    const { processes, clock, home, sandbox, user, onWarning } = this.#parts;
    const { offer } = this;
    const outputs = makeOutputs(user);
    this.#outputs = outputs;
    const toolbox = new Toolbox(() => false);
    toolbox.fill({ ours: [], custom: [] });
    const rules = openCallRules({
      ...{ offer, toolbox, processes, clock, home, sandbox, onWarning, outputs: outputs.folder, git },
    });
    this.#rules = rules;
    return { outputs, toolbox, rules };
  }

  async #runIn(files: AttemptFiles, { outputs, toolbox, rules }: OpenedRules): Promise<RunnerExit> {
    const { forks, gateway, processes, clock, name, sandbox, slot } = this.#parts;
    const { offer } = this;
    const hooks = openCallHooks({
      ...{ offer, name, processes, outputs, clock },
      sandbox: (sandbox.mode ?? "off") === "off" ? null : rules.sandbox.commands,
      onRemark: (sentence) => this.#link.remark(sentence),
      onLater: (notice) => outpost.notify(notice),
      onEnded: () => outpost.noteChange(),
    });
    this.#hooks = hooks;
    const outpost = new Outpost({
      ...{ offer, session: this.#link, rules, hooks, toolbox, processes, outputs, clock },
      ...{ files, slot },
      onParked: () => this.abandon(this.#whyParks ?? "its runner stops"),
      onFault: (reason) => this.abandon(reason),
      onFailed: (message) => this.#decided.resolve({ type: "threw", message }),
    });
    this.#outpost = outpost;
    const agent = forks.take();
    this.#process = agent;
    if (agent.pid !== undefined) files.setOwner(agent.pid);
    const notify = sender<typeof processNotices>(agent.channel);
    this.#notify = notify;
    serve(agent.channel, agentRequests, outpost.handlers());
    const ports = new ModelPorts(
      (message) => notify("model", message),
      () => gateway.connect(offer.actor, false),
    );
    const ended = Promise.withResolvers<RunnerExit>();
    receive(agent.channel, agentReports, {
      report: (report) => {
        if (this.#isWatched || report.type === "progress") this.#link.report(report);
      },
      ended: (end) => ended.resolve(end),
      model: (message) => ports.receive(message),
    });
    notify("begin", offer.spec);
    if (this.#isWatched) notify("watch", true);
    if (this.#cancelled !== null) this.#cancel(this.#cancelled);
    if (this.#whyParks !== null) outpost.park();
    const exit = await Promise.race([ended.promise, agent.ended]);
    ports.close();
    if (exit.type === "returned") await agent.end();
    return exit;
  }

  #cancel(reason: string): void {
    this.#cancelled = reason;
    this.#settingUp.abort(new Error(reason));
    this.#notify("cancel", reason);
    this.#outpost?.stopping.abort(new Error(reason));
    this.#withdrawGrace();
    this.#withdrawGrace = this.#parts.clock.after(GRACE_MS, () => this.terminate());
  }
}
