// @module-tag long
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openGround } from "./ground.ts";

it("denies the runner's fleet key to its agents, in the mode that asks nothing too", async () => {
  const home = temporaryFolder();
  const key = join(home, "fleet-key");
  const text = Buffer.from(await createFleetKey(key)).toString("base64url");
  const calls = [
    { name: "Read", input: { file_path: key } },
    { name: "Bash", input: { command: `cat ${key}`, description: "look" } },
    { name: "Bash", input: { command: `cd ${home} && cat fleet-*`, description: "look" } },
  ];
  const { session, model, spec } = await openGround(
    (_, n) => (n < calls.length ? { calls: calls.slice(n, n + 1) } : { text: "done" }),
    { home },
  );
  const agent = await session.offer(spec(), { rules: { mode: "bypassPermissions", rules: [] } });
  expect(await agent.exited).toEqual({ type: "returned" });
  const seen = JSON.stringify(model.requests.at(-1)?.messages);
  expect(seen).not.toContain(text);
  expect(seen.match(/fleet-key\) denies it/g)).toHaveLength(calls.length);
});
