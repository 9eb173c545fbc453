import type { ActorId } from "../../mailbox/ids.ts";

/** On whose behalf hooks run: their processes end with this actor. */
export interface HookCaller {
  readonly owner: ActorId;
  readonly cwd: string;
  readonly permissionMode: string;
  /** Absent for the main conversation. */
  readonly agentType?: string;
}

export interface HookedCall {
  /** The tool's name and its other names; a matcher may mean any of them. */
  readonly names: readonly [string, ...string[]];
  readonly input: unknown;
  /** The provider's, as the model wrote it. */
  readonly toolUseId: string;
}

/** How a call ended: what its tool returned, or why it failed. */
export type CallEnd =
  | { readonly event: "PostToolUse"; readonly response: Readonly<Record<string, unknown>> }
  | {
      readonly event: "PostToolUseFailure";
      readonly error: string;
      /** The agent was stopped meanwhile. */
      readonly interrupted: boolean;
    };

/**
 * Why the conversation is to end, where a hook said `continue: false`. To be taken after the rest of the
 * result.
 */
interface Stoppable {
  readonly stop?: string;
}

export type PreToolUse =
  /**
   * No hook is against it, which is all that this says: whether it may run is still to be decided by the rules.
   */
  | {
      readonly type: "go";
      /**
       * `ask`: the person must be asked. `allow`: instead of a question the call may run; a deny, an ask rule
       * and what is always asked stand above it.
       */
      readonly decision?: "allow" | "ask";
      /** Why, as the hooks put it. */
      readonly reason?: string;
      /** Takes the place of the call's; to be validated and decided like any other. */
      readonly input?: unknown;
      /** For the model, besides the result. */
      readonly context?: string;
    }
  | ({ readonly type: "deny"; readonly reason: string } & Stoppable);

export interface PostToolUse extends Stoppable {
  /** To be appended to the result that the model reads. */
  readonly append?: string;
  /** What a hook objects to, for the model. The call has run and stays what it was. */
  readonly block?: string;
}

export type UserPromptSubmit =
  | {
      readonly type: "go";
      /** Takes the place of the prompt's text. */
      readonly prompt?: string;
      /** To be appended to the prompt. */
      readonly context?: string;
    }
  /** No turn begins; the reason is for the person. */
  | { readonly type: "blocked"; readonly reason: string };

export interface Stopping extends HookCaller {
  /** How often in a row hooks have already made this actor go on instead of ending. */
  readonly goneOn: number;
  readonly lastText: string;
}

export interface StopResult {
  /** The actor is to go on, with this as what it is told. */
  readonly goOn?: string;
  /** To be shown after what the actor said. */
  readonly append?: string;
}

export interface PreCompact {
  /** For whoever writes the summary. */
  readonly context?: string;
  /** Why there should be none now. */
  readonly block?: string;
}

export interface SessionStart {
  /** For the model, with the first prompt. */
  readonly context?: string;
}
