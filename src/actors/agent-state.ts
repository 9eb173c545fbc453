import {
  addUsage,
  type ContentBlock,
  type MessageParam,
  type ToolResultBlockParam,
  type ToolUseBlock,
  textOf,
  totalTokens,
  type Usage,
} from "../mailbox/conversation.ts";
import type {
  ActorSpec,
  CallResult,
  LastTurn,
  OpenTurn,
  Pending,
  Receipts,
  Reply,
  Steer,
  Turn,
} from "../mailbox/messages.ts";
import {
  addReceipts,
  blocksOf,
  conversationOf,
  hear,
  receiptsOf,
  todoOf,
  usageOf,
} from "../mailbox/turns.ts";
import type { ModelReply } from "../model/client.ts";
import { find } from "../tools/dispatch.ts";
import { ReadLedger } from "../tools/read-ledger.ts";
import { TodoList } from "../tools/todo-list.ts";

/**
 * What an agent knows between two turns. It is the fold of its turn records and nothing else, so a new
 * thread can go on where an old one ended (promise 8).
 */
export class AgentState {
  readonly messages: MessageParam[];
  readonly reads: ReadLedger;
  readonly todo: TodoList;
  cwd: string;
  /** What was run in this turn. */
  commands: Receipts["commands"] = [];
  /** Turns taken so far. */
  turns: number;
  usage: Usage;
  receipts: Receipts;
  /** The last text the model said: what is salvaged when it says no more. */
  said: string;
  /** The supervisor says that the next reply is the last one. */
  last: LastTurn | null;
  #heard: Steer[] = [];
  readonly #offered: ActorSpec["tools"];

  constructor(spec: ActorSpec) {
    this.#offered = spec.tools;
    this.messages = conversationOf(spec.messages, spec.turns);
    const { inherited, pending } = spec;
    this.reads = new ReadLedger([...(inherited?.reads ?? []), ...spec.turns.flatMap((turn) => turn.reads)]);
    this.todo = new TodoList(todoOf(spec.turns));
    this.cwd = spec.turns.at(-1)?.cwd ?? inherited?.cwd ?? spec.root;
    this.turns = spec.turns.at(-1)?.turn ?? 0;
    this.last = spec.last ?? null;
    this.usage = usageOf(spec.turns);
    this.receipts = receiptsOf(spec.turns);
    // Words that no turn has heard are a new prompt: what was said before it is no answer to it.
    this.said = spec.heard.some(({ news }) => !news) ? "" : lastSaid(spec.turns);
    this.hear(spec.heard);
    if (pending) this.#goOnWith(pending);
  }

  /** What the unfinished turn had seen and done, as if it had been done here. */
  #goOnWith({ open }: Pending): void {
    for (const entry of open.reads) this.reads.record(entry);
    if (open.todo) this.todo.replace(open.todo);
    this.commands = [...open.commands];
    this.cwd = open.cwd;
  }

  /** A reply whose calls are about to run, as it is told to the supervisor. */
  replied({ content, usage }: Pick<ModelReply, "content" | "usage">): Reply {
    return { turn: this.turns + 1, heard: [...this.#heard], content: [...content], usage };
  }

  /** The turn that is under way, with what its calls have come to. */
  openTurn(results: OpenTurn["results"]): OpenTurn {
    const todo = this.todo.fresh;
    return {
      turn: this.turns + 1,
      results,
      cwd: this.cwd,
      reads: [...this.reads.fresh],
      commands: [...this.commands],
      ...(todo === undefined ? {} : { todo: [...todo] }),
    };
  }

  /** It said something, called nothing, and has heard nothing since. */
  get hasAnswered(): boolean {
    const last = this.messages.at(-1);
    return last?.role === "assistant" && blocksOf(last).every(({ type }) => type !== "tool_use");
  }

  get tokens(): number {
    return totalTokens(this.usage);
  }

  hear(steering: readonly Steer[]): void {
    hear(this.messages, steering);
    this.#heard.push(...steering);
  }

  /** A reply has come; its calls are still to be run. */
  say(reply: Pick<ModelReply, "content">): void {
    this.said = textOf(reply.content) || this.said;
  }

  /** The tools that calls were of, by the names they are offered under; a name that nothing has ran nothing. */
  #ran(calls: readonly ToolUseBlock[]): string[] {
    return calls.flatMap(({ name }) => find(this.#offered, name)?.name ?? []);
  }

  /** One whole turn: the reply and, where it had calls, their results. Returns its record. */
  take(
    reply: Pick<ModelReply, "content" | "usage">,
    calls: readonly ToolUseBlock[],
    results: readonly CallResult[],
  ): Turn {
    const messages: MessageParam[] = [];
    // A reply without any block cannot be sent back: the API refuses empty content.
    if (reply.content.length > 0) messages.push({ role: "assistant", content: [...reply.content] });
    if (calls.length > 0) messages.push({ role: "user", content: resultBlocks(calls, results) });
    this.messages.push(...messages);
    this.turns += 1;
    this.usage = addUsage(this.usage, reply.usage);
    const reads = this.reads.takeFresh();
    const receipts = receiptsOfTurn(this.#ran(calls), reads, this.commands);
    this.commands = [];
    this.receipts = addReceipts(this.receipts, receipts);
    const todo = this.todo.takeFresh();
    const heard = this.#heard;
    this.#heard = [];
    return {
      turn: this.turns,
      heard,
      messages,
      cwd: this.cwd,
      reads,
      ...(todo === undefined ? {} : { todo }),
      usage: reply.usage,
      receipts,
    };
  }
}

/** The tool_use blocks of a reply, in order. */
export function callsOf(content: readonly ContentBlock[]): ToolUseBlock[] {
  return content.filter((block) => block.type === "tool_use");
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

function lastSaid(turns: readonly Turn[]): string {
  for (const turn of turns.toReversed()) {
    for (const { role, content } of turn.messages) {
      if (role !== "assistant") continue;
      const text = typeof content === "string" ? content : textOf(content);
      if (text) return text;
    }
  }
  return "";
}
