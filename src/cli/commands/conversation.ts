import type { Command } from "../command.ts";
import { sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";

/** `troupe` alone, on a terminal. */
export const conversationCommand: Command = {
  name: "(none)",
  usage: ["[flags]"],
  summary: "start a conversation in the terminal",
  options: sessionOptions,
  examples: [["troupe", "start a conversation about this folder"]],
  async run(args, context) {
    // Loaded when it is needed: scripts that run -p hold no conversation.
    const { runRepl } = await import("../repl/repl.ts");
    return runRepl(context, (askTrust) => setUpSession(args, context, { askTrust }));
  },
};
