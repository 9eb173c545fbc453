import { lines } from "../lines.ts";
import type { Call, Group } from "./ground.ts";

const agent = (input: object): Call => [
  "Agent",
  { description: "d", prompt: "p", subagent_type: "Explore", ...input },
];

export const ruleForms: readonly Group[] = [
  ...[
    ...lines`
      Bash(npm test ¦ Bash npm test) ¦ Bash)npm test( ¦ Bash() ¦ Bash(:*) ¦ bash ¦ bash(npm:*) ¦ BASH(npm:*)
      Bash(npm:*))x
    `,
    "",
    ...lines`
      () ¦ (npm test) ¦ B* ¦ * ¦ Bas? ¦ *(npm test) ¦ NoTool(npm test) ¦ Bash(command:npm test) ¦ Bash(command:*)
    `,
  ].map(
    (rule): Group => ({ about: `§2 "${rule}" allows nothing`, rules: { allow: [rule] }, ask: ["npm test"] }),
  ),
  ...[
    ...lines`
      Bash ¦ Bash(*) ¦ Bash(npm test) ¦ Bash(npm:*) ¦ Bash(npm *) ¦ Bash(npm*) ¦ Bash(* test) ¦ Bash(n*t)
    `,
  ].map((rule): Group => ({ about: `§2 allow ${rule}`, rules: { allow: [rule] }, allow: ["npm test"] })),
  ...["Bash", "Bash(*)", "B*", "*", "*ash", "Bash(npm:*)", "Bash(npm*)", "Bash(*)"].map(
    (rule): Group => ({
      about: `§2 deny ${rule}`,
      rules: { deny: [rule] },
      deny: ["npm test", "ls && npm test"],
    }),
  ),
  {
    about: "§2 Tool(*) equals Tool",
    rules: { allow: ["Read(*)", "WebFetch(*)", "WebSearch(*)", "Edit(*)"] },
    allow: [
      ["Read", { file_path: "/etc/hosts" }],
      ["WebFetch", { url: "https://example.com" }],
      ["WebSearch", { query: "x" }],
      ["Edit", { file_path: "@out/x" }],
      ["Write", { file_path: "src/new.ts" }],
    ],
    ask: [["mcp__a__b", {}]],
  },
  {
    about: "§2 tool globs in allow",
    rules: { allow: ["mcp__*", "mcp__*__read", "mcp__d*__x", "Web*", "mcp__", "mcp__db__select_*"] },
    allow: [["mcp__db__select_all", {}]],
    ask: [
      ["mcp__db__drop", {}],
      ["mcp__a__read", {}],
      ["mcp__da__x", {}],
      ["WebSearch", { query: "x" }],
      ["WebFetch", { url: "https://example.com" }],
    ],
  },
  {
    about: "§2 tool globs in deny",
    rules: { deny: ["mcp__*", "Web*"] },
    deny: [
      ["mcp__db__drop", {}],
      ["WebSearch", { query: "x" }],
      ["WebFetch", { url: "https://example.com" }],
    ],
    allow: ["ls"],
  },
  {
    about: "§8 names of MCP tools",
    rules: { allow: ["mcp__git", "mcp__db__*", "mcp__one__t"] },
    allow: [
      ["mcp__git__log", {}],
      ["mcp__git__a__b", {}],
      ["mcp__db__x", {}],
      ["mcp__one__t", {}],
    ],
    ask: [
      ["mcp__github__x", {}],
      ["mcp__git_hub__x", {}],
      ["mcp__gi__x", {}],
      ["mcp__GIT__log", {}],
      ["mcp__dbx__x", {}],
      ["mcp__one__tt", {}],
      ["mcp__one__T", {}],
      ["mcp__one__t__u", {}],
      ["mcp__one", {}],
    ],
  },
  {
    about: "§8 denied servers and tools",
    rules: { allow: ["mcp__git", "mcp__db"], deny: ["mcp__git", "mcp__db__drop", "mcp__x__*"] },
    deny: [
      ["mcp__git__log", {}],
      ["mcp__db__drop", {}],
      ["mcp__x__y", {}],
    ],
    allow: [["mcp__db__select", {}]],
    ask: [
      ["mcp__github__x", {}],
      ["mcp__xx__y", {}],
    ],
  },
  {
    about: "§8 Agent(Name)",
    rules: { deny: ["Agent(Explore)"], ask: ["Agent(Plan)"] },
    deny: [agent({})],
    ask: [agent({ subagent_type: "Plan" })],
    allow: [agent({ subagent_type: "Explorer" }), agent({ subagent_type: "other" })],
  },
  {
    about: "§8 Agent denied",
    rules: { deny: ["Agent"] },
    deny: [agent({}), agent({ subagent_type: "x" })],
  },
  {
    about: "§2 Tool(param:value) restricts",
    rules: {
      deny: lines`
        Agent(model:opus) ¦ Agent(isolation : worktree) ¦ Bash(run_in_background:true) ¦ mcp__db__q(sql:*drop*)
        Read(limit:5) ¦ WebSearch(query:*secret*)
      `,
      ask: ["mcp__db__q(rows:1*)", "Grep(output_mode:content)"],
      allow: ["mcp__db"],
    },
    deny: [
      agent({ model: "opus" }),
      agent({ isolation: "worktree" }),
      ["Bash", { command: "ls", run_in_background: true }],
      ["mcp__db__q", { sql: "x drop y" }],
      ["Read", { file_path: "src/a.ts", limit: 5 }],
      ["WebSearch", { query: "my secret x" }],
    ],
    ask: [
      ["mcp__db__q", { rows: 12 }],
      ["Grep", { pattern: "x", output_mode: "content" }],
    ],
    allow: [
      agent({ model: "opusx" }),
      agent({}),
      agent({ isolation: "none" }),
      ["Bash", { command: "ls", run_in_background: false }],
      ["Bash", { command: "ls" }],
      ["mcp__db__q", { sql: "select" }],
      ["mcp__db__q", { nested: { sql: "drop" } }],
      ["mcp__db__q", { sql: ["drop"] }],
      ["mcp__db__q", { rows: 21 }],
      ["Read", { file_path: "src/a.ts", limit: 50 }],
      ["Grep", { pattern: "x" }],
    ],
  },
  {
    about: "§2 Tool(param:value) never allows",
    rules: { allow: ["mcp__db__q(sql:*)", "WebSearch(query:x)", "Bash(run_in_background:true)"] },
    ask: [
      ["mcp__db__q", { sql: "x" }],
      ["WebSearch", { query: "x" }],
      ["Bash", { command: "npm test", run_in_background: true }],
    ],
  },
  {
    about: "§2 the primary field cannot be matched as a parameter",
    rules: {
      deny: lines`
        Read(file_path:*) ¦ Write(file_path:*) ¦ WebFetch(url:*) ¦ NotebookEdit(notebook_path:*) ¦ Grep(path:*)
        Bash(command:*)
      `,
    },
    allow: [["Read", { file_path: "src/a.ts" }], ["Grep", { pattern: "x", path: "src" }], "ls"],
    ask: [["WebFetch", { url: "https://example.com" }]],
  },
];
