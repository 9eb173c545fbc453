import { describe, expect, test } from "vitest";
import { ActorId } from "../../src/mailbox/ids.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { ask, failureIn, replyIn } from "./asking.ts";

describe("a scripted model", () => {
  test("plays its turns in order and says so when they are used up", async () => {
    const model = scriptedModel([
      {
        thinking: "hm",
        text: "Look.",
        calls: [
          { name: "Read", input: { a: 1 } },
          { name: "Read", input: {}, id: "mine" },
        ],
      },
      { text: "Done.", stopReason: "max_tokens", usage: { output_tokens: 3 } },
    ]);
    const first = replyIn((await ask(model)).outcome);
    expect(first).toMatchObject({
      stopReason: "tool_use",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Look." },
        { type: "tool_use", name: "Read", input: { a: 1 }, id: "scripted_0_0" },
        { type: "tool_use", id: "mine" },
      ],
    });
    expect(replyIn((await ask(model)).outcome)).toMatchObject({
      stopReason: "max_tokens",
      usage: { input_tokens: 0, output_tokens: 3 },
    });
    expect(failureIn((await ask(model)).outcome).message).toContain("2 turns");
  });

  test("keeps what it was asked as it was then, frozen", async () => {
    const model = scriptedModel([{}]);
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "then" }] }];
    await ask(model, { messages });
    messages[0]?.content.push({ type: "text", text: "later" });
    const kept = model.requests[0]?.messages[0];
    expect(kept?.content).toEqual([{ type: "text", text: "then" }]);
    expect(Object.isFrozen(kept?.content)).toBe(true);
  });

  test("a function answers by the request and by how often this actor has asked", async () => {
    const model = scriptedModel(({ actor }, n) => ({ text: `${actor} ${n}` }));
    const texts: string[] = [];
    for (const actor of ["anna", "anna", "bert", "anna"])
      texts.push(
        JSON.stringify(replyIn((await ask(model, { actor: ActorId.parse(actor) })).outcome).content),
      );
    expect(texts.map((text) => /(anna|bert) \d/.exec(text)?.[0])).toEqual([
      "anna 0",
      "anna 1",
      "bert 0",
      "anna 2",
    ]);
  });

  test("a turn that waits is cancelled immediately, a script that throws or rejects is a failure", async () => {
    const abort = new AbortController();
    const waiting = ask(scriptedModel([{ after: () => new Promise(() => {}) }]), {}, abort.signal);
    abort.abort();
    expect(failureIn((await waiting).outcome).kind).toBe("cancelled");
    const broken = [
      scriptedModel(() => {
        throw new Error("oops");
      }),
      scriptedModel([{ after: () => Promise.reject(new Error("oops")) }]),
    ];
    for (const model of broken) expect(failureIn((await ask(model)).outcome).message).toContain("oops");
  });

  test("a failure of the script comes as it is; text is streamed only if it is shown", async () => {
    const failure = { kind: "overloaded", message: "Busy.", partialText: "so f" } as const;
    expect(failureIn((await ask(scriptedModel([{ failure }]))).outcome)).toEqual(failure);
    expect((await ask(scriptedModel([{ text: "a" }]), { streamText: false })).events).toEqual([]);
    expect((await ask(scriptedModel([{ text: "a" }]))).events).toEqual([{ type: "text", text: "a" }]);
  });
});
