import { existsSync } from "node:fs";
import type { ResultDecision } from "../../events/event.ts";
import type { OnEvent } from "../../events/listener.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { ModelPause } from "../../mailbox/model.ts";
import type { UserAnswer, UserRequest } from "../../policy/user-requests.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { clearWaiting, removeWaiting, takeAnswers, type WaitingFile, writeWaiting } from "./waiting-file.ts";

export interface InboxParts {
  /** Of the session. */
  readonly folder: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  readonly onEvent: OnEvent;
}

/**
 * Where a session shows what waits for the user, so that it can be answered from any terminal, and reports it to its
 * listener. Joint: `onEvent` (a run has ended, or continues).
 */
export interface SessionInbox {
  /** Shows a request until the returned function is called; `answer` gets the first answer that comes. */
  post(ask: UserRequest, answer: (answer: UserAnswer) => void): (answer: UserAnswer | null) => void;
  /** A model is paused. */
  pause(pause: ModelPause): void;
  endPause(model: string): void;
  readonly joints: Joints;
  close(): void;
}

/** Milliseconds between two looks for answers, while there are requests. */
const LOOK_MS = 500;

/** Requests are files in the session's folder, which only this user can read; an answer is a file next to it. */
export function openInbox({ folder, clock, redact, onEvent }: InboxParts): SessionInbox {
  // Of a process before, which cannot be answered any longer.
  clearWaiting(folder);
  const open = new Map<string, { readonly since: string; answer(answer: UserAnswer): void }>();
  /** The names of the pauses' files, by model. */
  const pauses = new Map<string, string>();
  /** Runs whose result waits. */
  const results = new Map<ActorId, string>();
  let withdraw: (() => void) | null = null;

  const look = () => {
    withdraw = null;
    const answers = takeAnswers(folder, (id) => open.has(id));
    for (const [id, answer] of answers) open.get(id)?.answer(answer);
    arm();
  };
  const arm = () => {
    if (open.size > 0) withdraw ??= clock.after(LOOK_MS, look);
  };
  const write = (id: string, since: string, request: WaitingFile["request"] | UserRequest) =>
    writeWaiting(folder, redact(JSON.stringify({ id, since, request })), id);
  const settle = (id: string, answer: UserAnswer | null = null) => {
    removeWaiting(folder, id);
    onEvent({ type: "settled", id, answer });
  };

  return {
    post(ask, answer) {
      const since = open.get(ask.id)?.since ?? clock.date();
      open.set(ask.id, { since, answer });
      write(ask.id, since, ask);
      arm();
      onEvent({ type: "asked", id: ask.id, what: ask });
      return (given) => {
        open.delete(ask.id);
        settle(ask.id, given);
        if (open.size > 0) return;
        withdraw?.();
        withdraw = null;
      };
    },
    pause(pause) {
      const id = pauses.get(pause.model) ?? `pause${pauses.size + 1}`;
      pauses.set(pause.model, id);
      const what = { type: "paused", pause } as const;
      write(id, new Date(pause.since).toISOString(), what);
      onEvent({ type: "asked", id, what });
    },
    endPause(model) {
      const id = pauses.get(model);
      if (id !== undefined) settle(id);
    },
    joints: {
      onEvent(event) {
        if (event.type !== "changed") return;
        const { id: actor, run, summary, spec } = event.actor;
        const known = results.get(actor);
        const id = `result:${actor}.${run}`;
        if (known !== undefined && (summary === null || known !== id)) {
          results.delete(actor);
          onEvent({ type: "settled", id: known, answer: null });
        }
        const decision = summary === null || results.has(actor) ? null : decisionOn(summary);
        if (summary === null || decision === null) return;
        results.set(actor, id);
        const title = spec.description || spec.type;
        onEvent({ type: "asked", id, what: { type: "result", decision, actor, title, summary } });
      },
    },
    close() {
      withdraw?.();
      for (const id of [...open.keys(), ...pauses.values()]) removeWaiting(folder, id);
      open.clear();
    },
  };
}

/** Returns why the user must look at a result, or null if nothing is left to decide. */
export function decisionOn({ acceptance, worktree, status }: Summary): ResultDecision | null {
  const isKept = worktree?.outcome === "conflict" || worktree?.outcome === "kept";
  // Once it is merged or thrown away, its directory is gone.
  if (isKept && (worktree.path === undefined || !existsSync(worktree.path))) return null;
  if (worktree?.outcome === "conflict") return "conflict";
  if (acceptance?.verdict === "rejected") return "rejected";
  if (status === "over_budget") return "over_budget";
  return isKept ? "unmerged" : null;
}
