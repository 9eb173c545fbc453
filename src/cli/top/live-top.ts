import { watchSession } from "../../supervisor/live/watch-session.ts";
import { paintFor } from "../colour.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { createFrames } from "../repl/frames.ts";
import { createKeyParser } from "../repl/key-parser.ts";
import { takeKeys } from "../repl/terminal-modes.ts";
import { takeScreen } from "./full-screen.ts";
import { overCode, overSentence, type Target } from "./target.ts";
import { topFrame } from "./top-frame.ts";
import type { Watched } from "./watched.ts";

/** q, Ctrl-C, Ctrl-D; in raw mode no signal comes of them. */
const LEAVING = new Set(["q", "Q", "\u0003", "\u0004"]);

/** Without the sequences of arrows and the like, which have letters in them. */
function onlyKeys(text: string): string {
  return text.replace(/\p{Cc}(?:\[[?\d;]*[A-Za-z~]|O[A-Za-z])/gu, "");
}

/** The agents on a terminal as they are, until the person leaves or the session is over. */
export async function topOnTerminal(io: CliIO, target: Target): Promise<number> {
  const { stdout, stdin, clock } = io;
  const paint = paintFor(stdout, io.env);
  const left = Promise.withResolvers<number>();
  let watched: Watched | null = null;
  let greeting: Watched["hello"] | null = null;
  let last: string | null = null;

  const lines = (rows: number): string[] => {
    if (watched === null) return ["Waiting for the session …"];
    // One column less: a character in the last one leaves some terminals in a half-broken line.
    return topFrame(watched, clock, { columns: Math.max(1, stdout.size().columns - 1), rows, paint });
  };
  const screen = takeScreen(stdout);
  const frames = createFrames(
    clock,
    () => screen.show(lines(stdout.size().rows)),
    () => true,
  );
  const leave = watchSession(target.path, clock, (news) => {
    switch (news.type) {
      case "hello":
        greeting = news.hello;
        break;
      case "look":
        if (greeting !== null) watched = { hello: greeting, look: news, heardAt: clock.now() };
        frames.soon();
        break;
      case "over":
        last = overSentence(news.how, target.session);
        left.resolve(overCode(news.how));
        break;
      default:
        news satisfies never;
    }
  });
  const read = createKeyParser();
  const onKeys = (chunk: Buffer | string): void => {
    const typed = read(chunk).flatMap(({ type, text }) => (type === "keys" ? [...onlyKeys(text)] : []));
    if (typed.some((key) => LEAVING.has(key))) left.resolve(exitCodes.done);
  };
  const onGone = (): void => left.resolve(exitCodes.hungUp);
  const restoreKeys = io.stdinIsTTY ? takeKeys(io) : () => {};
  if (io.stdinIsTTY) stdin.on("data", onKeys).once("end", onGone).once("close", onGone).on("error", onGone);
  const forget = [
    stdout.onResize(frames.soon),
    io.onSignal("SIGINT", () => left.resolve(exitCodes.interrupted)),
    io.onSignal("SIGTERM", () => left.resolve(exitCodes.terminated)),
    io.onSignal("SIGHUP", () => left.resolve(exitCodes.hungUp)),
  ];
  frames.now();
  const code = await left.promise;
  leave();
  frames.stop();
  for (const withdraw of forget) withdraw();
  restoreKeys();
  if (io.stdinIsTTY) {
    // The listener for errors stays: a terminal that goes away now must not end the process otherwise.
    stdin.off("data", onKeys).off("end", onGone).off("close", onGone);
    stdin.destroy();
  }
  screen.leave();
  // What was seen last stays for whoever was not looking.
  if (last !== null) {
    const rest = watched === null ? [] : lines(Math.max(1, stdout.size().rows - 2));
    await stdout.write(`${[...rest, last].join("\n")}\n`);
  }
  return code;
}
