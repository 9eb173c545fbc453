import type { Clock } from "../../src/lib/clock.ts";
import { Caller } from "../../src/mailbox/rpc/caller.ts";
import type { Channel } from "../../src/mailbox/rpc/channel.ts";
import type { RequestOf, ResponseOf } from "../../src/mailbox/rpc/table.ts";
import { attemptRequests, type SentEdits } from "../../src/mailbox/runners.ts";
import { PeerGone, type Services } from "../../src/mailbox/services.ts";

type Table = typeof attemptRequests;
/** What the machine of an agent provides itself. */
export type LocalServices = Pick<Services, "run" | "command" | "background" | "model" | "hidden">;

export interface SessionServicesOptions {
  readonly clock: Pick<Clock, "after">;
  /** What the agent's calls have changed since it was asked last; null if nothing. Rejects with a sentence. */
  edits(): Promise<SentEdits | null>;
}

/** What an agent on a runner requests of its session, over channels that may be replaced. */
export interface SessionServices extends Omit<Services, keyof LocalServices> {
  attach(channel: Channel): void;
  kit(): Promise<string>;
  board(request: RequestOf<Table, "board">): Promise<ResponseOf<Table, "board">>;
  /** No answer will come. */
  giveUp(reason: string): void;
}

/** Requests have keys that follow from what they are, so that a session which was resumed knows them again. */
export function sessionServices({ clock, edits }: SessionServicesOptions): SessionServices {
  const caller = new Caller(attemptRequests, { clock, peer: "The session" });
  const ask = async <M extends keyof Table & string>(
    method: M,
    key: string,
    body: RequestOf<Table, M>,
  ): Promise<ResponseOf<Table, M>> => {
    const result = await caller.call(method, body, { key, replays: Number.POSITIVE_INFINITY });
    if (result.ok) return result.value;
    if (result.kind === "gone") throw new PeerGone("The session");
    throw new Error(result.message);
  };
  const changed = async () => {
    const given = await edits();
    return given === null ? {} : { edits: given };
  };
  let last = 0;
  const next = () => `${++last}`;
  return {
    attach: (channel) => caller.attach(channel),
    giveUp: (reason) => caller.giveUp(reason),
    kit: () => ask("kit", "kit", null),
    board: (request) => ask("board", "board", request),
    before: (call) => ask("before", call.id, call),
    after: async (after) => ask("after", after.id, { after, ...(await changed()) }),
    callTool: (call) => ask("callTool", call.id, call),
    reply: (reply) => ask("reply", `${reply.turn}`, reply),
    turn: async (turn) => ask("turn", `${turn.turn}`, { turn, ...(await changed()) }),
    finish: async (finish) =>
      ask("finish", `${finish.turn?.turn ?? "again"} ${next()}`, { finish, ...(await changed()) }),
    compacting: (begin) => ask("compacting", next(), begin),
    compacted: (end) => ask("compacted", next(), end),
  };
}
