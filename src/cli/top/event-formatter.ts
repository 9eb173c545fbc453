import { shorten } from "../../lib/text.ts";
import type {
  ContentBlock,
  ContentBlockParam,
  MessageParam,
  ToolResultContent,
} from "../../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../../mailbox/ids.ts";
import type { Summary, Turn } from "../../mailbox/messages.ts";
import type { JournalRecord, SessionEvent } from "../../mailbox/session-events.ts";
import type { Paint } from "../../terminal/colour.ts";
import { shortDate } from "../../terminal/figures.ts";
import { agentName, runFigures, statusMark, statusText } from "../agent-text.ts";
import { excerpt } from "../excerpt.ts";
import { userText } from "../user-text.ts";
import { callTitle } from "./call-title.ts";

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** Formats a session's records as lines, in their order: what was asked, which agent did what, and how it ended. */
export class EventFormatter {
  readonly #paint: Paint;
  readonly #names = new Map<ActorId, string>();
  readonly #roots = new Map<ActorId, string>();
  /** Calls whose results were not shown yet. */
  readonly #calls = new Map<CallId, string>();
  /** The last turn whose text was shown with its reply. */
  readonly #shown = new Map<ActorId, number>();
  #hasStarted = false;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  format({ at, event }: JournalRecord): string[] {
    const time = this.#paint("dim", at.slice(11, 19));
    const lines = this.#lines(event);
    const actor = "actor" in event ? event.actor : event.type === "spawn" ? event.spec.id : null;
    const name = actor === null ? "" : `${this.#paint("bold", this.#names.get(actor) ?? actor)}  `;
    return lines.map((line) => `${time}  ${name}${line}`);
  }

  #lines(event: SessionEvent): string[] {
    switch (event.type) {
      case "session":
        return [this.#session(event)];
      case "spawn":
        return this.#spawned(event);
      case "start":
        return [event.attempt === 1 ? "started" : `continues (thread ${event.attempt})`];
      case "model":
        return [`asks ${excerpt(event.model)} from now on`];
      case "reopen":
        return [`resumed (run ${event.run})`];
      case "prompt":
        return event.notice ? [] : [this.#asked(event.message, event.from ?? null)];
      case "to-background":
        return ["continues in the background"];
      case "withdrawn":
        return ["does not get the last message: the user withdrew it"];
      case "reply":
        this.#shown.set(event.actor, event.reply.turn);
        return saidIn(event.reply.content);
      case "before":
        return [this.#called(event)];
      case "after":
        return this.#returned(event);
      case "turn":
        return this.#turn(event.actor, event.turn);
      case "summary":
        return [this.#ended(event.summary, event.durationMs)];
      case "command":
        return [`runs in the background: ${excerpt(event.title)} (${event.task})`];
      case "command-end":
        return [`${event.task} in the background: ${excerpt(event.ending)}`];
      case "compacted":
        return ["its conversation was compacted"];
      case "paused":
        return [
          `${excerpt(event.pause.model)} is paused until ${shortDate(new Date(event.pause.until).toISOString())}: ${excerpt(event.pause.reason)}`,
        ];
      case "title":
      case "task":
      case "user-actor":
        return [];
      case "end":
        return [`The session has ended: ${statusText(event.status)}.`];
      default:
        return event satisfies never;
    }
  }

  #session({ id, title, cwd, model }: Of<"session">): string {
    const what = this.#hasStarted ? "was resumed" : excerpt(title) || "conversation";
    this.#hasStarted = true;
    return `${this.#paint("bold", `Session ${id}`)}  ${what}  ${excerpt(cwd)}  ${excerpt(model)}`;
  }

  #spawned({ spec, background }: Of<"spawn">): string[] {
    this.#names.set(spec.id, agentName(spec));
    this.#roots.set(spec.id, spec.root);
    const last = spec.messages.findLast(({ role }) => role === "user");
    return last === undefined ? [] : [this.#asked(last, spec.parent, background === true)];
  }

  #asked(message: MessageParam, by: ActorId | null, background = false): string {
    const who = by === null ? "" : ` by ${this.#names.get(by) ?? by}`;
    const words = userText(message) || textOf(message.content);
    return `is asked${who}${background ? " in the background" : ""}: ${excerpt(words)}`;
  }

  #called({ actor, call, tool, input, decision, reason }: Of<"before">): string {
    const root = this.#roots.get(actor);
    const title = callTitle(tool, input);
    const words = excerpt(`${tool} ${root === undefined ? title : title.replaceAll(`${root}/`, "")}`);
    this.#calls.set(call, words);
    if (decision !== "refuse") return words;
    return `${words} ${this.#paint("yellow", `not allowed${reason === undefined ? "" : `: ${excerpt(reason)}`}`)}`;
  }

  /** A record without a result: that comes with the turn. */
  #returned({ call, isError, result }: Of<"after">): string[] {
    const words = this.#calls.get(call);
    if (words === undefined || result === undefined) return [];
    this.#calls.delete(call);
    return [this.#result(words, isError, textOf(result.content))];
  }

  #turn(actor: ActorId, { turn, messages }: Turn): string[] {
    const lines: string[] = [];
    for (const { role, content } of messages) {
      if (typeof content === "string") continue;
      if (role === "assistant") {
        // Text without a call after it is the answer, which the summary shows.
        const hasCalls = content.some(({ type }) => type === "tool_use");
        if (hasCalls && this.#shown.get(actor) !== turn) lines.push(...saidIn(content));
        continue;
      }
      const results = content.flatMap((block) => (block.type === "tool_result" ? [block] : []));
      for (const [index, { content: result = "", is_error: isError = false }] of results.entries()) {
        const call = callId(actor, turn, index);
        const words = this.#calls.get(call);
        this.#calls.delete(call);
        if (words !== undefined) lines.push(this.#result(words, isError, textOf(result)));
      }
    }
    return lines;
  }

  #result(call: string, isError: boolean, text: string): string {
    const words = excerpt(text) || "nothing";
    return this.#paint(
      isError ? "red" : "dim",
      `↳ ${shorten(call, 60)}: ${isError ? "failed: " : ""}${words}`,
    );
  }

  #ended({ status, turns, usage, reason = "", text }: Summary, durationMs: number): string {
    const why = status === "done" ? text : [reason, text].filter(Boolean).join(" ");
    const head = `${statusMark(status, this.#paint)} ${statusText(status)} (${runFigures({ turns, usage, ms: durationMs })})`;
    return why === "" ? head : `${head}: ${excerpt(why)}`;
  }
}

function saidIn(content: readonly (ContentBlock | ContentBlockParam)[]): string[] {
  const words = excerpt(textOf(content));
  return words === "" ? [] : [`says: ${words}`];
}

function textOf(content: string | ToolResultContent | readonly (ContentBlock | ContentBlockParam)[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
