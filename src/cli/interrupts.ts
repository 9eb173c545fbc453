import { exitCodes } from "./exit-codes.ts";
import type { CliIO } from "./io.ts";

/** What SIGINT, SIGTERM and SIGHUP mean while a session runs. */
export interface Interrupts {
  /** Aborted by the first signal: everything is to stop. */
  readonly signal: AbortSignal;
  /** Aborted when nothing may be waited for any more: what is known is told now. */
  readonly hurry: AbortSignal;
  /** The exit code that the first signal asks for. */
  code(): number | undefined;
  /** Signals end the process again as they do without us. */
  release(): void;
}

/** Milliseconds in which a program that is told to go has gone (fault 63), and until when agents may still end. */
const GONE_MS = 900;
const AGENTS_MS = 400;
/** Milliseconds that a second signal leaves: the session closes and its SessionEnd hooks have a chance. */
export const LAST_CHANCE_MS = 500;

type Signal = Parameters<CliIO["onSignal"]>[0];

const signals: readonly (readonly [signal: Signal, code: number, words: string])[] = [
  ["SIGINT", exitCodes.interrupted, "It was interrupted (SIGINT)."],
  ["SIGTERM", exitCodes.terminated, "It was told to stop (SIGTERM)."],
  ["SIGHUP", exitCodes.hungUp, "Its terminal went away (SIGHUP)."],
];

/**
 * The first SIGINT asks everything to stop, with the time that takes; SIGTERM and SIGHUP come from those who do not
 * wait, so that the process is gone within a second. A second signal leaves what does not end; a third leaves at once.
 * `leave` ends the process.
 */
export function watchInterrupts(
  io: Pick<CliIO, "onSignal" | "clock">,
  { note, leave }: { note(line: string): void; leave(code: number): void },
): Interrupts {
  const stop = new AbortController();
  const hurry = new AbortController();
  let count = 0;
  let code: number | undefined;
  let timers: (() => void)[] = [];
  const withdrawTimers = (): void => {
    for (const withdraw of timers.splice(0)) withdraw();
  };
  const goneWithin = (ms: number, exit: number): void => {
    timers.push(io.clock.after(ms, () => leave(exit)));
  };
  const first = (signal: Signal, exit: number, words: string): void => {
    code = exit;
    const waits = signal === "SIGINT";
    note(
      waits
        ? "Stopping; what is known so far follows. Once more leaves at once."
        : "Stopping; what is known so far follows.",
    );
    if (!waits) {
      timers = [io.clock.after(AGENTS_MS, () => hurry.abort())];
      goneWithin(GONE_MS, exit);
    }
    stop.abort(new Error(words));
  };
  const onSignal = (signal: Signal, exit: number, words: string): void => {
    count += 1;
    if (count === 1) first(signal, exit, words);
    else if (count === 2) {
      withdrawTimers();
      hurry.abort();
      goneWithin(LAST_CHANCE_MS, exit);
    } else leave(exit);
  };
  const withdrawals = signals.map(([signal, exit, words]) =>
    io.onSignal(signal, () => onSignal(signal, exit, words)),
  );
  return {
    signal: stop.signal,
    hurry: hurry.signal,
    code: () => code,
    release() {
      withdrawTimers();
      for (const withdraw of withdrawals) withdraw();
    },
  };
}
