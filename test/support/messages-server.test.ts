import { expect, onTestFinished, test } from "vitest";
import { startMessagesServer, toolLoop } from "./messages-server.ts";

async function say(url: string, messages: unknown): Promise<string> {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ model: "m", max_tokens: 1, messages }),
  });
  return response.text();
}

const results = (count: number) => [
  { role: "user", content: 'Not a result: {"type":"tool_result"}' },
  { role: "system", content: "A reminder." },
  {
    role: "user",
    content: Array.from({ length: count }, (_, n) => ({ type: "tool_result", tool_use_id: `t${n}` })),
  },
];

test("a tool loop knows from the conversation alone where it is, several calls a turn included", async () => {
  const call = (name: string) => ({ name, input: {} });
  const server = await startMessagesServer(
    toolLoop(3, (turn) => (turn === 1 ? [call("B1"), call("B2")] : call(turn === 0 ? "A" : "C"))),
  );
  const called: string[] = [];
  for (const done of [0, 1, 3, 4]) {
    const stream = await say(server.url, results(done));
    called.push([...stream.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).join("+"));
    expect(stream.includes("Done after 3 turns.")).toBe(done === 4);
  }
  expect(called).toEqual(["A", "B1+B2", "C", ""]);
  expect(server.requests.map(({ n, path, body }) => [n, path, body.messages.length])).toEqual(
    [0, 1, 2, 3].map((n) => [n, "/v1/messages", 3]),
  );
  await server.close();
});

test("a handler that fails is a 500 that says so, and closing ends what is open", async () => {
  const server = await startMessagesServer(({ n }) => {
    if (n === 0) throw new Error("oops");
    return new Promise(() => {});
  });
  expect(await say(server.url, [])).toContain("oops");
  const held = say(server.url, []);
  await server.request(1);
  await server.close();
  await expect(held).rejects.toThrow();
});

test("a request with half a character, or an odd ID or name of a call, is refused as an API refuses it", async () => {
  const server = await startMessagesServer(() => ({ text: "ok" }));
  onTestFinished(() => server.close());
  const status = async (content: unknown) => {
    const body = JSON.stringify({ model: "m", messages: [{ role: "assistant", content }] });
    return (await fetch(`${server.url}/v1/messages`, { method: "POST", body })).status;
  };
  const call = (id: string, name: string) => [{ type: "tool_use", id, name, input: {} }];
  expect(await status("\u{1f600} \\ud83d")).toBe(200);
  expect(await status(call("t1", "Read"))).toBe(200);
  expect(await status("half \ud83d")).toBe(400);
  expect(await status(call("t 1", "Read"))).toBe(400);
  expect(await status(call("t1", ""))).toBe(400);
  expect(await status([{ type: "tool_result", tool_use_id: "a.b" }])).toBe(400);
});
