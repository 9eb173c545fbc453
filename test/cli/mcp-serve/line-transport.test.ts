import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { LineTransport } from "../../../src/cli/mcp-serve/line-transport.ts";
import { outputStream } from "../../../src/cli/output-stream.ts";

async function transport() {
  const io = { stdin: new PassThrough(), stdout: new PassThrough() };
  const heard: unknown[] = [];
  const garbage: string[] = [];
  let gone = 0;
  const lines = new LineTransport({
    io: { stdin: io.stdin, stdout: outputStream(io.stdout) },
    onGone: () => {
      gone += 1;
    },
    onGarbage: (sentence) => garbage.push(sentence),
  });
  lines.onmessage = (message) => heard.push(message);
  await lines.start();
  const ended = new Promise((resolve) => io.stdin.once("close", resolve));
  return { lines, ...io, heard, garbage, gone: () => gone, ended };
}

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

test("messages come whole, however they are cut, with either line end, and in any script", async () => {
  const { stdin, heard } = await transport();
  const message = { ...ping(1), params: { text: "Größe 漢字 \u2028 😀" } };
  const bytes = Buffer.from(`${JSON.stringify(message)}\r\n\n${JSON.stringify(ping(2))}\n`);
  for (const byte of bytes) stdin.write(Buffer.from([byte]));
  expect(heard).toEqual([message, ping(2)]);
});

test("a line that is no message costs nothing but itself, and is named (fault 58)", async () => {
  const { stdin, stdout, heard, garbage } = await transport();
  stdin.write(`nonsense\n{"jsonrpc":"2.0"}\n[1,2]\n\u0000\u0001\n${JSON.stringify(ping(3))}\n`);
  expect(heard).toEqual([ping(3)]);
  expect(garbage).toHaveLength(4);
  expect(garbage[0]).toBe("A line on stdin was no message of the protocol and was left out: nonsense");
  expect(stdout.read()).toBeNull();
});

test("whoever waits for an answer gets one, on either side", async () => {
  const { stdin, stdout, heard, garbage } = await transport();
  stdin.write('{"jsonrpc":"2.0","id":7,"method":5}\n{"id":"a","result":1}\n');
  const error = { code: -32_600, message: "This is no JSON-RPC 2.0 message." };
  expect(JSON.parse(String(stdout.read()))).toEqual({ jsonrpc: "2.0", id: 7, error });
  expect(heard).toEqual([{ jsonrpc: "2.0", id: "a", error }]);
  expect(garbage).toEqual([]);
});

test("the end of the input is told once, and what follows is not heard", async () => {
  const { stdin, lines, gone, heard, ended } = await transport();
  stdin.end(`${JSON.stringify(ping(1))}\n{"jsonrpc":"2.0","id":2,"method":"pi`);
  await ended;
  expect({ heard, gone: gone() }).toEqual({ heard: [ping(1)], gone: 1 });
  let closed = 0;
  lines.onclose = () => {
    closed += 1;
  };
  await lines.close();
  await lines.close();
  expect({ closed, gone: gone() }).toEqual({ closed: 1, gone: 1 });
});

test("a line without end is the end (fault 58)", async () => {
  const { stdin, gone, garbage, heard } = await transport();
  const megabyte = Buffer.alloc(1024 * 1024, "x");
  for (let count = 0; count < 18; count++) stdin.write(megabyte);
  stdin.write(`\n${JSON.stringify(ping(1))}\n`);
  expect({ gone: gone(), heard }).toEqual({ gone: 1, heard: [] });
  expect(garbage).toEqual(["More than 16 MB came without a line break."]);
});
