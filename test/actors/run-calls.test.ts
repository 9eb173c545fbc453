import { expect, test } from "vitest";
import * as z from "zod/mini";
import { runCalls } from "../../src/actors/run-calls.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { AgentTool } from "../../src/mailbox/messages.ts";
import { bindTool } from "../../src/tools/bind-tool.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { TodoList } from "../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";

const unused = () => Promise.reject(new Error("unused"));

const hold = bindTool<object, string, AgentCallContext>({
  ...{ name: "Hold", aliases: [], description: "", inputSchema: z.object({}), permissionLevel: "read" },
  ...{ parallel: true, title: () => "", accesses: () => [], call: unused },
  mapToolResultToToolResultBlockParam: (output) => output,
});

test("of 20 calls of one reply in the agent's thread 8 run at the same time", async () => {
  let [running, most] = [0, 0];
  const held: Array<() => void> = [];
  const tool: AgentTool = {
    ...{ name: "Hold", description: "", input_schema: { type: "object" } },
    ...{ side: "agent", aliases: [], parallel: true },
  };
  const { signal } = new AbortController();
  const calls = Array.from({ length: 20 }, (_, n) => ({
    ...{ type: "tool_use" as const, id: `use_${n}`, name: "Hold", input: {} },
    caller: { type: "direct" as const },
  }));
  const results = runCalls(
    MAIN,
    1,
    calls,
    {
      offered: [tool],
      own: () => hold,
      services: {
        // Where a call waits to be let go it counts already.
        async before() {
          running += 1;
          most = Math.max(most, running);
          await new Promise<void>((resolve) => held.push(resolve));
          running -= 1;
          return { type: "refuse", reason: "enough" };
        },
        after: unused,
        callTool: unused,
        hidden: unused,
      },
      signal,
      moved() {},
      context: (call) => ({
        ...{ call, actor: MAIN, cwd: "/", root: "/", additionalDirs: [], signal, lastWriters: [] },
        ...{ reads: new ReadLedger(), todo: new TodoList([]), clock: systemClock },
        hidden: async () => new Set(),
        ...{ run: unused, command: unused, background: unused, ran() {}, changeDirectory() {} },
      }),
    },
    8,
  );
  for (let done = 0; done < 20; done += 1) {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()?.();
  }
  expect(await results).toHaveLength(20);
  expect(most).toBe(8);
});
