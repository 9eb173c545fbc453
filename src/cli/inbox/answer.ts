import type { WaitingFile } from "../../features/inbox/waiting-file.ts";
import type { UserAnswer } from "../../policy/user-requests.ts";
import { UsageError } from "../exit-codes.ts";
import { permissionReply } from "../repl/asks/permission.ts";
import { planReply, questionReply } from "../repl/asks/question.ts";

type Request = WaitingFile["request"];

/** What can be answered, in one line. */
export function answersTo(request: Request): string | null {
  switch (request.type) {
    case "permission":
      return request.grants.length > 0
        ? "y, s (for this session), n or d, with a reason if you like"
        : "y, n or d, with a reason if you like";
    case "question":
      return request.questions.length > 1
        ? "one answer for each question"
        : "a number, yes or no, or your own text";
    case "plan":
      return "y, a (and accept edits) or n, with a reason if you like";
    case "paused":
      return null;
    default:
      return request satisfies never;
  }
}

/** What was typed, as a whole and split at spaces; what is in quotes is not split. */
export interface TypedAnswer {
  readonly line: string;
  readonly words: readonly string[];
}

/** Reads an answer as it would be typed where the session runs. Throws a `UsageError` for what decides nothing. */
export function readInboxAnswer(request: Request, { line, words }: TypedAnswer): UserAnswer {
  switch (request.type) {
    case "permission": {
      const reply = permissionReply(line, request);
      if (reply.type === "answer") return reply.answer;
      throw new UsageError(`${JSON.stringify(line)} is no answer to this; ${answersTo(request)}.`);
    }
    case "plan": {
      const answer = planReply(line);
      if (answer !== null) return answer;
      throw new UsageError(`${JSON.stringify(line)} is no answer to a plan; ${answersTo(request)}.`);
    }
    case "question": {
      const { questions } = request;
      const lines = questions.length === 1 ? [line] : words;
      if (lines.length !== questions.length)
        throw new UsageError(`There are ${questions.length} questions; give one answer for each, in quotes.`);
      return {
        type: "answers",
        answers: Object.fromEntries(
          questions.map((question, at) => [question.question, chosen(lines[at] ?? "", question)]),
        ),
      };
    }
    case "paused":
      throw new UsageError("A pause cannot be answered; it ends at its time.");
    default:
      return request satisfies never;
  }
}

function chosen(line: string, question: Extract<Request, { type: "question" }>["questions"][number]): string {
  const reply = questionReply(line, question);
  switch (reply.type) {
    case "labels":
      return reply.labels.join(", ");
    case "words":
      return reply.words;
    case "other":
      throw new UsageError(`Give your own text instead of that number, for: ${question.question}`);
    case "unclear":
      throw new UsageError(`${question.question} ${reply.hint}`);
    default:
      return reply satisfies never;
  }
}
