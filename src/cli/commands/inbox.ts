import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonFlag } from "../session-flags.ts";

/** `troupe inbox`: what waits for the user, in all sessions. */
export const inboxCommand: Command = {
  name: "inbox",
  usage: ["inbox [--json]", "inbox ID ANSWER"],
  summary: "what waits for you in all your sessions, and your answers to it",
  details: [
    "It lists permission requests, questions, plans, paused models, rejected and unmerged work, spent budgets and sessions that were cut off, the longest wait first.",
    "An answer is typed as where the session runs: y, s, n or d for a permission, a number or text for a question, y, a or n for a plan. The first answer counts.",
    "dismiss as the answer takes a result or a session that was cut off off the list, and changes nothing else.",
    "A session without a terminal waits for your answers only with --permission-prompt-tool inbox.",
  ],
  options: [jsonFlag],
  examples: [
    ["troupe inbox", "everything that waits"],
    ["troupe inbox 3fk2.7 y", "allow it once"],
    ["troupe inbox 3fk2.8 n use pnpm here", "refuse it, and say what to do instead"],
  ],
  run: runInbox,
};

async function runInbox(args: Arguments, { io }: Context): Promise<number> {
  const { printAnswered, printInbox } = await import("../inbox/inbox.ts");
  const [id, ...words] = args.positionals;
  if (id !== undefined) return printAnswered(id, words, io);
  await printInbox(args.value(jsonFlag), io);
  return exitCodes.done;
}
