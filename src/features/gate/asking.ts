import { textAt } from "../../lib/json.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type {
  ChoiceOutcome,
  PermissionOutcome,
  PermissionQuestion,
  PlanOutcome,
  PlanQuestion,
  QuestionContext,
} from "../../policy/asking/questions.ts";
import { findSubject } from "../../policy/engine/tool-table.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { AskDetail, Asker, Question } from "../../policy/user-requests.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { QuestionService } from "../../tools/ask-user-question.ts";
import type { CallContext } from "../../tools/tool.ts";
import type { KnownTool } from "../../tools/toolbox.ts";

/** The caller, by its call. */
export type AskContext = Pick<CallContext, "actor" | "call" | "signal">;

/** The user as calls of this session reach them: with the agent's ancestors, and its slot released during the wait. */
export interface SessionAsks extends QuestionService {
  /** True if a user can be asked. */
  readonly hasPerson: boolean;
  permission(
    question: Omit<PermissionQuestion, keyof QuestionContext>,
    context: AskContext,
  ): Promise<PermissionOutcome>;
  question(questions: readonly Question[], context: AskContext): Promise<ChoiceOutcome>;
  plan(question: Omit<PlanQuestion, keyof QuestionContext>, context: AskContext): Promise<PlanOutcome>;
}

export function sessionAsks(
  broker: UserRequestBroker,
  actors: Pick<Actors, "find" | "whileWaiting">,
): SessionAsks {
  /** An answer can take hours, in which other agents may run; without a user it comes immediately. */
  const waiting = <T>({ actor }: AskContext, outcome: Promise<T>): Promise<T> => {
    const record = actors.find(actor);
    return record && broker.hasPerson ? actors.whileWaiting(record, outcome) : outcome;
  };
  const asking = ({ actor, call }: AskContext): QuestionContext => ({ asker: askerOf(actors, actor), call });
  return {
    hasPerson: broker.hasPerson,
    permission: (question, context) =>
      waiting(context, broker.permission({ ...question, ...asking(context) }, context.signal)),
    question: (questions, context) =>
      waiting(context, broker.question({ questions, ...asking(context) }, context.signal)),
    plan: (question, context) =>
      waiting(context, broker.plan({ ...question, ...asking(context) }, context.signal)),
  };
}

/** Returns the agent with the descriptions of all above it, the main conversation first (A6.10). */
export function askerOf(actors: Pick<Actors, "find">, id: ActorId): Asker {
  const path: string[] = [];
  for (let at: ActorId | null | undefined = id; at; at = actors.find(at)?.spec.parent) {
    const spec = actors.find(at)?.spec;
    path.unshift(spec === undefined ? at : nameOf(spec));
  }
  return { actor: id, path };
}

function nameOf({ id, type, description }: { id: ActorId; type: string; description: string }): string {
  if (id === MAIN) return description;
  return description === "" ? type : `${type} · ${description}`;
}

/** Returns every argument as the model wrote it; the caller shortens them for display. */
export function detailsOf(input: unknown): AskDetail[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
}

/** Returns the tool's name, and its other names. */
export function namesOf({ offer, names }: KnownTool): readonly [string, ...string[]] {
  return [offer.name, ...names.filter((name) => name !== offer.name)];
}

/** Builds the question for the user about a call. */
export function questionOf(
  { offer, level }: KnownTool,
  given: Pick<
    PermissionQuestion,
    "input" | "cwd" | "scope" | "title" | "details" | "diff" | "reason" | "grants"
  > & {
    readonly toolUse: string;
  },
): Omit<PermissionQuestion, keyof QuestionContext> {
  const description = textAt(given.input, "description");
  return {
    ...given,
    ...{ tool: offer.name, level },
    // The title of a command is the model's own text.
    title: findSubject(offer.name, given.input) ?? given.title,
    // After its input, what the tool shows of it.
    details: [...detailsOf(given.input), ...given.details],
    ...(description === null ? {} : { description }),
  };
}
