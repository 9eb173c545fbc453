/** What a script learns from the exit code; `troupe --help` prints this table. */
export const exitCodes = {
  done: 0,
  notDone: 1,
  usage: 2,
  /** As timeout(1) has it. */
  unfinished: 124,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export const exitCodeHelp: readonly (readonly [code: number, meaning: string])[] = [
  [
    exitCodes.done,
    "the conversation ended done; for fanout and start: every task did, and edits were merged",
  ],
  [exitCodes.notDone, "it ended in any other way; everything known is printed"],
  [exitCodes.usage, "wrong usage: an unknown flag, a missing directory, no prompt, nothing to resume"],
  [exitCodes.unfinished, "it was left, to be resumed: --background-timeout or --limit-patience was over"],
  [exitCodes.hungUp, "the terminal went away (SIGHUP), after everything known was printed"],
  [exitCodes.interrupted, "interrupted (SIGINT), after everything known was printed"],
  [exitCodes.terminated, "stopped (SIGTERM), after everything known was printed"],
];

/** Wrong usage: the message is one sentence that names what is wrong and what to do. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Quotes a user's word inside a sentence: short, on one line, and visible even if it is empty. */
export function quoted(word: string): string {
  const line = word.replace(/\s+/g, " ");
  return `"${line.length > 60 ? `${line.slice(0, 59)}…` : line}"`;
}
