// Runs the built program once, on a model that this file plays, so that what V8 compiles for it is kept beside it: then the
// first start in a new home is as fast as any other. npm runs this after an installation, and the build at its end. Nothing
// depends on it, so it never fails. Plain JavaScript, because a package in node_modules cannot run TypeScript.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NEEDED = 24;
const LIMIT_MS = 20_000;

/** What the model answers, request by request: calls that most conversations make, and one agent. */
const replies = (file) => [
  { name: "Read", input: { file_path: file } },
  { name: "Grep", input: { pattern: "warm" } },
  { name: "Agent", input: { description: "Look", prompt: "Look.", subagent_type: "Explore" } },
  { name: "Read", input: { file_path: file } },
  "Seen.",
  "Done.",
];

function streamOf(reply, n) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const isText = typeof reply === "string";
  const block = isText
    ? { type: "text", text: "" }
    : { type: "tool_use", id: `toolu_${n}`, name: reply.name, input: {} };
  const delta = isText
    ? { type: "text_delta", text: reply }
    : { type: "input_json_delta", partial_json: JSON.stringify(reply.input) };
  const message = { id: `msg_${n}`, type: "message", role: "assistant", model: "warm", content: [], usage };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: isText ? "end_turn" : "tool_use" }, usage },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

/** Compiles for the user who runs it, and for this Node. */
async function warm(root) {
  const cache = join(root, "dist/compile-cache");
  const ground = mkdtempSync(join(tmpdir(), "troupe-warm-"));
  const file = join(ground, "warm.txt");
  const script = replies(file);
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(streamOf(script[asked] ?? "Done.", asked));
      asked += 1;
    });
  });
  try {
    writeFileSync(file, "warm\n");
    // What is in it is run, so nobody else may write to it.
    process.umask(0o077);
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const child = spawn(process.execPath, [join(root, "bin/troupe.js"), "-p", "warm"], {
      cwd: ground,
      stdio: "ignore",
      timeout: LIMIT_MS,
      env: {
        ...{ PATH: process.env.PATH ?? "", HOME: ground, TROUPE_HOME: ground, NODE_COMPILE_CACHE: cache },
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
        ANTHROPIC_API_KEY: "none",
      },
    });
    await new Promise((resolve) => {
      child.once("error", resolve);
      child.once("close", resolve);
    });
  } catch (error) {
    console.log(`troupe: nothing is compiled ahead, so the first start will be slower (${error.message}).`);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(ground, { recursive: true, force: true });
  }
}

const root = join(import.meta.dirname, "..");
if (Number.parseInt(process.versions.node, 10) >= NEEDED && existsSync(join(root, "dist/cli.cjs")))
  await warm(root);
