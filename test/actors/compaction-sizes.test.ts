import { describe, expect, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { seeded, supervised } from "../support/supervised.ts";
import { counted, isSummaryRequest, reply, run } from "./compacting-world.ts";

/** As a server counts for which so many characters are a token. */
function countedBy(chars: number, { system, tools, messages }: ModelRequest): number {
  return Math.ceil(JSON.stringify([system, tools, messages]).length / chars);
}

const words = (chars: number) => "many words ".repeat(Math.round(chars / 11));

describe("sizes before and after are of one kind, whatever a server counts", () => {
  test.each([2, 7, 20])(
    "%i characters a token: what is said to be left is what the next request has",
    async (chars) => {
      const sizes: number[] = [];
      const { supervisor } = supervised("in-thread", (request) => {
        const input_tokens = countedBy(chars, request);
        if (isSummaryRequest(request)) return { text: "The notes.", usage: { input_tokens } };
        sizes.push(input_tokens);
        return { text: words(30_000), usage: { input_tokens, output_tokens: Math.ceil(30_000 / chars) } };
      });
      for (const prompt of ["first", "second", "third", "fourth"]) await supervisor.prompt(prompt);
      const done = await supervisor.compact(MAIN);
      if (done.type === "left") throw new Error(done.reason);
      await supervisor.prompt("fifth");
      const real = sizes.at(-1) ?? 0;
      expect(done.after).toBeLessThan(done.before);
      expect(done.before).toBeGreaterThan(sizes.at(-2) ?? Number.POSITIVE_INFINITY);
      expect(done.after).toBeGreaterThan(real * 0.6);
      expect(done.after).toBeLessThan(real * 1.6);
    },
  );

  test("where taking out old results is enough by the server's count, no summary is asked for", async () => {
    const asked: ModelRequest[] = [];
    const { summary, ends } = await run({
      host: inThreadHost(seededScheduler(seeded(11))),
      result: () => words(24_000),
      model: {
        name: "counting",
        async ask(request) {
          asked.push(structuredClone(request));
          const usage = { input_tokens: countedBy(7, request), output_tokens: 20 };
          if (isSummaryRequest(request)) return reply({ text: "Notes." }, usage);
          const at = counted(request);
          return at >= 14 ? reply({ text: "The end." }, usage) : reply({ calls: [{ turn: at + 1 }] }, usage);
        },
      },
    });
    expect(summary).toMatchObject({ status: "done", text: "The end." });
    expect(asked.filter(isSummaryRequest)).toHaveLength(0);
    expect(ends.length).toBeGreaterThan(0);
    for (const { before, after } of ends) expect(after).toBeLessThan(before);
  });
});

describe("a summary that would be no shorter", () => {
  const session = (text: string, notes: string) =>
    supervised("in-thread", (request) => ({ text: isSummaryRequest(request) ? notes : text }));

  test("is not requested if there is too little to replace", async () => {
    const { supervisor, model } = session("yes", "The notes.");
    for (const prompt of ["first", "second", "third", "fourth"]) await supervisor.prompt(prompt);
    expect(await supervisor.compact(MAIN)).toEqual({
      type: "left",
      reason: "There is too little yet: a summary would be no shorter.",
    });
    expect(model.requests).toHaveLength(4);
  });

  test("is not taken: the conversation stays as it was, and that is said", async () => {
    const { supervisor, model } = session(words(4_000), words(30_000));
    for (const prompt of ["first", "second", "third", "fourth"]) await supervisor.prompt(prompt);
    expect(await supervisor.compact(MAIN)).toEqual({
      type: "left",
      reason: "The summary was no shorter than what it would have replaced.",
    });
    await supervisor.prompt("fifth");
    expect(model.requests.at(-1)?.messages).toHaveLength(9);
  });
});
