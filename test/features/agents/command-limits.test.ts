// @module-tag long
import { expect, test } from "vitest";
import { supervised } from "../../support/supervised.ts";
import { lastResults } from "../../support/texts-of.ts";

test("commands of a session end after its own time, which its model knows", async () => {
  const { supervisor, model } = supervised(
    "worker threads",
    () =>
      model.requests.length > 1
        ? { text: "ok" }
        : {
            calls: [
              { name: "Bash", input: { command: "sleep 20" } },
              { name: "Bash", input: { command: "sleep 20", timeout: 60_000 } },
            ],
          },
    { allowedTools: ["Bash"], limits: { commandMs: 1_000, maxCommandMs: 1_500 } },
  );
  await supervisor.prompt("go");
  const [first, second] = model.requests;
  const results = second === undefined ? "" : lastResults(second).join();
  expect(results).toContain("Ended after 1000 ms (timeout)");
  expect(results).toContain("timeout was 60000 ms; the most is 1500 ms, which was used.");
  expect(JSON.stringify(first?.tools)).toContain("(default 1000, at most 1500)");
});
