import type {
  ContentBlock,
  ContentBlockParam,
  MessageParam,
  ToolResultContent,
} from "../../mailbox/conversation.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../../mailbox/ids.ts";
import type { Summary, Turn } from "../../mailbox/messages.ts";
import type { JournalRecord, SessionEvent } from "../../mailbox/session-events.ts";
import { agentName, statusMark, statusWords } from "../agent-text.ts";
import type { Paint } from "../colour.ts";
import { counted, shortCount, shortTime } from "../figures.ts";
import { safeLine } from "../safe-text.ts";
import { userText } from "../user-text.ts";

/** More of one thing is not told on a line. */
const MAX_CHARS = 400;

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** Makes lines of a session's records, in their order: what was asked, who did what, and what came of it. */
export class EventFormatter {
  readonly #paint: Paint;
  readonly #titleOf: (tool: string, input: unknown) => string;
  readonly #names = new Map<ActorId, string>();
  readonly #roots = new Map<ActorId, string>();
  /** Calls whose results were not told yet. */
  readonly #calls = new Map<CallId, string>();
  /** The turn whose words were told with its reply. */
  readonly #said = new Map<ActorId, number>();
  #begun = false;

  constructor(paint: Paint, titleOf: (tool: string, input: unknown) => string) {
    this.#paint = paint;
    this.#titleOf = titleOf;
  }

  tell({ at, event }: JournalRecord): string[] {
    const time = this.#paint("dim", at.slice(11, 19));
    return this.#lines(event).map(({ actor, words }) => {
      const who = actor === null ? "" : `${this.#paint("bold", this.#names.get(actor) ?? actor)}  `;
      return `${time}  ${who}${words}`;
    });
  }

  #lines(event: SessionEvent): { readonly actor: ActorId | null; readonly words: string }[] {
    const said = (actor: ActorId | null, ...words: string[]) => words.map((one) => ({ actor, words: one }));
    switch (event.type) {
      case "session":
        return said(null, this.#session(event));
      case "spawn":
        return said(event.spec.id, ...this.#spawned(event));
      case "start":
        return said(event.actor, event.attempt === 1 ? "started" : `goes on (thread ${event.attempt})`);
      case "reopen":
        return said(event.actor, `goes on for the ${ordinal(event.run)} time`);
      case "prompt":
        return event.news ? [] : said(event.actor, this.#asked(event.message, event.from ?? null));
      case "reply":
        this.#said.set(event.actor, event.reply.turn);
        return said(event.actor, ...wordsIn(event.reply.content));
      case "before":
        return said(event.actor, this.#called(event));
      case "after":
        return said(event.actor, ...this.#returned(event));
      case "turn":
        return said(event.actor, ...this.#turn(event.actor, event.turn));
      case "summary":
        return said(event.actor, this.#ended(event.summary, event.durationMs));
      case "command":
        return said(event.actor, `runs in the background: ${oneLine(event.title)} (${event.task})`);
      case "command-end":
        return said(event.actor, `${event.task} in the background: ${oneLine(event.ending)}`);
      case "compacted":
        return said(event.actor, "its conversation was made shorter for the context window");
      case "task":
        return [];
      case "end":
        return said(null, `The session has ended: ${statusWords(event.status)}.`);
      default:
        return event satisfies never;
    }
  }

  #session({ id, title, cwd, model }: Of<"session">): string {
    const words = this.#begun ? "was taken up again" : oneLine(title) || "conversation";
    this.#begun = true;
    return `${this.#paint("bold", `Session ${id}`)}  ${words}  ${oneLine(cwd)}  ${oneLine(model)}`;
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
    return `is asked${who}${background ? " in the background" : ""}: ${oneLine(words)}`;
  }

  #called({ actor, call, tool, input, decision, reason }: Of<"before">): string {
    const root = this.#roots.get(actor);
    const title = this.#titleOf(tool, input);
    const words = oneLine(`${tool} ${root === undefined ? title : title.replaceAll(`${root}/`, "")}`);
    this.#calls.set(call, words);
    if (decision !== "refuse") return words;
    return `${words} ${this.#paint("yellow", `not allowed${reason === undefined ? "" : `: ${oneLine(reason)}`}`)}`;
  }

  /** Where the record has no result, that comes with the turn. */
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
        // Words without a call after them are the answer, which the summary tells.
        const calls = content.some(({ type }) => type === "tool_use");
        if (calls && this.#said.get(actor) !== turn) lines.push(...wordsIn(content));
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
    const words = oneLine(text) || "nothing";
    return this.#paint(isError ? "red" : "dim", `↳ ${cut(call, 60)}: ${isError ? "failed: " : ""}${words}`);
  }

  #ended({ status, turns, usage, reason = "", text }: Summary, durationMs: number): string {
    const figures = [
      counted(turns, "turn"),
      `${shortCount(totalTokens(usage))} tokens`,
      shortTime(durationMs),
    ];
    const why = status === "done" ? text : [reason, text].filter(Boolean).join(" ");
    const head = `${statusMark(status, this.#paint)} ${statusWords(status)} (${figures.join(" · ")})`;
    return why === "" ? head : `${head}: ${oneLine(why)}`;
  }
}

function wordsIn(content: readonly (ContentBlock | ContentBlockParam)[]): string[] {
  const words = oneLine(textOf(content));
  return words === "" ? [] : [`says: ${words}`];
}

function textOf(content: string | ToolResultContent | readonly (ContentBlock | ContentBlockParam)[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function oneLine(text: string): string {
  // What is cut off need not be made safe.
  return cut(safeLine(text.slice(0, 4 * MAX_CHARS)), MAX_CHARS);
}

function cut(text: string, chars: number): string {
  return text.length <= chars
    ? text
    : `${text
        .slice(0, chars - 1)
        .trimEnd()
        .toWellFormed()}…`;
}

function ordinal(number: number): string {
  const word = ["first", "second", "third"][number - 1];
  return word ?? `${number}th`;
}
