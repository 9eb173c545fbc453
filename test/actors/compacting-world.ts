import type { ActorHost } from "../../src/actors/hosts.ts";
import type { CompactAnswer, CompactEnd, Compacted, ContextWindow } from "../../src/mailbox/compacted.ts";
import { type MessageParam, noUsage, type Usage } from "../../src/mailbox/conversation.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ActorSpec, Steer, Summary, Turn } from "../../src/mailbox/messages.ts";
import { blocksOf } from "../../src/mailbox/turns.ts";
import type { ModelClient, ModelOutcome, ModelRequest } from "../../src/model/client.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { countingSpec } from "../support/counting-spec.ts";
import { servicesWith } from "../support/unasked-services.ts";

export const TASK = "Count all the way and never forget the word heliotrope.";
export const FOLDER = "/kept";

export const small = (tokens: number): ContextWindow => ({ tokens, compactAt: 0.9, auto: true });

export const spec: ActorSpec = {
  ...countingSpec,
  maxTokens: 1_000,
  maxTurns: 5_000,
  messages: [{ role: "user", content: TASK }],
  window: small(20_000),
};

/** The last thing in the conversation that counts; where all is new, nothing was counted yet. */
export function counted({ messages }: Pick<ModelRequest, "messages">): number {
  for (const message of messages.toReversed()) {
    for (const block of blocksOf(message))
      if (block.type === "tool_use") return (block.input as { turn: number }).turn;
  }
  return 0;
}

export const isSummaryRequest = ({ messages }: Pick<ModelRequest, "messages">) =>
  JSON.stringify(messages.at(-1)).includes("Write under these headings");

export const textIn = (messages: readonly MessageParam[]) => JSON.stringify(messages);

/** As a server would count: four characters to a token. */
export function tokensIn(request: Pick<ModelRequest, "system" | "tools" | "messages">): number {
  return Math.ceil(JSON.stringify([request.system, request.tools, request.messages]).length / 4);
}

export function reply(
  content: { text?: string; calls?: readonly { turn: number }[] },
  usage: Partial<Usage> = {},
  stopReason?: string,
): ModelOutcome {
  const { text, calls = [] } = content;
  return {
    type: "reply",
    reply: {
      content: [
        ...(text === undefined ? [] : [{ type: "text" as const, text, citations: null }]),
        ...calls.map((input, at) => ({
          type: "tool_use" as const,
          id: `use_${input.turn}_${at}`,
          name: "Count",
          input,
          caller: { type: "direct" as const },
        })),
      ],
      stopReason: stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn"),
      usage: { ...noUsage, ...usage },
      model: "scripted",
      apiMs: 0,
    },
  };
}

export function failure(kind: "too_large" | "server" | "invalid_request", message: string): ModelOutcome {
  return { type: "failure", failure: { kind, message, final: true } };
}

/** Calls until it has counted to `end`; its replies follow from the request alone. */
export function countingModel(
  end: number,
  seen: (request: ModelRequest) => ModelOutcome | null | undefined = () => null,
): ModelClient {
  return {
    name: "counting",
    async ask(request, _, signal) {
      if (signal.aborted) return failure("server", "aborted");
      const own = seen(structuredClone(request));
      if (own) return own;
      const usage = { input_tokens: tokensIn(request), output_tokens: 20 };
      if (isSummaryRequest(request)) return reply({ text: `Notes: counted to ${counted(request)}.` }, usage);
      const at = counted(request);
      if (at >= end || request.withoutTools) return reply({ text: `The end at ${at}.` }, usage);
      return reply({ text: `turn ${at + 1}`, calls: [{ turn: at + 1 }] }, usage);
    },
  };
}

export interface Run {
  readonly turns: readonly Turn[];
  readonly compacted: Compacted | undefined;
  readonly ends: readonly CompactEnd[];
  readonly summary: Summary | null;
  /** Of `finish`. */
  readonly alone: boolean;
}

export interface World {
  readonly host: ActorHost;
  readonly model: ModelClient;
  readonly from?: ActorSpec;
  /** Its thread is ended after this turn. */
  readonly endAfter?: number;
  /** The text of a call's result. */
  readonly result?: (turn: number) => string;
  readonly steer?: (turn: number) => Steer[];
  readonly hook?: () => CompactAnswer;
}

/** An actor without a supervisor, until its end. */
export async function run(world: World): Promise<Run> {
  const { host, model, from = spec, endAfter = Number.POSITIVE_INFINITY, result = () => "ok" } = world;
  const gateway = localGateway(model, { patienceMs: 0 });
  const turns: Turn[] = [...from.turns];
  const ends: CompactEnd[] = [];
  let compacted = from.compacted;
  let summary: Summary | null = null;
  let alone = false;
  const reached = Promise.withResolvers<void>();
  const services = servicesWith({
    reply: async () => null,
    callTool: async ({ input }) => ({
      content: result((input as { turn: number }).turn),
      isError: false,
    }),
    compacting: async ({ instructions }) => world.hook?.() ?? { type: "go", instructions },
    async compacted(end) {
      ends.push(end);
      if (!end.compacted) return null;
      compacted = { ...end.compacted, folder: FOLDER };
      return compacted;
    },
    async turn(turn) {
      turns.push(turn);
      if (turn.turn === endAfter) reached.resolve();
      return { steer: world.steer?.(turn.turn) ?? [] };
    },
    async finish(finish) {
      if (finish.turn) turns.push(finish.turn);
      summary = finish.summary;
      alone = finish.compacted ?? false;
      return { type: "closed" };
    },
  });
  const handle = host.start({
    spec: from,
    services,
    connect: () => gateway.connect(MAIN, true),
    elsewhere: null,
    isSuspect: false,
    onReport() {},
  });
  const exit = await Promise.race([handle.exited, reached.promise]);
  if (summary === null) handle.terminate();
  await handle.exited;
  await gateway.close();
  if (exit && exit.type === "threw") throw new Error(exit.message);
  return { turns, compacted, ends, summary, alone };
}
