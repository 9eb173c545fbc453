import type { ActorId } from "../../mailbox/ids.ts";
import type { Roots } from "./moved-paths.ts";

/** The actor for which hooks run: their processes end with it. */
export interface HookCaller {
  readonly owner: ActorId;
  readonly cwd: string;
  /**
   * Its worktree, if it works on a runner and these hooks run in the session: they start there, and get and print
   * paths as for an agent that works here.
   */
  readonly away?: Roots;
  /** Its commands after a call run where the call was made. */
  readonly commandsElsewhere?: true;
  /** Where paths in rules start, if not in the project's directory: the agent's worktree. */
  readonly root?: string;
  readonly permissionMode: string;
  /** Absent for the main conversation. */
  readonly agentType?: string;
  /** The files of the skills that it uses now. */
  readonly skills?: readonly string[];
}

export interface HookedCall {
  /** The tool's name and its other names; a matcher can mean any of them. */
  readonly names: readonly [string, ...string[]];
  readonly input: unknown;
  /** The provider's ID, as the model wrote it. */
  readonly toolUseId: string;
}

/** How a call ended: what its tool returned, or why it failed. */
export type CallEnd =
  | { readonly event: "PostToolUse"; readonly response: Readonly<Record<string, unknown>> }
  | {
      readonly event: "PostToolUseFailure";
      readonly error: string;
      /** The agent was stopped during the call. */
      readonly interrupted: boolean;
    };

/** `stop`: why the conversation must end, if a hook printed `continue: false`; applies after the rest of the result. */
interface Stoppable {
  readonly stop?: string;
}

export type PreToolUse =
  /** No hook objects. The rules still decide whether the call may run. */
  | {
      readonly type: "go";
      /**
       * `ask`: the user must be asked. `allow`: the call may run without a question; a deny, an ask rule and calls that
       * always ask are stronger.
       */
      readonly decision?: "allow" | "ask";
      /** Why, in the hooks' text. */
      readonly reason?: string;
      /** Replaces the call's input; validated and decided like any other. */
      readonly input?: unknown;
      /** For the model, in addition to the result. */
      readonly context?: string;
    }
  | ({ readonly type: "deny"; readonly reason: string } & Stoppable);

export type PermissionAnswer =
  /** The user has to decide. */
  | { readonly type: "none" }
  /** For the user; a rule is stronger. */
  | { readonly type: "allow"; readonly reason: string; readonly input?: unknown }
  | ({ readonly type: "deny"; readonly reason: string } & Stoppable);

export interface HookedTask {
  readonly event: "TaskCreated" | "TaskCompleted";
  readonly id: string;
  readonly subject: string;
  readonly description: string;
}

export interface TaskResult extends Stoppable {
  /** Why it must not be created or completed, for the model. */
  readonly block?: string;
}

export interface SubagentStart extends Stoppable {
  /** For the agent, with its task. */
  readonly context?: string;
}

export interface PostToolUse extends Stoppable {
  /** Appended to the result that the model reads. */
  readonly append?: string;
  /** A hook's objection, for the model. The call has run and stays as it is. */
  readonly block?: string;
}

export type UserPromptSubmit =
  | {
      readonly type: "go";
      /** Replaces the prompt's text. */
      readonly prompt?: string;
      readonly context?: string;
    }
  /** No turn starts; the reason is for the user. */
  | { readonly type: "blocked"; readonly reason: string };

export interface Stopping extends HookCaller {
  /** How many times in a row hooks have made this actor continue instead of ending. */
  readonly continued: number;
  readonly lastText: string;
}

export interface StopResult {
  /** The actor must continue, with this message. */
  readonly goOn?: string;
  readonly append?: string;
}

export interface PreCompact {
  /** For the writer of the summary. */
  readonly context?: string;
  /** Why there must be no compaction now. */
  readonly block?: string;
}

export interface SessionStart {
  /** For the model, with the first prompt. */
  readonly context?: string;
}
