import { fork } from "node:child_process";
import { once } from "node:events";

/** What the fake Messages API plays next. */
export type Play =
  /** A conversation of `turns` turns that read `file`, then a final text. */
  | {
      readonly type: "loop";
      readonly turns: number;
      readonly file: string;
      readonly delayMs?: number;
      /** Every text comes in so many pieces, so far apart. */
      readonly pieces?: { readonly count: number; readonly apartMs: number };
      /** So many conversations wait for one another before their last reply. */
      readonly meeting?: number;
    }
  /** A main conversation that asks for `agents` agents in one reply; each plays a loop. */
  | {
      readonly type: "fan-out";
      readonly agents: number;
      readonly turns: number;
      readonly file: string;
      readonly delayMs: number;
      readonly pieces?: { readonly count: number; readonly apartMs: number };
    }
  /** Every prompt is answered with this many characters of Markdown, in pieces as a model sends them. */
  | { readonly type: "reply"; readonly characters: number; readonly apartMs: number };

/** What it saw since it began to play. Times are on the clock that processes share. */
export interface Seen {
  readonly requests: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly connections: number;
}

export type ToServer = { readonly type: "play"; readonly play: Play } | { readonly type: "seen" };
export type FromServer =
  | { readonly type: "ready"; readonly url: string }
  | { readonly type: "seen"; readonly seen: Seen };

export interface ModelServer {
  readonly url: string;
  play(play: Play): Promise<void>;
  seen(): Promise<Seen>;
  close(): void;
}

/** The fake server, in a process of its own so that it costs those who are measured nothing but cores. */
export async function startModelServer(): Promise<ModelServer> {
  const child = fork(new URL("./inside/model-server.ts", import.meta.url), { serialization: "advanced" });
  const hear = async (): Promise<FromServer> => {
    const [message] = await once(child, "message");
    return message;
  };
  const ask = (message: ToServer) => {
    const heard = hear();
    child.send(message);
    return heard;
  };
  const ready = await hear();
  if (ready.type !== "ready") throw new Error("The model server did not start.");
  return {
    url: ready.url,
    async play(play) {
      await ask({ type: "play", play });
    },
    async seen() {
      const message = await ask({ type: "seen" });
      if (message.type !== "seen") throw new Error("The model server answered something else.");
      return message.seen;
    },
    close() {
      child.disconnect();
    },
  };
}
