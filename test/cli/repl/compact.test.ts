import { expect, test } from "vitest";
import { runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import type { Compaction } from "../../../src/mailbox/compacted.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

test.each([
  [20_528, 17_933, "The conversation is shorter: about 17.9k tokens instead of 20.5k."],
  // Nothing is compared that reads alike, or the wrong way round.
  [7_040, 7_020, "The conversation is a little shorter: about 7.0k tokens."],
  [2, 2, "The conversation is a little shorter: about 2 tokens."],
  [120, 7_000, "The older turns of the conversation are a summary now."],
])("/compact, %i tokens before and %i after", async (before, after, words) => {
  const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
  const compact = async () => ({ type: "compacted", before, after }) as const;
  expect(await runSlashCommand("/compact", slashContext(own, { compact }))).toBe(words);
});

test("/compact that takes too long is stopped like a turn", async () => {
  const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
  const left = Promise.withResolvers<Compaction>();
  const stop = new AbortController();
  const session = {
    compact: () => left.promise,
    cancel: (actor: string, reason: string) => left.resolve({ type: "left", reason: `${actor}: ${reason}` }),
  };
  const context = { ...slashContext(own, session), stoppable: () => stop.signal };
  const said = runSlashCommand("/compact", context);
  stop.abort();
  expect(await said).toBe(`${MAIN}: The user stopped it.`);
});
