import { expect, test } from "vitest";
import { isLong, long } from "../support/long.ts";
import { memoryRun } from "./memory-run.ts";

const endsOf = (agents: readonly { readonly status: string }[]) =>
  Object.fromEntries(
    ["done", "out_of_memory"].map((status) => [status, agents.filter((one) => one.status === status).length]),
  );

/** Sixteen in the long run. */
const AGENTS = long(16, 6);

test("one of many agents exhausts its memory with arrays and strings: it ends out_of_memory with its last text, all others finish (D3, fault 51)", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const { faults, ends, agents, folder } = await memoryRun("arrays", AGENTS);
  expect(faults, `see ${folder}`).toEqual([]);
  expect(ends).toEqual(["0"]);
  expect(endsOf(agents)).toEqual({ done: AGENTS - 1, out_of_memory: 1 });
  expect(agents.find(({ status }) => status === "out_of_memory")).toMatchObject({
    description: "part greedy",
    text: "greedy begins stage 1.",
    reason: "Its thread used up its memory.",
  });
});

// More agents of these are for `npm run test:soak`.
test.each(isLong ? (["map", "buffers"] as const) : (["map"] as const))(
  "one that ends its whole process, as %s: after a resume nothing durable is lost (D3, fault 51)",
  { tags: ["long"], timeout: 180_000 },
  async (form) => {
    const { faults, ends, agents, folder } = await memoryRun(form, 4);
    expect(faults, `see ${folder}`).toEqual([]);
    // A machine that ends only the thread has done better than was promised.
    expect(ends.length).toBeLessThanOrEqual(2);
    const lost = ends.length === 2 ? 0 : 1;
    expect(endsOf(agents)).toEqual({ done: 4 - lost, out_of_memory: lost });
  },
);
