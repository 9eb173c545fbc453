import type { FileDiff } from "../lib/file-diff.ts";
import type { ActorId } from "../mailbox/ids.ts";

/** The agent that asks, as the user sees it. */
export interface Asker {
  readonly actor: ActorId;
  /** Descriptions from the main conversation down to the agent, such as `["main conversation", "Explore · find it"]`. */
  readonly path: readonly string[];
}

/** How dangerous a tool is by nature (A6.1, A3.34). */
export type PermissionLevel = "read" | "write" | "execute" | "network";

/** One line of what a call would do. `value` is as the model wrote it: make control and bidi characters visible. */
export interface AskDetail {
  readonly name: string;
  readonly value: string;
}

/** Whether one call may run. */
export interface PermissionRequest {
  readonly type: "permission";
  readonly id: string;
  /** Several if agents asked for the same thing and were merged into this question. */
  readonly askers: readonly [Asker, ...Asker[]];
  readonly tool: string;
  /** Of the tool, whatever this call does. */
  readonly level: PermissionLevel;
  /** JSON. */
  readonly input: unknown;
  /** The model's own ID of the call; absent if no call of a model asks. */
  readonly toolUse?: string;
  /** The command, path or URL as the model wrote it; of other tools the argument that tells calls apart. */
  readonly title: string;
  readonly details: readonly AskDetail[];
  /** What the call would change in a file, as the file is now. */
  readonly diff?: FileDiff;
  /** What the model says that a command is for; nothing has checked it. */
  readonly description?: string;
  /** One sentence: why this is a question, with the rule and its file if a rule asks. */
  readonly reason: string;
  /** The rules that "for this session" would add, as narrow as possible. Empty: it can only be allowed once. */
  readonly grants: readonly string[];
}

/** One option of a question. */
export interface Choice {
  readonly label: string;
  readonly description: string;
  readonly preview?: string;
}

/** One question of AskUserQuestion. */
export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly Choice[];
  readonly multiSelect: boolean;
  /** The first option is a yes and the second a no, so that either word chooses it. */
  readonly yesOrNo?: true;
}

/** AskUserQuestion: one to four questions. "Other", a text of the user, is always offered too. */
export interface QuestionRequest {
  readonly type: "question";
  readonly id: string;
  readonly askers: readonly [Asker, ...Asker[]];
  readonly questions: readonly Question[];
}

/** ExitPlanMode: whether the agent may carry out the plan, and with which permissions. */
export interface PlanRequest {
  readonly type: "plan";
  readonly id: string;
  readonly askers: readonly [Asker, ...Asker[]];
  readonly plan: string;
  /** Where the plan is kept. */
  readonly file: string;
  /** What approval would allow for the session, with the rules that it becomes. */
  readonly allows: readonly { readonly prompt: string; readonly rules: readonly string[] }[];
}

/** A question to the user, as plain data: show it in a terminal, send it to an editor or a script. */
export type UserRequest = (PermissionRequest | QuestionRequest | PlanRequest) & {
  /** Further requests that wait now for their turn; absent if none does. */
  readonly waiting?: number;
};

/** How long an answer to a permission request holds. */
export type Span = "once" | "session";

/** Answers to the questions of one request, by their text. */
export type Answers = Readonly<Record<string, string | readonly string[]>>;

/** What the user can answer. An answer of another type than the request means no. */
export type UserAnswer =
  /**
   * `grants`: those of the request's rules that are allowed for the session (default: all). `input`: it may run with this
   * input instead, which must be valid and is evaluated again (fault 57).
   */
  | {
      readonly type: "allow";
      readonly span: Span;
      readonly grants?: readonly string[];
      readonly input?: Readonly<Record<string, unknown>>;
    }
  /** The agent gets `message`. */
  | { readonly type: "deny"; readonly span: Span; readonly message?: string }
  /** By question text: the chosen label, a list of labels if it takes several, or the user's text. */
  | { readonly type: "answers"; readonly answers: Answers }
  /** `mode`: in which the conversation continues. */
  | { readonly type: "approve"; readonly mode: "default" | "acceptEdits" }
  /** No user could answer, or none did; `reason` is one sentence. */
  | { readonly type: "unavailable"; readonly reason: string };

/**
 * Asks the user: a terminal, a callback of a program, a permission prompt tool. It gets one request at a time. `signal` is
 * aborted when the answer no longer matters. A rejection counts as `unavailable`.
 */
export interface UserHandler {
  ask(ask: UserRequest, signal: AbortSignal): Promise<UserAnswer>;
}
