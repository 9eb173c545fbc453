import type { ActorId } from "../mailbox/ids.ts";

/** The agent that asks, as a person sees it: itself last, the main conversation first. */
export interface Asker {
  readonly actor: ActorId;
  /** Descriptions from the main conversation down to the agent, such as `["main conversation", "Explore · find it"]`. */
  readonly path: readonly string[];
}

/** How dangerous a tool is by nature (A6.1, A3.34). */
export type PermissionLevel = "read" | "write" | "execute" | "network";

/** One line of what a call would do. `value` is as the model wrote it; who shows it makes control and bidi characters visible. */
export interface AskDetail {
  readonly name: string;
  readonly value: string;
}

/** Whether one call may run. */
export interface PermissionRequest {
  readonly type: "permission";
  readonly id: string;
  /** More than one where several agents asked for the very same thing and were merged into this question. */
  readonly askers: readonly [Asker, ...Asker[]];
  readonly tool: string;
  /** Of the tool, whatever this call of it does. */
  readonly level: PermissionLevel;
  /** What it would be called with, as JSON. */
  readonly input: unknown;
  /** The model's own id of the call; absent where no call of a model asks. */
  readonly toolUse?: string;
  /** The command, path or URL itself, as the model wrote it; of other tools the argument that tells calls apart. */
  readonly title: string;
  readonly details: readonly AskDetail[];
  /** What the model says a command is for: its words, which nothing has checked. */
  readonly description?: string;
  /** One sentence: why this is a question, with the rule and the file it stands in where one made it so. */
  readonly reason: string;
  /** The rules that "for this session" would add, as narrow as they can be; none: it can only be allowed once. */
  readonly grants: readonly string[];
}

export interface Choice {
  readonly label: string;
  readonly description: string;
  readonly preview?: string;
}

export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly Choice[];
  readonly multiSelect: boolean;
  /** The first option is a yes and the second a no, so that either word chooses it. */
  readonly yesOrNo?: true;
}

/** AskUserQuestion: one to four questions; "Other", a text of one's own, is always offered besides the options. */
export interface QuestionRequest {
  readonly type: "question";
  readonly id: string;
  readonly askers: readonly [Asker];
  readonly questions: readonly Question[];
}

/** ExitPlanMode: whether the plan is to be carried out, and with which permissions. */
export interface PlanRequest {
  readonly type: "plan";
  readonly id: string;
  readonly askers: readonly [Asker];
  readonly plan: string;
  /** Where the plan is kept. */
  readonly file: string;
  /** What approval would allow for the session: what was asked for, and the rules it becomes. */
  readonly allows: readonly { readonly prompt: string; readonly rules: readonly string[] }[];
}

/** A question to the person. Plain data: it may be shown in a terminal, sent to an editor or a script. */
export type UserRequest = PermissionRequest | QuestionRequest | PlanRequest;

/** How long an answer to a permission ask holds. */
export type Span = "once" | "session";

export type Answers = Readonly<Record<string, string | readonly string[]>>;

/** What a person can say. An answer of another kind than the ask means no. */
export type UserAnswer =
  /**
   * `grants`: the rules of the ask's that are allowed for the session; all where absent. `input`: it may run with this
   * input instead, which must fit and which the rules decide on again (fault 57).
   */
  | {
      readonly type: "allow";
      readonly span: Span;
      readonly grants?: readonly string[];
      readonly input?: Readonly<Record<string, unknown>>;
    }
  /** `message` is told to the agent. */
  | { readonly type: "deny"; readonly span: Span; readonly message?: string }
  /** By question text: the label chosen, a list of labels where it takes several, or the person's own words. */
  | { readonly type: "answers"; readonly answers: Answers }
  /** `mode` is what the conversation goes on in once a plan is approved. */
  | { readonly type: "approve"; readonly mode: "default" | "acceptEdits" }
  /** There is nobody who could answer, or nobody did; `reason` is one sentence. */
  | { readonly type: "nobody"; readonly reason: string };

/**
 * Whoever can be asked: a terminal, a library user's callback, a permission prompt tool. One ask at a time
 * reaches it. Aborted when the answer no longer matters; a rejection counts as nobody.
 */
export interface UserHandler {
  ask(ask: UserRequest, signal: AbortSignal): Promise<UserAnswer>;
}
