/** What a script learns from the process's end; `troupe --help` prints this table. */
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
  [exitCodes.done, "the conversation ended done; for fanout and start: every task did, and edits came back"],
  [exitCodes.notDone, "it ended in any other way; what is known is printed"],
  [exitCodes.usage, "wrong usage: an unknown flag, a missing folder, no prompt, nothing to go on with"],
  [exitCodes.unfinished, "what ran in the background was stopped at --background-timeout"],
  [exitCodes.hungUp, "the terminal went away (SIGHUP), after what is known was printed"],
  [exitCodes.interrupted, "interrupted (SIGINT), after what is known was printed"],
  [exitCodes.terminated, "told to stop (SIGTERM), after what is known was printed"],
];
