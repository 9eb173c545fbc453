import { shorten } from "../../lib/text.ts";
import { ActorId, callId } from "../../mailbox/ids.ts";
import type { ChangedTool, Elicitation, ElicitationAnswer } from "../../mcp/mcp.ts";
import type { ChoiceOutcome } from "../../policy/asking/questions.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { Answers, Question } from "../../policy/user-requests.ts";
import { formOf, type Misfit } from "./elicitation.ts";

/** The owner of the questions: not an agent, so that none takes them with it when it ends. */
const SERVERS = ActorId.parse("mcpServers");
const MOST_CHARS = 600;
const ACCEPT = "Accept";
/** Answers that do not fit after which the question counts as declined. */
const MOST_TRIES = 3;

export function serverQuestions(
  broker: Pick<UserRequestBroker, "question">,
  onWarning: (message: string) => void,
) {
  let asked = 0;
  const ask = (
    server: string,
    questions: readonly Question[],
    signal: AbortSignal,
  ): Promise<ChoiceOutcome> => {
    asked += 1;
    const asker = { actor: SERVERS, path: [`the MCP server "${server}"`] };
    return broker.question({ questions, asker, call: callId(SERVERS, 0, asked) }, signal);
  };

  return {
    async elicit({ server, message, schema }: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer> {
      const form = formOf(message, schema);
      if (form === null) {
        onWarning(
          `The MCP server "${server}" asked for something that cannot be asked here (${message.slice(0, 200)}), so it was declined.`,
        );
        return { action: "decline" };
      }
      let answers: Answers = {};
      let answer: ElicitationAnswer = { action: "decline" };
      let open: readonly Misfit[] = form.questions.map((question) => ({ question, why: "" }));
      for (let tries = 0; tries < MOST_TRIES && open.length > 0; tries++) {
        const asked = open.map(askedAgain);
        const outcome = await ask(server, asked, signal);
        if (outcome.type !== "answers") return { action: outcome.by === "person" ? "decline" : "cancel" };
        answers = { ...answers, ...underTheirOwn(outcome.answers, open, asked) };
        ({ answer, misfits: open } = form.read(answers));
      }
      for (const { question, why } of open.slice(0, 1))
        onWarning(`The MCP server "${server}" got the answer no: ${why} (${question.question}).`);
      return answer;
    },
    /** Resolves with whether the user accepts the tools as they are now. */
    async accepts(server: string, changes: readonly ChangedTool[], signal: AbortSignal): Promise<boolean> {
      if (changes.length === 0) return false;
      const question: Question = {
        question: [
          `The MCP server "${server}" has changed what its tools are since the session first saw them; models read that as instructions. Use them as they are now?`,
          ...changes.map(wordsOf),
        ].join("\n"),
        header: "Tools",
        options: [
          { label: ACCEPT, description: "they are used as they are now" },
          { label: "Refuse", description: "they are not called in this session" },
        ],
        multiSelect: false,
        yesOrNo: true,
      };
      const outcome = await ask(server, [question], signal);
      return outcome.type === "answers" && outcome.answers[question.question] === ACCEPT;
    },
  };
}

function askedAgain({ question, why }: Misfit): Question {
  if (why === "") return question;
  // The text above the field is the whole form's, which the user has read.
  const field = question.question.split("\n").at(-1) ?? "";
  return { ...question, question: `${why}.\n${field}` };
}

function underTheirOwn(said: Answers, wrong: readonly Misfit[], asked: readonly Question[]): Answers {
  return Object.fromEntries(
    wrong.flatMap(({ question }, place) => {
      const words = said[asked[place]?.question ?? ""];
      return words === undefined ? [] : [[question.question, words]];
    }),
  );
}

function wordsOf({ accepted, now }: ChangedTool): string {
  if (accepted.description === now.description) return `- ${now.name}: other arguments, or more of its text`;
  return `- ${now.name}\n  before: ${shorten(accepted.description, MOST_CHARS)}\n  now: ${shorten(now.description, MOST_CHARS)}`;
}
