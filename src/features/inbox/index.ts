import type { Clock } from "../../mailbox/clock.ts";
import type { ModelPause } from "../../mailbox/model-pause.ts";
import { readAnswer } from "../../policy/asking/outcomes.ts";
import type { UserAnswer, UserRequest } from "../../policy/asks.ts";
import { clearWaiting, removeWaiting, takeAnswers, type WaitingFile, writeWaiting } from "./waiting-file.ts";

export interface InboxParts {
  /** Of the session. */
  readonly folder: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

/** Where a session shows what waits for the user, so that it can be answered from any terminal. Uses no joint. */
export interface SessionInbox {
  /** Shows a request until the returned function is called; `answer` gets the first answer that comes. */
  post(ask: UserRequest, answer: (answer: UserAnswer) => void): () => void;
  /** A model is paused. */
  pause(pause: ModelPause): void;
  close(): void;
}

/** Milliseconds between two looks for answers, while there are requests. */
const LOOK_MS = 500;
const PAUSE = "pause";

/** Requests are files in the session's folder, which only this user can read; an answer is a file next to it. */
export function openInbox({ folder, clock, redact }: InboxParts): SessionInbox {
  // Of a process before, which cannot be answered any longer.
  clearWaiting(folder);
  const open = new Map<string, { readonly since: string; answer(answer: UserAnswer): void }>();
  let withdraw: (() => void) | null = null;
  let isPaused = false;

  const look = () => {
    withdraw = null;
    for (const [id, data] of takeAnswers(folder)) {
      const answer = readAnswer(data);
      // Text that cannot be read as an answer must not count as a no.
      if (answer.type !== "unavailable") open.get(id)?.answer(answer);
    }
    arm();
  };
  const arm = () => {
    if (open.size > 0) withdraw ??= clock.after(LOOK_MS, look);
  };
  const write = (id: string, since: string, request: WaitingFile["request"] | UserRequest) =>
    writeWaiting(folder, redact(JSON.stringify({ id, since, request })), id);

  return {
    post(ask, answer) {
      const since = open.get(ask.id)?.since ?? clock.date();
      open.set(ask.id, { since, answer });
      write(ask.id, since, ask);
      arm();
      return () => {
        open.delete(ask.id);
        removeWaiting(folder, ask.id);
        if (open.size > 0) return;
        withdraw?.();
        withdraw = null;
      };
    },
    pause(pause) {
      isPaused = true;
      write(PAUSE, clock.date(), { type: "paused", pause });
    },
    close() {
      withdraw?.();
      for (const id of [...open.keys(), ...(isPaused ? [PAUSE] : [])]) removeWaiting(folder, id);
      open.clear();
    },
  };
}
