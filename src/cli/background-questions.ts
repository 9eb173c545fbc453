import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { accountLine, endSentence, formatResultText, lastEnd } from "./results.ts";
import { runSession } from "./run-session.ts";
import type { SessionSetup } from "./session-setup.ts";
import { wakingLines } from "./waking-lines.ts";

/**
 * Runs one conversation that starts a background agent for each question, answers, and is woken by each result until it
 * has reported them all (A11.5). Exit code 0 only if it and every agent ended `done`.
 */
export function askInBackground(
  context: Context,
  setup: SessionSetup,
  questions: readonly string[],
): Promise<number> {
  const { io } = context;
  // A form that models understand, the offline one too.
  const prompt = questions.map((question) => `in background: ${question}`).join("\n");
  const lines = wakingLines();
  return runSession(context, setup, {
    jobs(_session, note) {
      lines.print = note;
      return [
        {
          type: "main",
          description: "main conversation",
          start: (handle, signal) => handle.prompt(prompt, signal),
        },
      ];
    },
    onEvent: lines.onEvent,
    async report(finished) {
      const end = lastEnd(finished);
      await io.stdout.write(
        `${formatResultText(end?.summary.text ?? "", io.stdout)}\n${accountLine(finished)}\n`,
      );
      const sentence = end === undefined ? undefined : endSentence(end);
      if (sentence !== undefined) await io.stderr.write(`${sentence}\n`);
      const areAgentsDone = finished.account.agents.every(({ summary }) => summary?.status === "done");
      return areAgentsDone && end?.summary.status === "done" ? exitCodes.done : exitCodes.notDone;
    },
  });
}
