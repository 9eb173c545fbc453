import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import { mainOptions, resumeOptions, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { setUpSessionOrResume } from "../setup-or-resume.ts";

/** `troupe` alone, on a terminal. */
export const conversationCommand: Command = {
  name: "(none)",
  usage: ['["PROMPT"] [flags]', '--continue|--resume [ID] [flags] ["PROMPT"]'],
  summary: "start a conversation in the terminal, or resume one",
  options: [...resumeOptions, ...mainOptions, ...sessionOptions],
  examples: [
    ["troupe", "start a conversation about this directory"],
    ['troupe "what is this project?"', "the same, with its first prompt"],
    ["troupe --continue", "resume the newest one, where it was left or cut off"],
  ],
  run: runConversation,
};

/** Holds the conversation until the user leaves. */
export async function runConversation(args: Arguments, context: Context): Promise<number> {
  const [prompt, second] = args.positionals;
  if (second !== undefined)
    throw new UsageError(`A conversation takes one prompt at most, in quotes; leave out ${quoted(second)}.`);
  // Loaded when it is needed: -p needs none of it.
  const { runRepl } = await import("../repl/repl.ts");
  return runRepl(
    context,
    (asked, isFresh) => (isFresh ? setUpSession : setUpSessionOrResume)(args, context, asked),
    prompt,
  );
}
