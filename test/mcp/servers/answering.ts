/**
 * A server that a test tells what to do by files in a folder: `node answering.ts FOLDER`. It answers nothing as long as
 * `wait` is there; its tool `decide` writes what it was called with to `calls` and answers with what stands in
 * `answer`, where `die` and `silence` are meant as they are written.
 */
import { appendFileSync, existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
}

const [folder = "."] = process.argv.slice(2);
const at = (name: string) => join(folder, name);

function send(id: number, result: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

function decided(id: number, given: unknown): void {
  appendFileSync(at("calls"), `${JSON.stringify(given)}\n`);
  const answer = readFileSync(at("answer"), "utf8").trim();
  if (answer === "die") process.exit(3);
  if (answer !== "silence") send(id, { content: [{ type: "text", text: answer }] });
}

function answer({ id, method, params }: Message): void {
  if (id === undefined) return;
  const inputSchema = { type: "object" };
  switch (method) {
    case "initialize":
      send(id, {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "answering", version: "1" },
      });
      return;
    case "tools/list":
      send(id, {
        tools: [
          { name: "decide", description: "Decides.", inputSchema },
          { name: "hello", description: "Says hello.", inputSchema },
        ],
      });
      return;
    case "tools/call":
      if (params?.name === "decide") decided(id, params.arguments);
      else send(id, { content: [{ type: "text", text: "hello" }] });
      return;
    default:
      send(id, {});
  }
}

function begin(): void {
  createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
}

if (existsSync(at("wait"))) {
  const watcher = watch(folder, () => {
    if (existsSync(at("wait"))) return;
    watcher.close();
    begin();
  });
} else {
  begin();
}
