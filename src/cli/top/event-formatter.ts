import type { CallBeginEvent, CallEndEvent } from "../../events/call.ts";
import type { AgentView, PromptEvent, SupervisorEvent } from "../../events/event.ts";
import { actorOf } from "../../features/events/actor-view.ts";
import { shorten } from "../../lib/text.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { Paint } from "../../terminal/colour.ts";
import { shortDate } from "../../terminal/figures.ts";
import { callLine } from "../../terminal/transcript/call-lines.ts";
import { agentName, runFigures, statusMark, statusText } from "../agent-text.ts";
import { excerpt, messageText, userText } from "../user-text.ts";

type Of<Type extends SupervisorEvent["type"]> = Extract<SupervisorEvent, { type: Type }>;

/** Formats the events of a session as lines, in their order: what was asked, which agent did what, and how it ended. */
export class EventFormatter {
  readonly #paint: Paint;
  readonly #views = new Map<ActorId, AgentView>();
  /** Calls whose results were not shown yet. */
  readonly #calls = new Map<CallId, string>();
  /** Lines of the user that were shown when they were sent, by their actor and text. */
  readonly #queued = new Set<string>();
  #session: Of<"session"> | null = null;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** `at`: wall time, ISO 8601. */
  format(event: SupervisorEvent, at: string): string[] {
    const time = this.#paint("dim", at.slice(11, 19));
    const actor = actorOf(event);
    const lines = this.#lines(event);
    const name = actor === null ? "" : `${this.#paint("bold", this.#nameOf(actor))}  `;
    return lines.map((line) => `${time}  ${name}${line}`);
  }

  #nameOf(id: ActorId): string {
    const view = this.#views.get(id);
    return view === undefined ? id : agentName(view);
  }

  #lines(event: SupervisorEvent): string[] {
    switch (event.type) {
      case "session":
        return this.#sessionLines(event);
      case "agent":
        return this.#agentLines(event.view);
      case "prompt":
        return event.notice ? [] : this.#asked(event);
      case "queued":
        return this.#waits(event);
      case "message":
        return saidIn(event);
      case "call-begin":
        return this.#called(event);
      case "call-end":
        return this.#returned(event);
      case "command": {
        const { task, title, state, ending = "" } = event;
        return state === "running"
          ? [`runs in the background: ${excerpt(title)} (${task})`]
          : [`${task} in the background: ${excerpt(ending)}`];
      }
      case "compacted":
        return ["its conversation was compacted"];
      case "paused":
        return [
          `${excerpt(event.model)} is paused until ${shortDate(event.until)}: ${excerpt(event.reason)}`,
        ];
      case "warning":
        return [excerpt(event.message)];
      default:
        return [];
    }
  }

  #sessionLines(session: Of<"session">): string[] {
    const before = this.#session;
    this.#session = session;
    const { id, title, cwd, model, status } = session;
    if (status !== null) return [`The session has ended: ${statusText(status)}.`];
    // Another title, or another model: the agent's view has that.
    if (before !== null && before.status === null && before.title !== title) return [];
    if (before !== null && before.status === null && before.model !== model) return [];
    const what = before === null ? excerpt(title) || "conversation" : "was resumed";
    return [`${this.#paint("bold", `Session ${id}`)}  ${what}  ${excerpt(cwd)}  ${excerpt(model)}`];
  }

  #agentLines(view: AgentView): string[] {
    const before = this.#views.get(view.id);
    this.#views.set(view.id, view);
    if (before === undefined) return [];
    const { summary, startedAt, endedAt, createdAt } = view;
    const ms = (endedAt ?? 0) - (startedAt ?? createdAt);
    return [
      ...(before.startedAt === null && startedAt !== null ? ["started"] : []),
      ...(before.state === "ended" && view.state !== "ended" ? ["continues"] : []),
      ...(before.model === view.model ? [] : [`asks ${excerpt(view.model)} from now on`]),
      ...(!before.background && view.background ? ["continues in the background"] : []),
      ...(summary === null || summary === before.summary ? [] : [this.#ended(view, ms)]),
    ];
  }

  #asked(event: PromptEvent): string[] {
    const who = event.from === null ? "" : ` by ${this.#nameOf(event.from)}`;
    const background = this.#views.get(event.actor)?.background ? " in the background" : "";
    const words = userText(event);
    if (words === "" || this.#queued.delete(`${event.actor} ${words}`)) return [];
    return [`is asked${who}${background}: ${excerpt(words)}`];
  }

  #waits({ actor, text, state }: Of<"queued">): string[] {
    const words = userText({ content: text });
    if (state === "withdrawn") return ["does not get the last message: the user withdrew it"];
    if (state === "read" || words === "") return [];
    this.#queued.add(`${actor} ${words}`);
    return [`is asked: ${excerpt(words)}`];
  }

  #called(call: CallBeginEvent): string[] {
    const words = excerpt(callLine(call));
    this.#calls.set(call.call, words);
    return [words];
  }

  #returned({ call, outcome, reason, head, exitCode = 0 }: CallEndEvent): string[] {
    const words = shorten(this.#calls.get(call) ?? "", 60);
    this.#calls.delete(call);
    if (outcome === "denied")
      return [this.#paint("yellow", `⊘ ${words}: not allowed: ${excerpt(reason ?? "")}`)];
    const isBad = outcome !== "ok" || exitCode !== 0;
    const exit = exitCode === 0 ? "" : `exit ${exitCode ?? "unknown"}: `;
    const how = outcome === "ok" ? exit : outcome === "stopped" ? "stopped" : "failed: ";
    return [this.#paint(isBad ? "red" : "dim", `↳ ${words}: ${how}${excerpt(head) || "nothing"}`)];
  }

  #ended({ summary }: AgentView, ms: number): string {
    if (summary === null) return "";
    const { status, reason = "", text, turns, usage } = summary;
    const why = status === "done" ? text : [reason, text].filter(Boolean).join(" ");
    const head = `${statusMark(status, this.#paint)} ${statusText(status)} (${runFigures({ turns, usage, ms })})`;
    return why === "" ? head : `${head}: ${excerpt(why)}`;
  }
}

/** Text without a call after it is the answer, which the end shows. */
function saidIn(message: Of<"message">): string[] {
  const { role, content } = message;
  const hasCalls = typeof content !== "string" && content.some(({ type }) => type === "tool_use");
  if (role !== "assistant" || !hasCalls) return [];
  const words = excerpt(messageText(message));
  return words === "" ? [] : [`says: ${words}`];
}
