import type { SupervisorEvent } from "../supervisor/view.ts";
import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Job } from "./jobs.ts";
import { accountLine, endSentence, lastEnd, resultText } from "./results.ts";
import { runSession } from "./run-session.ts";
import type { SessionSetup } from "./session-setup.ts";
import { wakingLines } from "./waking-lines.ts";

/**
 * One conversation that starts an agent in the background for each question, answers at once, and is woken by each
 * result until it has told them all (A11.5). Exit code 0 only where it and every agent ended `done`.
 */
export function askInBackground(
  context: Context,
  setup: SessionSetup,
  questions: readonly string[],
): Promise<number> {
  const { io } = context;
  const waking = wakingLines();
  const job = (note: (line: string) => void): Job => {
    waking.tell = note;
    return {
      type: "main",
      description: "main conversation",
      start: (handle, signal) => handle.prompt(promptOf(questions), signal),
    };
  };
  return runSession(heard(context, waking.onEvent), setup, {
    jobs: (_session, note) => [job(note)],
    async report(finished) {
      const end = lastEnd(finished);
      await io.stdout.write(`${resultText(end?.summary.text ?? "", io.stdout)}\n${accountLine(finished)}\n`);
      const sentence = end === undefined ? undefined : endSentence(end);
      if (sentence !== undefined) await io.stderr.write(`${sentence}\n`);
      const agents = finished.account.agents.every(({ summary }) => summary?.status === "done");
      return agents && end?.summary.status === "done" ? exitCodes.done : exitCodes.notDone;
    },
  });
}

/** Words that a model understands, and the offline one, too. */
function promptOf(questions: readonly string[]): string {
  return questions.map((question) => `in background: ${question}`).join("\n");
}

/** The same context, with somebody else who hears what happens in its session. */
function heard(context: Context, onEvent: (event: SupervisorEvent) => void): Context {
  const { runtime } = context;
  return {
    ...context,
    runtime: {
      resumeSession: (request) => runtime.resumeSession(request),
      listAgents: (own) => runtime.listAgents(own),
      checkBaseURL: () => runtime.checkBaseURL(),
      async createSupervisor() {
        const create = await runtime.createSupervisor();
        return (options) =>
          create({
            ...options,
            onEvent(event) {
              options.onEvent?.(event);
              onEvent(event);
            },
          });
      },
    },
  };
}
