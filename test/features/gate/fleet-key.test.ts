import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFleetKey } from "../../../src/engine/fleet-key.ts";
import { engineRunners } from "../../../src/features/runners/engine-runners.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const parts = { env: {}, home: "/nowhere", clock: systemClock, onLine: () => {} };

describe("the fleet's key", () => {
  test.each(["Troupe's directory", "where the session's runners have it"])(
    "is denied in the mode that asks nothing: in %s",
    async (where) => {
      const home = temporaryFolder();
      const key = join(where === "Troupe's directory" ? home : temporaryFolder(), "fleet-key");
      const text = Buffer.from(await createFleetKey(key)).toString("base64url");
      const calls = [
        { name: "Read", input: { file_path: key } },
        { name: "Bash", input: { command: `cat ${key}`, description: "look" } },
        { name: "Write", input: { file_path: key, content: "mine" } },
      ];
      const { supervisor, model } = supervised(
        "in-thread",
        ({ messages }) => {
          const turn = (messages.length - 1) / 2;
          return turn < calls.length ? { calls: calls.slice(turn, turn + 1) } : { text: "done" };
        },
        {
          ...{ home, permissionMode: "bypassPermissions" },
          runners: engineRunners({ engine: "redis://localhost:1", key }, parts),
        },
      );
      await supervisor.prompt("go");
      const seen = JSON.stringify(model.requests.at(-1)?.messages);
      expect(seen).not.toContain(text);
      expect(seen.match(/fleet-key\) denies it/g)).toHaveLength(calls.length);
    },
  );
});
