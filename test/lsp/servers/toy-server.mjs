// A language server as a test wants it: `node toy-server.mjs BEHAVIOUR`. It keeps what it was told in TOY_LOG.
import { appendFileSync } from "node:fs";

const [behaviour = "well"] = process.argv.slice(2);
const log = process.env.TOY_LOG;
const tell = (what) => log && appendFileSync(log, `${JSON.stringify(what)}\n`);
const raw = (text) => process.stdout.write(text);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  raw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const answer = (id, result) => send({ id, result });

tell({ pid: process.pid, cwd: process.cwd() });
if (behaviour === "garbage") raw("Hello! This program is no language server.\n".repeat(500));
if (behaviour === "endless-header") raw("X-Padding: ".padEnd(100_000, "x"));
if (behaviour === "no-json") raw("Content-Length: 5\r\n\r\n{{{{{");
if (behaviour === "crash") {
  process.stderr.write("cannot find the compiler\n");
  process.exit(7);
}
if (behaviour === "deaf") process.on("SIGTERM", () => {});

const held = [];
const texts = new Map();
const range = (line, character) => ({ start: { line, character }, end: { line, character: character + 1 } });

function definition({ textDocument, position }) {
  switch (behaviour) {
    case "elsewhere":
      return JSON.parse(process.env.TOY_PLACES);
    case "nonsense":
      return [{ uri: 5, range: "here" }];
    case "deep":
      return undefined;
    default:
      // Where it was asked: so a test sees how places are counted.
      return [{ uri: textDocument.uri, range: range(position.line, position.character) }];
  }
}

const capabilities = {
  textDocumentSync: 1,
  ...{
    definitionProvider: true,
    hoverProvider: true,
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
  },
  referencesProvider: behaviour !== "poor",
  ...(process.env.TOY_ENCODING ? { positionEncoding: process.env.TOY_ENCODING } : {}),
};

function hear({ id, method, params, result, error }) {
  tell(method === undefined ? { id, result, error } : { method, params });
  if (method === undefined) return;
  if (method === "initialize") {
    if (behaviour === "hang-at-start") return;
    if (behaviour === "refuse") return send({ id, error: { code: -32603, message: "no licence" } });
    if (behaviour === "watch") setImmediate(() => register());
    return answer(id, { capabilities });
  }
  if (method === "initialized" && behaviour === "asks") {
    send({ id: 900, method: "workspace/applyEdit", params: { edit: { changes: {} } } });
    send({
      id: 901,
      method: "workspace/configuration",
      params: { items: [{ section: "toy.deep" }, { section: "no" }] },
    });
    send({ id: 902, method: "window/showDocument", params: { uri: "https://example.invalid" } });
    send({ id: 903, method: "made/up", params: {} });
    send({ id: 904, method: "workspace/workspaceFolders" });
  }
  if (method === "textDocument/didOpen") texts.set(params.textDocument.uri, params.textDocument.text);
  if (method === "textDocument/didChange") texts.set(params.textDocument.uri, params.contentChanges[0].text);
  if (method === "textDocument/didOpen" || method === "textDocument/didChange") {
    const { uri, version } = params.textDocument;
    const diagnostics = (texts.get(uri) ?? "").split("\n").flatMap((line, at) =>
      line.includes("wrong")
        ? [
            {
              range: range(at, line.indexOf("wrong")),
              severity: 1,
              source: "toy",
              message: `wrong in ${line}`,
            },
          ]
        : [],
    );
    // Words about the text before arrive late, too.
    if (version > 1)
      send({
        method: "textDocument/publishDiagnostics",
        params: { uri, version: version - 1, diagnostics: [] },
      });
    send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
  }
  if (method === "shutdown") return behaviour === "deaf" ? undefined : answer(id, null);
  if (method === "exit") return behaviour === "deaf" ? undefined : process.exit(0);
  if (method === "textDocument/hover")
    return answer(id, {
      contents: { kind: "plaintext", value: `text: ${texts.get(params.textDocument.uri)}` },
    });
  if (method === "workspace/symbol")
    return answer(id, [
      {
        name: params.query,
        kind: 12,
        location: { uri: process.env.TOY_URI ?? "file:///nowhere", range: range(0, 0) },
      },
    ]);
  if (method === "textDocument/documentSymbol")
    return answer(id, JSON.parse(process.env.TOY_SYMBOLS ?? "[]"));
  if (method === "textDocument/definition") return define(id, params);
  if (id !== undefined) send({ id, error: { code: -32601, message: "not known" } });
}

function define(id, params) {
  switch (behaviour) {
    case "crash-when-asked":
      process.stderr.write("panic: index out of range\n");
      return process.exit(2);
    case "hang":
      return;
    case "backwards":
      // The answer to the second comes first.
      held.push([id, params]);
      if (held.length === 2) for (const [one, asked] of held.reverse()) answer(one, definition(asked));
      return;
    case "twice":
      answer(id, definition(params));
      answer(id, []);
      answer(4711, []);
      return;
    case "flood":
      return flood();
    case "deep":
      return raw(deepAnswer(id));
    case "large":
      return answer(id, "x".repeat(17 * 1024 * 1024));
    case "busy":
      if (!held.length) held.push(send({ id, error: { code: -32801, message: "content modified" } }));
      else answer(id, definition(params));
      return;
    default:
      return answer(id, definition(params));
  }
}

/** As fast as they are read. */
function flood() {
  for (let count = 0; count < 1_000; count += 1)
    send({ method: "window/logMessage", params: { type: 4, message: "x" } });
  setImmediate(flood);
}

function deepAnswer(id) {
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
}

function register() {
  const registerOptions = { watchers: [{ globPattern: "**/*" }] };
  send({
    id: 800,
    method: "client/registerCapability",
    params: { registrations: [{ id: "w", method: "workspace/didChangeWatchedFiles", registerOptions }] },
  });
}

let pending = Buffer.alloc(0);
process.stdin.on("data", (bytes) => {
  pending = Buffer.concat([pending, bytes]);
  for (;;) {
    const end = pending.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(pending.toString("latin1", 0, end))?.[1]);
    if (pending.length < end + 4 + length) return;
    const body = pending.toString("utf8", end + 4, end + 4 + length);
    pending = pending.subarray(end + 4 + length);
    hear(JSON.parse(body));
  }
});
process.stdin.on("end", () => behaviour === "deaf" || process.exit(0));
if (behaviour === "deaf") setInterval(() => {}, 1_000);
