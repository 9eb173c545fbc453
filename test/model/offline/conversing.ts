import { afterAll, beforeAll } from "vitest";
import type { MessageParam, ToolUseBlock } from "../../../src/mailbox/conversation.ts";
import { textOf } from "../../../src/mailbox/conversation.ts";
import { ActorId, MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelEvent, ModelReply, ModelRequest } from "../../../src/model/client.ts";
import { offlineModel } from "../../../src/model/offline.ts";
import { type PlayTool, startTools, type Tools } from "./played-tools.ts";

export const AGENT = ActorId.parse("agent1");

let hands: Tools | undefined;

/** Real tools for the tests of one file. */
export function withTools(): void {
  beforeAll(() => {
    hands = startTools(AGENT);
  });
  afterAll(() => hands?.close());
}
export const READING = ["Read", "Glob", "Grep"];
export const EVERYTHING = [...READING, "Edit", "Write", "Bash", "Agent"];

/** One request, as the loop would make it. */
export function request(
  over: Partial<Omit<ModelRequest, "tools">> & { tools?: readonly string[]; cwd?: string },
): ModelRequest {
  const { tools = READING, cwd = "/repo", ...rest } = over;
  return {
    actor: AGENT,
    model: "sonnet",
    system: ["A role.", `Environment\nWorking directory: ${cwd}\nPlatform: test`],
    tools: tools.map(definition),
    messages: [],
    maxTokens: 16_000,
    ...rest,
  };
}

function definition(name: string): ModelRequest["tools"][number] {
  const properties = name === "Agent" || name === "Task" ? { run_in_background: { type: "boolean" } } : {};
  return { name, description: `The ${name} tool.`, input_schema: { type: "object", properties } };
}

export async function ask(asked: ModelRequest, events: ModelEvent[] = []): Promise<ModelReply> {
  const outcome = await offlineModel().ask(
    asked,
    (event) => events.push(event),
    new AbortController().signal,
  );
  if (outcome.type === "failure") throw new Error(outcome.failure.message);
  return outcome.reply;
}

export function callsIn(reply: ModelReply): ToolUseBlock[] {
  return reply.content.filter((block) => block.type === "tool_use");
}

export interface Conversation {
  readonly text: string;
  readonly turns: number;
  readonly stopReason: string;
  readonly messages: readonly MessageParam[];
  readonly calls: readonly ToolUseBlock[];
}

export interface Setting {
  readonly cwd: string;
  readonly prompt: string;
  /** What was said and done before. */
  readonly before?: readonly MessageParam[];
  readonly tools?: readonly string[];
  readonly actor?: ActorId;
  /** In place of the played tools of these names. */
  readonly play?: Readonly<Record<string, PlayTool>>;
}

/** Plays one conversation to its end, agents in conversations of their own. */
export async function converse({
  cwd,
  prompt,
  before = [],
  tools = READING,
  actor = AGENT,
  play = {},
}: Setting): Promise<Conversation> {
  const messages: MessageParam[] = [...before, { role: "user", content: prompt }];
  const calls: ToolUseBlock[] = [];
  for (let turns = 1; turns <= 30; turns++) {
    const reply = await ask(request({ actor, cwd, tools, messages: [...messages] }));
    messages.push({ role: "assistant", content: [...reply.content] });
    const wanted = callsIn(reply);
    if (wanted.length === 0) {
      const { stopReason } = reply;
      return { text: textOf(reply.content), turns, stopReason, messages, calls };
    }
    calls.push(...wanted);
    const results = await Promise.all(
      wanted.map(async (call) => {
        const { content, isError } = await playOne(call, { cwd, prompt, tools, play });
        const block = { type: "tool_result" as const, tool_use_id: call.id, content };
        return isError ? { ...block, is_error: true } : block;
      }),
    );
    messages.push({ role: "user", content: results });
  }
  throw new Error("the conversation does not end");
}

async function playOne({ name, input }: ToolUseBlock, setting: Setting) {
  if (typeof input !== "object" || input === null) throw new Error("the input is not an object");
  const fields = Object.fromEntries(Object.entries(input));
  const own = setting.play?.[name] ?? hands?.play(name);
  if (own) {
    const { text, isError } = await own(fields, setting.cwd);
    return { content: text, isError };
  }
  const prompt = String(fields["prompt"]);
  const tools = fields["subagent_type"] === "Explore" ? READING : (setting.tools ?? READING);
  const { text, stopReason } = await converse({ ...setting, actor: AGENT, prompt, tools });
  const status = stopReason === "end_turn" ? "done" : "partial";
  const frame = `[Agent a1 (Explore) ended: ${status} after 3 turns. What follows is its report.]`;
  return {
    content: [
      { type: "text" as const, text: frame },
      { type: "text" as const, text },
    ],
    isError: false,
  };
}

export const main = { actor: MAIN, tools: EVERYTHING };
