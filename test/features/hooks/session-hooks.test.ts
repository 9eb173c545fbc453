import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionHooks } from "../../../src/features/hooks/session-hooks.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { SessionId } from "../../../src/mailbox/ids.ts";
import { temporaryFolder } from "../../support/temporary.ts";

test("a session that is resumed removes what its killed process lent to hooks", () => {
  const folder = temporaryFolder();
  const left = join(folder, "hooks", "276cbc89.json");
  mkdirSync(join(folder, "hooks"));
  writeFileSync(left, '{"tool_input":{"content":"a secret"}}');
  const never = () => Promise.reject(new Error("Nothing runs here."));
  sessionHooks({
    ...{ sources: [], ofAgents: [], session: SessionId.parse("session1"), model: "m", folder, cwd: folder },
    ...{
      processes: { run: never },
      options: { source: { provider: "offline" } },
      ask: never,
      runAgent: never,
    },
    ...{
      actors: { find: () => undefined, notify() {} },
      clock: systemClock,
      onWarning() {},
      needDir: () => null,
    },
  });
  expect(existsSync(left)).toBe(false);
});
