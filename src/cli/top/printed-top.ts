import type { LiveNews } from "../../features/live/news.ts";
import type { LiveAgent, LiveHello } from "../../features/live/protocol.ts";
import { watchSession } from "../../features/live/watch-session.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { paintFor } from "../colour.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { overCode, overSentence, type Target } from "./target.ts";
import { topFrame } from "./top-frame.ts";
import type { Watched } from "./watched.ts";

/** In a file or a pipe a line may be as long as one can be read. */
const COLUMNS = 140;

/** The agents as they are now, as text. */
export function topAsText(io: CliIO, target: Target): Promise<number> {
  const paint = paintFor(io.stdout, io.env);
  return once(io, target, (watched) => {
    const rows = watched.look.agents.length + 8;
    return `${topFrame(watched, io.clock, { columns: COLUMNS, rows, paint }).join("\n")}\n`;
  });
}

/** The same as one JSON object. */
export function topAsJson(io: CliIO, target: Target): Promise<number> {
  return once(io, target, ({ hello, look }) => line(hello, look, look.agents));
}

async function once(io: CliIO, target: Target, text: (watched: Watched) => string): Promise<number> {
  const seen = Promise.withResolvers<Watched | Extract<LiveNews, { type: "over" }>>();
  let hello: LiveHello | null = null;
  const leave = watchSession(target.path, io.clock, (news) => {
    if (news.type === "hello") hello = news.hello;
    else if (news.type === "over") seen.resolve(news);
    else if (hello !== null) seen.resolve({ hello, look: news, heardAt: io.clock.now() });
  });
  const answer = await seen.promise;
  leave();
  if ("how" in answer) {
    await io.stderr.write(`${overSentence(answer.how, target.session)}\n`);
    return exitCodes.notDone;
  }
  await io.stdout.write(text(answer));
  return exitCodes.done;
}

/**
 * One JSON object per line: first all agents, then those that changed, whole, and at the end how it ended. A reader
 * that is slow gets fewer lines, each with all that changed meanwhile.
 */
export async function topAsJsonLines(io: CliIO, target: Target): Promise<number> {
  const over = Promise.withResolvers<number>();
  const changed = new Map<ActorId, LiveAgent>();
  let hello: LiveHello | null = null;
  let newest: { readonly now: number; readonly costUsd: number } | null = null;
  let last: string | null = null;
  let writing: Promise<void> | null = null;
  const flush = async (): Promise<void> => {
    while (hello !== null && newest !== null && changed.size > 0) {
      const text = line(hello, newest, [...changed.values()]);
      changed.clear();
      await io.stdout.write(text);
    }
  };
  const write = (): void => {
    writing ??= flush().then(
      () => {
        writing = null;
      },
      (error: unknown) => over.reject(error),
    );
  };
  const leave = watchSession(target.path, io.clock, (news) => {
    switch (news.type) {
      case "hello":
        hello = news.hello;
        break;
      case "look":
        newest = news;
        for (const agent of news.changed) changed.set(agent.id, agent);
        write();
        break;
      case "over":
        last = news.how;
        over.resolve(overCode(news.how));
        break;
      default:
        news satisfies never;
    }
  });
  const forget = [
    io.onSignal("SIGINT", () => over.resolve(exitCodes.interrupted)),
    io.onSignal("SIGTERM", () => over.resolve(exitCodes.terminated)),
  ];
  try {
    const code = await over.promise;
    await writing;
    if (last !== null) await io.stdout.write(`${JSON.stringify({ session: target.session, over: last })}\n`);
    return code;
  } finally {
    leave();
    for (const withdraw of forget) withdraw();
  }
}

function line(
  { session, cwd, model, pid, startedAt }: LiveHello,
  { now, costUsd }: { readonly now: number; readonly costUsd: number },
  agents: readonly LiveAgent[],
): string {
  return `${JSON.stringify({ session, cwd, model, pid, startedAt, now, costUsd, agents })}\n`;
}
