import type { AgentView, SupervisorEvent } from "../events/event.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import { counted } from "../terminal/figures.ts";
import { agentName } from "./agent-text.ts";
import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { accountLine, endSentence, formatResultText, lastEnd } from "./results.ts";
import { runSession } from "./run-session.ts";
import type { SessionSetup } from "./session-setup.ts";

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

interface WakingLines {
  onEvent(event: SupervisorEvent): void;
  /** Prints a line; does nothing at first. */
  print(line: string): void;
}

/** Says when a conversation with background agents has answered and given its thread back, and when a result wakes it. */
export function wakingLines(): WakingLines {
  const running = new Set<ActorId>();
  let ended: AgentView[] = [];
  let wasIdle = false;

  const onMain = ({ state, hasLoop }: AgentView): void => {
    const isIdle = state === "waiting" && !hasLoop && running.size > 0;
    if (isIdle && !wasIdle) {
      lines.print(
        `The conversation has answered; ${counted(running.size, "agent")} in the background will wake it.`,
      );
      ended = [];
    } else if (wasIdle && !isIdle && state !== "waiting" && ended.length > 0) {
      const names = ended.map((view) => `“${agentName(view)}”`).join(" and ");
      lines.print(`${names} ${ended.length === 1 ? "has" : "have"} finished and woken the conversation.`);
      ended = [];
    }
    wasIdle = isIdle || (wasIdle && state === "waiting");
  };

  const lines: WakingLines = {
    onEvent(event) {
      if (event.type !== "agent") return;
      const { view } = event;
      if (view.id === MAIN) return onMain(view);
      if (!view.background) return;
      if (view.state !== "ended") running.add(view.id);
      else if (running.delete(view.id)) ended.push(view);
    },
    print() {},
  };
  return lines;
}
