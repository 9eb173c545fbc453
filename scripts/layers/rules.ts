/** A folder (ending in `/`) or a file, and whether only its types may be taken. */
export interface Place {
  readonly path: string;
  readonly typesOnly?: true;
}

export interface Rules {
  /** Folder of `src`, lowest first, to what it may import besides itself. */
  readonly folders: ReadonlyMap<string, readonly Place[]>;
  /** Feature to the other features that it may import. */
  readonly features: ReadonlyMap<string, readonly string[]>;
  /** Package (or sub-path, or `node:` module) to who may import it. */
  readonly owners: ReadonlyMap<string, readonly Place[]>;
  /** What must give the same run twice, and so takes its clock and its ids as arguments. */
  readonly replayable: { readonly paths: readonly string[]; readonly forbidden: readonly string[] };
  /** What a file that several tests import must not call when it is loaded: only the first of them would have it. */
  readonly notAtLoad: RegExp;
  readonly maxLines: number;
  /** Drawers: names that say nothing of what is inside. */
  readonly emptyNames: readonly string[];
}

const types = (path: string): Place => ({ path, typesOnly: true });
const all = (...paths: string[]): Place[] => paths.map((path) => ({ path }));
const folders = (...names: string[]): Place[] => all(...names.map((name) => `src/${name}/`));

const L1 = ["settings", "model", "processes", "journal", "policy", "worktrees", "engine"];
const BELOW_CORE = [
  "lib",
  "mailbox",
  ...L1,
  "context",
  "tools",
  "mcp",
  "web",
  "timers",
  "lsp",
  "actors",
  "remote",
  "events",
];

export const rules: Rules = {
  folders: new Map([
    ["lib", []],
    ["mailbox", folders("lib")],
    ...L1.map((name): [string, Place[]] => [name, folders("lib", "mailbox")]),
    ["policy", folders("lib", "mailbox", "settings")],
    [
      "worktrees",
      // Its keeper is a process of its own, with an environment like every other child; owners are known by their process.
      // Which tracked files a rule is about is decided by the rules' own patterns, and what is a secret by policy's.
      [
        ...folders("lib", "mailbox"),
        ...all(
          "src/processes/environment.ts",
          "src/processes/helper-process.ts",
          "src/processes/process-group.ts",
          "src/processes/unattended.ts",
          "src/journal/numbered-lock.ts",
          "src/journal/process-identity.ts",
          "src/policy/engine/path-pattern.ts",
          "src/policy/secrets/patterns.ts",
        ),
      ],
    ],
    [
      "context",
      [
        ...folders("lib", "mailbox"),
        ...all("src/settings/hook-events.ts", "src/settings/server-words.ts"),
        types("src/model/client.ts"),
      ],
    ],
    [
      "tools",
      [
        ...folders("lib", "mailbox"),
        ...all(
          "src/context/agents/tool-names.ts",
          "src/journal/task-graph.ts",
          "src/model/invalid-input.ts",
          "src/policy/engine/rule-syntax.ts",
        ),
        types("src/policy/"),
        types("src/model/client.ts"),
      ],
    ],
    [
      "mcp",
      // Its broker is a process of its own, with a group, a tag and an environment like every other child.
      [
        ...folders("lib", "mailbox", "tools"),
        ...all(
          "src/processes/environment.ts",
          "src/processes/helper-process.ts",
          "src/processes/host-tag.ts",
          "src/processes/process-group.ts",
        ),
        types("src/policy/user-requests.ts"),
      ],
    ],
    [
      "web",
      // It fetches by the rules' own reading of a URL, and asks the model on behalf of the agent that calls.
      [
        ...folders("lib", "mailbox"),
        ...all(
          "src/context/escape-tags.ts",
          "src/policy/engine/network-hosts.ts",
          "src/lib/clock.ts",
          "src/tools/documents.ts",
          "src/tools/pdf-pages.ts",
          "src/tools/web.ts",
        ),
        types("src/model/client.ts"),
      ],
    ],
    [
      "timers",
      [
        ...folders("lib", "mailbox"),
        ...all(
          "src/journal/paths.ts",
          "src/journal/process-identity.ts",
          "src/journal/session-lock.ts",
          "src/tools/timers/service.ts",
        ),
      ],
    ],
    [
      "lsp",
      [
        ...folders("lib", "mailbox"),
        ...all("src/lib/clock.ts", "src/tools/lsp.ts"),
        types("src/processes/processes.ts"),
        types("src/processes/processes.ts"),
      ],
    ],
    [
      "actors",
      // An actor holds one end of its channel to the gateway, and nothing else of the model.
      [
        ...folders("lib", "mailbox", "context", "tools"),
        ...all("src/model/gateway-client.ts"),
        ...all("src/model/conversation-transfer.ts", "src/model/invalid-input.ts"),
        types("src/model/client.ts"),
        types("src/engine/carrier.ts"),
      ],
    ],
    // The session's side of actors on runners.
    // It starts a runner on another machine through the user's ssh.
    ["remote", [...folders("lib", "mailbox", "engine", "actors"), ...all("src/processes/ssh.ts")]],
    // What a session reports, as plain data.
    ["events", [...folders("lib", "mailbox"), types("src/policy/")]],
    // How anything is drawn and typed; what is shown is given to it.
    ["terminal", folders("lib", "mailbox", "events")],
    // The core knows no feature: those plug into its joints.
    ["supervisor", folders(...BELOW_CORE)],
    ["features", folders(...BELOW_CORE, "supervisor")],
    ["session", folders(...BELOW_CORE, "supervisor", "features")],
    // An agent of another machine's session: its calls are evaluated here by the same features.
    ["runner", folders(...BELOW_CORE, "supervisor", "features")],
    ["cli", folders(...BELOW_CORE, "terminal", "supervisor", "features", "session", "runner")],
    // What programs use; a project is read by the command line's own code.
    [
      "library",
      [
        ...folders(...BELOW_CORE, "supervisor", "features", "session"),
        ...all(
          "src/cli/arguments.ts",
          "src/cli/process-io.ts",
          "src/cli/runtime.ts",
          "src/cli/session-flags.ts",
          "src/cli/session-setup.ts",
        ),
      ],
    ],
    [
      "index.ts",
      folders(
        "lib",
        "mailbox",
        ...L1,
        "context",
        "tools",
        "mcp",
        "actors",
        "events",
        "supervisor",
        "features",
        "session",
        "library",
      ),
    ],
  ]),
  features: new Map([
    [
      "agents",
      [
        "accept",
        "budget",
        "compaction",
        "context",
        "isolation",
        "models",
        "receipts",
        "runners",
        "skills",
        "tool-search",
      ],
    ],
    ["budget", ["gate"]],
    ["context", ["agents", "skills"]],
    ["gate", ["hooks"]],
    ["accept", ["background", "gate"]],
    ["brake", ["gate"]],
    ["scripts", ["background", "budget"]],
    ["isolation", ["accept", "background", "gate", "writers"]],
    ["languages", ["gate"]],
    ["messages", ["events", "user-actors"]],
    ["models", ["compaction"]],
    ["plan-mode", ["gate"]],
    ["runners", ["budget", "gate", "writers"]],
    ["sandbox", ["background", "gate"]],
    ["servers", ["agents", "skills"]],
    ["skills", ["background", "gate", "models"]],
    ["web", ["compaction"]],
    ["worktree", ["isolation"]],
  ]),
  owners: new Map([
    [
      "@anthropic-ai/sdk",
      [...all("src/model/anthropic.ts"), types("src/model/"), types("src/mailbox/conversation.ts")],
    ],
    ["vscode-jsonrpc/node", all("src/lsp/connection.ts")],
    ["vscode-languageserver-protocol", [types("src/lsp/")]],
    ["croner", all("src/timers/cron.ts")],
    ["quickjs-emscripten-core", all("src/features/scripts/script-thread.ts")],
    ["@jitl/quickjs-wasmfile-release-sync", all("src/features/scripts/script-thread.ts")],
    ["@mozilla/readability", all("src/web/convert/html.ts")],
    ["linkedom", all("src/web/convert/html.ts")],
    ["turndown", all("src/web/convert/html.ts")],
    ["unbash", folders("policy/shell")],
    ["yaml", folders("context/markdown")],
    // Loaded with the first reply of a conversation; each language with the first code of it.
    ["marked", all("src/terminal/markdown/")],
    // It moves fast: nothing else knows it.
    ["@earendil-works/pi-tui", folders("terminal/input")],
    ["fuzzysort", all("src/terminal/input/completions.ts")],
    [
      "@codemirror/streamparser",
      [...all("src/terminal/markdown/highlight.ts"), types("src/terminal/markdown/")],
    ],
    ["@codemirror/legacy-modes", all("src/terminal/markdown/languages.ts")],
    // Loaded with the first change of a file, and with the first one that is shown.
    ["diff", all("src/tools/file-diff.ts", "src/terminal/diff.ts")],
    ["@cfworker/json-schema", [...all("src/lib/json-schema.ts")]],
    ["@anthropic-ai/sandbox-runtime", folders("policy/sandbox")],
    ["jsonc-parser", folders("settings")],
    ["sharp", all("src/tools/images.ts")],
    ["@hyzyla/pdfium", all("src/tools/documents.ts")],
    ["@vscode/ripgrep", all("src/tools/grep/ripgrep.ts")],
    ["eventsource-parser", all("src/model/reply-stream.ts")],
    // Troupe as a client in the broker's process, and as a server in the command that is one.
    ["@modelcontextprotocol/sdk", folders("mcp/broker", "cli/mcp-serve")],
    // Loaded by `troupe acp` alone.
    ["@agentclientprotocol/sdk", folders("cli/acp")],
    // Optional, and loaded if an engine is set.
    ["bullmq", [...all("src/engine/open-engine.ts"), types("src/engine/bullmq/")]],
    ["ioredis", [...all("src/engine/open-engine.ts"), types("src/engine/bullmq/")]],
    ["pg", [...all("src/engine/open-engine.ts"), types("src/engine/bullmq/")]],
    ["nanoid", all("src/mailbox/ids.ts")],
    // Classic zod costs every thread 10 ms at its start.
    ["zod/mini", all("src/")],
    // Every child process is the process host's, a helper like it, or a server under the broker of MCP servers.
    [
      "node:child_process",
      [...folders("processes"), ...all("src/mcp/broker/stdio-transport.ts", "src/worktrees/git.ts")],
    ],
  ]),
  replayable: {
    paths: ["src/actors/loop.ts", "src/actors/run-calls.ts", "src/tools/dispatch.ts", "src/context/"],
    forbidden: [
      "Date.now",
      "new Date()",
      "Math.random",
      "performance.now",
      "crypto.randomUUID",
      "crypto.getRandomValues",
      "randomUUID",
      "setTimeout",
      "setInterval",
      "setImmediate",
    ],
  },
  notAtLoad:
    /^((before|after)(All|Each)|onTest(Finished|Failed)|(start|open)[A-Z]\w*|spawn|fork|\w*[hH]ost|Supervisor|Worker|supervised)$/,
  maxLines: 400,
  emptyNames: ["utils", "util", "helpers", "helper", "misc", "common", "shared"],
};
