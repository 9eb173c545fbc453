import type { SessionSide } from "../actors/hosts.ts";
import type { AgentDefinition } from "../context/agents/definition.ts";
import type { SessionState } from "../journal/session-state.ts";
import type { Access, AfterAnswer, Call, CallDecision } from "../mailbox/calls.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type { ActorSpec, LastTurn, Reply, Summary, Turn } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { Isolation, MergeMode } from "../mailbox/worktree.ts";
import type { Grounds } from "../policy/judgement.ts";
import type { ToolEnd } from "../tools/bind-tool.ts";
import type { KnownTool } from "../tools/toolbox.ts";
import type { Actor } from "./actor-record.ts";
import type { Notice } from "./notices.ts";
import type { CommandPlace, RunningCall } from "./running-call.ts";

/**
 * Where features plug into the core. A feature is a plain object with some of these functions. The core calls those of all
 * features in the order in which the session lists them (`session/open-session.ts`).
 */
export interface Joints {
  /**
   * Before the spec of a new agent is made: what it gets of its own. Rejects with a sentence if it cannot be had, or with
   * the signal's reason; what was held for the agent is then given back by the event `released`.
   */
  prepareSpawn?(spawn: PreparedSpawn): Promise<SpawnNeeds> | null;
  /** Before a run is recorded, for a new agent or one that is resumed: throws a sentence if it must not start. */
  reserve?(spec: ActorSpec, definition: AgentDefinition | null): void;
  /**
   * Before an actor's loop starts. If it returns something to wait for, the loop starts when that resolves; with a
   * sentence instead of null, the run ends as `failed`. Must not reject.
   */
  prepareStart?(actor: Actor): StartNeeds | null;
  /**
   * Before each request to the model: a notice that is added to its input, and why the next reply must be the last. What
   * it returns is used: a feature may count it as delivered, or reserve for it. A throw fails the run.
   */
  beforeTurn?(actor: Actor): BeforeTurn;
  /** Whether a call may run. The first feature that decides has decided; a call that none decides is refused. A rejection refuses. */
  evaluateCall?(call: RequestedCall): Promise<Evaluation>;
  /**
   * After a call was allowed, and before it runs. A refusal ends the call (`afterCall` follows), a rejection too. May wait
   * as long as the signal is not aborted.
   */
  prepareCall?(call: StartingCall): Promise<CallNotes> | CallNotes;
  /** After a call, however it ended: what is added to its result. Its files are its own until the last feature has returned. */
  afterCall?(call: EndedCall): Promise<AfterAnswer> | AfterAnswer;
  /** What else an actor may request. One feature serves each request; what none serves is refused. */
  services?(actor: Actor, attempt: Attempt): Partial<FeatureServices>;
  /** What the session does for an actor that runs on a runner. One feature does it. */
  elsewhere?(actor: Actor): SessionSide;
  /** What runs in the background of an actor, other than agents, and keeps the actor from ending. */
  keepsAlive?(actor: Actor): readonly KeptAlive[];
  /**
   * When an actor has answered, and nothing keeps it from ending: returns the summary, changed or not, or a message with
   * which the actor continues. Must not reject; an aborted signal means that the actor was stopped.
   */
  beforeFinish?(answer: Answer): Promise<FinishDecision>;
  /**
   * When a run has ended, however: returns a changed summary, and what must be done before that is durable (bounded by
   * 40 s). Runs in the moment of the end; a throw is a warning, and the summary stays as it was.
   */
  onEnd?(end: RunEnd): EndChanges;
  /** Moves what runs for an actor's calls to the background, and returns how much that was. */
  toBackground?(owner: ActorId): number;
  /** Something has happened. Nothing that it throws or does may depend on other features. */
  onEvent?(event: CoreEvent): void;
}

export interface PreparedSpawn {
  readonly id: ActorId;
  readonly definition: AgentDefinition;
  /** The directory that the asking agent works in. */
  readonly from: string;
  /** What the call says, else the definition. */
  readonly isolation: "worktree" | undefined;
  readonly merge: MergeMode | undefined;
  /** It works on a runner, so it always has files of its own. */
  readonly isAway: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What an agent has of its own. */
export interface SpawnNeeds {
  readonly root?: string;
  readonly isolation?: Isolation;
  /** The MCP servers that its definition brings, by their slugs. */
  readonly servers?: readonly string[];
}

export interface StartNeeds {
  /** What the live tree shows while the actor waits. */
  readonly tool: string;
  readonly title: string;
  /** A sentence if the run cannot start. */
  readonly ready: Promise<string | null>;
}

export interface BeforeTurn {
  readonly notice?: Notice | null;
  readonly last?: LastTurn | null;
}

/** A call that an agent asks for. */
export interface RequestedCall {
  readonly actor: Actor;
  readonly call: Call;
  readonly tool: KnownTool;
  /** Where the agent stands. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export type Evaluation = Grounds &
  (
    | ({
        readonly type: "go";
        /** What it may run with. */
        readonly input: unknown;
        readonly rewritten: boolean;
        /** What a hook says to the model, with the result. */
        readonly context?: string;
        /** What hooks have made of the files that it writes. */
        readonly changed?: Allowed["changed"];
      } & CommandPlace)
    /** `refusal`: what the model reads. */
    | { readonly type: "refuse"; readonly refusal: string }
  );

type Allowed = Extract<CallDecision, { type: "go" }>;

/** A call that was allowed. */
export interface StartingCall {
  readonly actor: Actor;
  readonly id: CallId;
  readonly tool: KnownTool;
  readonly running: RunningCall;
  readonly accesses: readonly Access[];
  readonly signal: AbortSignal;
}

/** `refusal`: it must not run after all. */
export type CallNotes =
  | { readonly refusal: string }
  | (Pick<Allowed, "watched" | "filtered" | "lastWriters" | "additionalDirs"> & { readonly refusal?: never });

export interface EndedCall {
  readonly actor: Actor;
  readonly id: CallId;
  readonly running: RunningCall;
  readonly isError: boolean;
  /** Null: it did not run, or ended without one. */
  readonly result: ToolEnd | null;
  /** Why a feature did not let it run. */
  readonly refusal?: string;
  /** Why a hook on the call's machine ends the conversation. */
  readonly stop?: string;
  readonly signal: AbortSignal;
}

/** Requests of an actor that features serve. */
export type FeatureServices = Pick<
  Services,
  "run" | "command" | "background" | "hidden" | "compacting" | "compacted"
>;

export interface Attempt {
  /** False once the actor has a newer attempt. */
  isCurrent(): boolean;
}

export interface KeptAlive {
  readonly title: string;
  readonly ended: Promise<unknown>;
  /** Agents end by themselves; a command need not. */
  readonly kind: "agent" | "command";
}

export interface Answer {
  readonly actor: Actor;
  /** Its last reply. */
  readonly text: string;
  /** With its earlier answers of this run. */
  readonly summary: Summary;
  /** It had answered before the program died, and hooks have had their say. */
  readonly isRestored: boolean;
  readonly signal: AbortSignal;
}

export type FinishDecision = { readonly summary: Summary } | { readonly continueWith: string };

export interface RunEnd {
  readonly actor: Actor;
  readonly summary: Summary;
  /** The main conversation is idle, not gone: what runs in its background continues. */
  readonly isIdle: boolean;
}

export interface EndChanges {
  readonly summary?: Summary;
  /** Called when no process of the run is left. Must not reject. */
  readonly save?: (summary: Summary) => Promise<Summary>;
}

export type CoreEvent =
  /** A line of the live tree is another one. */
  | { readonly type: "changed"; readonly actor: Actor }
  /** A reply that has calls, before they run. */
  | { readonly type: "reply"; readonly actor: Actor; readonly reply: Reply }
  /** A call that may not run; `call.input` is what was evaluated. */
  | ({ readonly type: "refused"; readonly actor: Actor; readonly call: Call; readonly reason: string } & Pick<
      RunningCall,
      "title" | "description"
    >)
  /** A turn is recorded. */
  | { readonly type: "turn"; readonly actor: Actor; readonly turn: Turn }
  /** A run has ended, or an agent was prepared and not started: whatever is held for it is free. */
  | { readonly type: "released"; readonly id: ActorId; readonly actor: Actor | null }
  /** The actors of a resumed session are known again, and none of them runs. */
  | { readonly type: "replayed"; readonly state: SessionState; readonly actors: readonly Actor[] }
  /** One that was cut off with a process before continues. */
  | { readonly type: "resumed"; readonly actor: Actor }
  /** The user has sent an actor that works a line, which its next turn reads. */
  | { readonly type: "queued"; readonly actor: Actor; readonly id: string; readonly text: string }
  | { readonly type: "withdrawn"; readonly actor: Actor; readonly id: string }
  /** The main conversation is idle and has input, or has just become idle. */
  | { readonly type: "idle" };
