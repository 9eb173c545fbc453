import * as z from "zod/mini";
import type { CallBeginEvent, CallEndEvent } from "../../events/call.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import type { Clock } from "../../lib/clock.ts";
import { FileDiff } from "../../lib/file-diff.ts";
import { valueAt } from "../../lib/json.ts";
import { resultText } from "../../mailbox/compacted.ts";
import type { ContentBlockParam } from "../../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../../mailbox/ids.ts";
import type { Reply, Steer, Turn } from "../../mailbox/messages.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";

type Started = Pick<CallBeginEvent, "actor" | "call" | "toolUse" | "tool">;
/** The actor of a reply or turn. */
interface Caller {
  readonly id: ActorId;
  readonly model: string;
  /** Its paths are shown relative to this. */
  readonly root: string;
  readonly isStopped: boolean;
}

type TitleOf = (tool: string, input: unknown) => Pick<CallBeginEvent, "title" | "description">;

const TAIL_LINES = 5;
/** Between two events of one call. A command that ends before has none. */
const PROGRESS_MS = 250;

/** A call that has begun, and what its command has printed. */
interface OpenCall {
  readonly of: Started;
  readonly startedAt: number;
  /** Once it has returned, if its result is not known yet. */
  returned: { readonly at: number; readonly isError: boolean } | null;
  tail: readonly string[];
  lines: number;
  /** Withdraws the next progress; null if none is due. */
  withdraw: (() => void) | null;
}

/** Reports calls and messages: for each call one begin and one end, whatever happens to it, before the message with its result. */
export class CallReports {
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #onEvent: (event: SupervisorEvent) => void;
  readonly #titleOf: TitleOf;
  readonly #open = new Map<CallId, OpenCall>();
  /** The calls of the turn under way that have ended, by actor. */
  readonly #ended = new Map<ActorId, Set<CallId>>();
  /** The turn whose reply was reported before its calls ran, by actor. */
  readonly #said = new Map<ActorId, number>();
  /** Lines of the user that no recorded turn has read, by their IDs. */
  readonly #queued = new Map<string, { readonly actor: ActorId; readonly text: string }>();

  /** `titleOf` returns the title of a call whose start was not reported. */
  constructor(
    clock: Pick<Clock, "now" | "after">,
    onEvent: (event: SupervisorEvent) => void,
    titleOf: TitleOf = (tool) => ({ title: tool }),
  ) {
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.#titleOf = titleOf;
  }

  begin(call: Omit<CallBeginEvent, "type">): void {
    const { actor, call: id, toolUse, tool } = call;
    const of = { actor, call: id, toolUse, tool };
    const startedAt = this.#clock.now();
    this.#open.set(id, { of, startedAt, returned: null, tail: [], lines: 0, withdraw: null });
    this.#onEvent({ type: "call-begin", ...call });
  }

  end(id: CallId, how: Omit<CallEndEvent, "type" | "durationMs" | keyof Started>): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    call.withdraw?.();
    const { of, startedAt, returned } = call;
    const before = this.#ended.get(of.actor);
    if (before) before.add(id);
    else this.#ended.set(of.actor, new Set([id]));
    const durationMs = Math.round((returned?.at ?? this.#clock.now()) - startedAt);
    this.#onEvent({ type: "call-end", ...of, ...how, durationMs });
  }

  deny(id: CallId, reason: string): void {
    this.end(id, { outcome: "denied", reason, ...headOf("") });
  }

  /** It has returned; without a result this comes with the turn. */
  returned(id: CallId, isError: boolean, result?: Pick<ToolEnd, "content">): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    call.returned = { at: this.#clock.now(), isError };
    if (result) this.end(id, { outcome: isError ? "error" : "ok", ...endOutput(result, call.of.tool) });
  }

  lines(id: CallId, lines: readonly string[]): void {
    const call = this.#open.get(id);
    if (call === undefined || lines.length === 0) return;
    call.tail = [...call.tail, ...lines].slice(-TAIL_LINES);
    call.lines += lines.length;
    call.withdraw ??= this.#clock.after(PROGRESS_MS, () => {
      call.withdraw = null;
      this.#onEvent({ type: "call-progress", ...call.of, tail: call.tail.join("\n"), lines: call.lines });
    });
  }

  reply({ id: actor, model }: Caller, { turn, content, usage }: Reply): void {
    this.#said.set(actor, turn);
    this.#onEvent({ type: "message", actor, turn, role: "assistant", content, model, usage });
  }

  /** Also reports what was not reported of its calls: they never came as far as a permission, or ran in an earlier process. */
  turn({ id: actor, model, root, isStopped }: Caller, { turn, messages, usage }: Turn): void {
    const done = this.#ended.get(actor);
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const calls = blocks.filter((block) => block.type === "tool_use");
    for (const [index, { id: toolUse, name: tool, input }] of calls.entries()) {
      const call = callId(actor, turn, index);
      if (done?.has(call)) continue;
      const result = resultOf(blocks, toolUse);
      const failed = isStopped ? "stopped" : this.#open.has(call) ? "error" : "invalid";
      const of = { actor, call, toolUse, tool, turn, input };
      if (!this.#open.has(call)) this.begin({ ...of, ...shownTitle(this.#titleOf(tool, input), root) });
      this.end(call, { outcome: result.isError ? failed : "ok", ...endOutput(result, tool) });
    }
    this.#ended.delete(actor);
    for (const { role, content } of messages) {
      if (role === "system" || (role === "assistant" && this.#said.get(actor) === turn)) continue;
      const of = role === "assistant" ? { model, usage } : {};
      this.#onEvent({ type: "message", actor, turn, role, content, ...of });
    }
    this.#said.delete(actor);
  }

  /** The user has written a line that waits for the actor's next turn. */
  queue(actor: ActorId, id: string, text: string): void {
    this.#queued.set(id, { actor, text });
    this.#onEvent({ type: "queued", actor, id, text, state: "waits" });
  }

  dequeue(id: string, state: "read" | "withdrawn"): void {
    const line = this.#queued.get(id);
    if (line !== undefined && this.#queued.delete(id)) this.#onEvent({ type: "queued", id, ...line, state });
  }

  /** An actor has read these, lines of the user among them. */
  heard(heard: readonly Steer[]): void {
    for (const id of heard.flatMap(({ of = [] }) => of)) this.dequeue(id, "read");
  }

  /** A run has ended: so have its calls. */
  release(actor: ActorId): void {
    for (const { of, returned } of [...this.#open.values()]) {
      if (of.actor !== actor) continue;
      const outcome = returned === null ? "stopped" : returned.isError ? "error" : "ok";
      this.end(of.call, { outcome, ...headOf("") });
    }
    this.#ended.delete(actor);
    this.#said.delete(actor);
  }
}

/** Within a worktree a path need not say where that is. */
export function shownTitle<T extends { readonly title: string }>(titles: T, root: string): T {
  return { ...titles, title: titles.title.replaceAll(`${root}/`, "") };
}

function resultOf(
  blocks: readonly ContentBlockParam[],
  toolUse: string,
): Pick<ToolEnd, "content" | "isError"> {
  const found = blocks.find((block) => block.type === "tool_result" && block.tool_use_id === toolUse);
  if (found?.type !== "tool_result") return { content: "", isError: true };
  return {
    content: typeof found.content === "string" ? found.content : [...(found.content ?? [])],
    isError: found.is_error === true,
  };
}

const HEAD_LINES = 40;
const HEAD_CHARACTERS = 4_000;

type Output = Pick<CallEndEvent, "head" | "lines" | "characters" | "outputPath" | "exitCode" | "diff">;

/** What Bash writes below the output of a command that has ended by itself. */
const EXIT = /\n\[Exit code (\d+)\]$/;

/** Returns what the end of a call shows of its result. `tool`: if there is only its text, which was recorded. */
export function endOutput(
  { content, response }: Pick<ToolEnd, "content" | "response">,
  tool?: string,
): Output {
  const text = resultText(content);
  const exit = tool === "Bash" && response === undefined ? EXIT.exec(text) : null;
  if (exit !== null) {
    const printed = text.slice(0, exit.index);
    return { ...headOf(printed === "(no output)" ? "" : printed), exitCode: Number(exit[1]) };
  }
  const get = (name: string): unknown => valueAt(response, [name]);
  const stdout = get("stdout");
  const [exitCode, outputPath] = [get("exitCode"), get("persistedOutputPath")];
  const diff = z.safeParse(FileDiff, get("diff"));
  return {
    ...headOf(typeof stdout === "string" ? stdout : text),
    ...(typeof exitCode === "number" || exitCode === null ? { exitCode } : {}),
    ...(typeof outputPath === "string" ? { outputPath } : {}),
    ...(diff.success ? { diff: diff.data } : {}),
  };
}

/** Returns the first lines of a text, and its size. */
export function headOf(text: string): Pick<Output, "head" | "lines" | "characters"> {
  const whole = text.trimEnd();
  const lines = whole === "" ? [] : whole.split("\n");
  const head = lines.slice(0, HEAD_LINES).join("\n").slice(0, HEAD_CHARACTERS).toWellFormed();
  return { head, lines: lines.length, characters: whole.length };
}
