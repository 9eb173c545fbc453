import { retriesIn } from "../context/agents/retry-text.ts";
import { type CompactedView, messagesOfView } from "../context/compaction/compacted-view.ts";
import type { Compacted, CompactRequest } from "../mailbox/compacted.ts";
import {
  addUsage,
  type ContentBlock,
  type MessageParam,
  noUsage,
  type ToolDefinition,
  type ToolResultBlockParam,
  type ToolUseBlock,
  textOf,
  totalTokens,
  type Usage,
  usageSince,
} from "../mailbox/conversation.ts";
import type {
  ActorSpec,
  AgentTool,
  CallResult,
  LastTurn,
  Pending,
  Receipts,
  Reply,
  Steer,
  Turn,
} from "../mailbox/messages.ts";
import type { TurnAnswer } from "../mailbox/services.ts";
import {
  addReceipts,
  appendSteering,
  blocksOf,
  lastLocation,
  receiptsOf,
  replyText,
  shownConversation,
  systemHeard,
  todoOf,
  toolsInRequests,
  toolsWith,
  usageOf,
} from "../mailbox/turns.ts";
import type { Location } from "../mailbox/worktree.ts";
import type { ModelReply } from "../model/client.ts";
import { ReadLedger } from "../tools/read-ledger.ts";
import { TodoList } from "../tools/todo-list.ts";
import { resolveCall } from "../tools/tool-search.ts";
import { Repetition } from "./repetition.ts";

/**
 * What an agent knows between two turns. Only a fold of its turn records, so that a new thread can continue where an
 * old one ended (promise 8).
 */
export class AgentConversation {
  /** What it was started as, with its present model. */
  spec: ActorSpec;
  /** As the model sees them. */
  messages: MessageParam[];
  readonly reads: ReadLedger;
  readonly todo: TodoList;
  cwd: string;
  /** The only directory its paths resolve in. */
  root: string;
  /** The location to which this turn has moved it. */
  #moved: Location | null = null;
  /** The commands that this turn ran. */
  commands: Receipts["commands"] = [];
  /** Completed turns. */
  turns: number;
  usage: Usage;
  receipts: Receipts;
  /** The model's last text: what is salvaged if it says no more. */
  said: string;
  /** Set if the supervisor makes the next reply the last one. */
  last: LastTurn | null;
  /** The user's request to compact the conversation. */
  compactRequest: CompactRequest | null;
  #compacted: Compacted | null;
  /** The turns that are still in the context. */
  #turnsShown: Turn[];
  readonly #words: { readonly turn: number; readonly text: string }[];
  #heard: Steer[] = [];
  #system: readonly string[];
  /** Times it was asked again, since its last input, because its answer did not fit the schema. */
  #retries: number;
  /** Its tools: those of its requests, and deferred ones, including those announced since. */
  offered: readonly AgentTool[];
  /** The same array for all requests: the gateway gets it once. */
  readonly requestTools: readonly ToolDefinition[];
  readonly repetition = new Repetition();
  readonly #start: Pick<CompactedView, "id" | "messages" | "counted">;

  constructor(spec: ActorSpec) {
    this.spec = spec;
    this.offered = toolsWith(
      spec.tools,
      spec.turns.flatMap(({ heard }) => heard),
    );
    this.requestTools = toolsInRequests(spec.tools);
    this.#start = { id: spec.id, messages: spec.messages, counted: spec.inherited?.counted ?? null };
    this.#compacted = spec.compacted ?? null;
    this.#turnsShown = spec.turns.filter(({ turn }) => turn > (spec.compacted?.through ?? 0));
    this.#words = spec.turns.flatMap(wordsIn);
    for (const turn of spec.turns) this.repetition.take(turn);
    this.compactRequest = spec.compact ?? null;
    this.messages = shownConversation(spec, spec.turns);
    this.#system = systemHeard(spec.turns);
    const { inherited, pending } = spec;
    this.reads = new ReadLedger([...(inherited?.reads ?? []), ...spec.turns.flatMap((turn) => turn.reads)]);
    this.todo = new TodoList(todoOf(spec.turns));
    this.cwd = spec.turns.at(-1)?.cwd ?? inherited?.cwd ?? spec.root;
    this.root = lastLocation(spec.turns)?.root ?? inherited?.root ?? spec.root;
    this.turns = spec.turns.at(-1)?.turn ?? 0;
    this.last = spec.last ?? null;
    this.usage = addUsage(usageOf(spec.turns), spec.compacted?.usage ?? noUsage);
    this.receipts = receiptsOf(spec.turns);
    // Text that no turn has received is a new prompt: what was said before it is no answer to it.
    this.said = spec.heard.some(({ notice }) => !notice)
      ? ""
      : (spec.turns.map(replyText).findLast(Boolean) ?? "");
    this.#retries = retriesIn(spec.turns.flatMap(({ heard }) => heard));
    this.addSteering(spec.heard);
    if (pending) this.#goOnWith(pending);
  }

  /** Continues an unfinished turn as if it had started here. */
  #goOnWith({ open }: Pending): void {
    for (const entry of open.reads) this.reads.record(entry);
    if (open.todo) this.todo.replace(open.todo);
    this.commands = [...open.commands];
    this.cwd = open.cwd;
    for (const { result } of open.results) if (result.moved) this.move(result.moved);
  }

  /** Moves the agent from its next call on. */
  move(place: Location): void {
    this.#moved = place;
    this.root = place.root;
    this.cwd = place.cwd;
  }

  /** Returns a reply whose calls are about to run, for the supervisor. */
  replied({ content, usage }: Pick<ModelReply, "content" | "usage">): Reply {
    return { turn: this.turns + 1, heard: [...this.#heard], content: [...content], usage };
  }

  /** The turns that are still in the context. */
  get turnsShown(): readonly Turn[] {
    return this.#turnsShown;
  }

  get retries(): number {
    return this.#retries;
  }

  /** True if its last reply had no calls and nothing came after it. */
  get hasAnswered(): boolean {
    const last = this.messages.at(-1);
    return last?.role === "assistant" && blocksOf(last).every(({ type }) => type !== "tool_use");
  }

  /** True if the user only wants to compact the conversation and waits for no answer. */
  get onlyCompacts(): boolean {
    return this.compactRequest?.alone === true && this.#heard.length === 0;
  }

  /** The conversation, for compaction. */
  get shown(): CompactedView {
    const [turns, heard] = [this.#turnsShown, this.#heard];
    return { ...this.#start, turns, heard, words: this.#words, compacted: this.#compacted };
  }

  /** Sets what the model sees from now on. */
  show(compacted: Compacted): void {
    this.usage = addUsage(this.usage, usageSince(compacted.usage, this.#compacted?.usage ?? noUsage));
    this.#compacted = compacted;
    this.#turnsShown = this.#turnsShown.filter(({ turn }) => turn > compacted.through);
    this.messages = messagesOfView(this.shown);
  }

  /** Applies what came with a response of the supervisor. */
  applyAnswer({ steer, last, compact, model }: TurnAnswer): void {
    if (model) this.spec = { ...this.spec, ...model };
    this.last = last ?? null;
    this.compactRequest = compact ?? this.compactRequest;
    this.addSteering(steer);
  }

  /** The notices it has received that belong to the system prompt. */
  get system(): readonly string[] {
    return [...new Set([...this.#system, ...systemHeard([], this.#heard)])];
  }

  get tokens(): number {
    return totalTokens(this.usage);
  }

  addSteering(steering: readonly Steer[]): void {
    appendSteering(this.messages, steering);
    this.offered = toolsWith(this.offered, steering);
    for (const entry of steering.flatMap(({ reads = [] }) => reads)) this.reads.record(entry);
    this.#retries = steering.some(({ notice }) => !notice) ? 0 : this.#retries + retriesIn(steering);
    this.#heard.push(...steering);
  }

  /** Adds a reply whose calls are still to run. */
  say(reply: Pick<ModelReply, "content">): void {
    this.said = textOf(reply.content) || this.said;
  }

  /** Returns the tools that ran, by the names they are offered under. Denied calls and unknown names ran nothing. */
  #ran(calls: readonly ToolUseBlock[], results: readonly CallResult[]): string[] {
    const begun = calls.filter((_, at) => results[at]?.refused !== true);
    return begun.flatMap((call) => resolveCall(call, this.offered)?.tool.name ?? []);
  }

  /** Completes a turn: the reply and the results of its calls. Returns its record. */
  take(
    reply: Pick<ModelReply, "content" | "usage" | "lastUsage">,
    calls: readonly ToolUseBlock[],
    results: readonly CallResult[],
  ): Turn {
    const messages: MessageParam[] = [];
    // A reply without any block cannot be sent back: the API rejects empty content.
    if (reply.content.length > 0) messages.push({ role: "assistant", content: [...reply.content] });
    if (calls.length > 0) messages.push({ role: "user", content: resultBlocks(calls, results) });
    this.messages.push(...messages);
    this.turns += 1;
    this.usage = addUsage(this.usage, reply.usage);
    const reads = this.reads.takeFresh();
    const receipts = receiptsOfTurn(this.#ran(calls, results), reads, this.commands);
    this.commands = [];
    this.receipts = addReceipts(this.receipts, receipts);
    const todo = this.todo.takeFresh();
    this.#system = this.system;
    const heard = this.#heard;
    this.#heard = [];
    const place = this.#moved;
    this.#moved = null;
    const turn: Turn = {
      turn: this.turns,
      heard,
      messages,
      cwd: this.cwd,
      reads,
      ...(todo === undefined ? {} : { todo }),
      ...(place === null ? {} : { place }),
      usage: reply.usage,
      ...(reply.lastUsage === undefined ? {} : { lastUsage: reply.lastUsage }),
      receipts,
    };
    this.#turnsShown.push(turn);
    this.repetition.take(turn);
    this.#words.push(...wordsIn(turn));
    return turn;
  }
}

/** Returns the tool_use blocks of a reply, in order. */
export function callsOf(content: readonly ContentBlock[]): ToolUseBlock[] {
  return content.filter((block) => block.type === "tool_use");
}

/** Returns the messages it has received, without the runtime's notices. */
function wordsIn({ turn, heard }: Turn): { turn: number; text: string }[] {
  return heard.flatMap(({ text, notice }) => (notice ? [] : [{ turn, text }]));
}

function resultBlocks(
  calls: readonly ToolUseBlock[],
  results: readonly CallResult[],
): ToolResultBlockParam[] {
  return calls.map((call, index) => {
    const { content, isError } = results[index] ?? { content: "No result.", isError: true };
    const block: ToolResultBlockParam = { type: "tool_result", tool_use_id: call.id, content };
    return isError ? { ...block, is_error: true } : block;
  });
}

function receiptsOfTurn(
  ran: readonly string[],
  reads: Turn["reads"],
  commands: Receipts["commands"],
): Receipts {
  const tools: Record<string, number> = {};
  for (const name of ran) tools[name] = (Object.hasOwn(tools, name) ? (tools[name] ?? 0) : 0) + 1;
  return { tools, files: reads.map(({ path, digest }) => ({ path, digest })), commands };
}
