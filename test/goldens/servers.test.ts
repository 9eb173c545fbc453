import { goldens } from "./goldens.ts";
import { acting, type Call, type Session } from "./session.ts";

const config = JSON.stringify({ mcpServers: { good: { command: process.execPath, args: ["$SERVER"] } } });
const withServer = (name: string, calls: readonly Call[], more: Partial<Session> = {}): Session =>
  acting(
    name,
    calls.map((call) => [call]),
    {
      run: [{ argv: ["-p", "go", "--mcp-config", config, "--permission-mode", "bypassPermissions"] }],
      settings: { troupe: { mcpStartMs: 50_000 } },
      ...more,
    },
  );

goldens("servers", [
  withServer("calls: a result, an error, wrong input, structured", [
    ["mcp__good__echo", { text: "hello" }],
    ["mcp__good__fails", {}],
    ["mcp__good__echo", { words: 1 }],
    ["mcp__good__picture", {}],
  ]),
  withServer("a long result, and what a server asks for", [
    ["mcp__good__long", { chars: 200_000 }],
    ["mcp__good__ask", {}],
    ["mcp__good__think", {}],
    ["mcp__good__where", {}],
  ]),
  withServer("resources", [
    ["ListMcpResources", {}],
    ["ReadMcpResource", { server: "good", uri: "note:1" }],
    ["ReadMcpResource", { server: "good", uri: "file:none" }],
    ["ReadMcpResource", { server: "none", uri: "note:1" }],
  ]),
  withServer("a prompt of a server", [], {
    run: [{ argv: ["-p", "/mcp__good__greet Ann", "--mcp-config", config] }],
  }),
  withServer(
    "not allowed",
    [
      ["mcp__good__echo", { text: "x" }],
      ["mcp__good__env", {}],
    ],
    { run: [{ argv: ["-p", "go", "--mcp-config", config, "--disallowed-tools", "mcp__good__env"] }] },
  ),
  withServer(
    "deferred tools",
    [
      ["ToolSearch", { query: "select:mcp__good__echo" }],
      ["UseTool", { tool: "mcp__good__echo", input: { text: "hello" } }],
      ["mcp__good__echo", { text: "directly" }],
    ],
    { settings: { troupe: { mcpStartMs: 50_000, deferTools: "on" } } },
  ),
  withServer("one that does not start", [], {
    run: [{ argv: ["-p", "go", "--mcp-config", '{"mcpServers":{"bad":{"command":"no-such-program"}}}'] }],
  }),
  withServer("of a project that is not trusted", [], {
    files: { ".mcp.json": config },
    run: ["-p go", "mcp list"],
  }),
  {
    name: "listed with what they offer",
    brief: true,
    files: { ".mcp.json": config },
    run: ["mcp list --trust", "mcp get good --trust"],
    settings: { troupe: { mcpStartMs: 50_000 } },
  },
]);
