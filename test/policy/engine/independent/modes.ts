import { lines } from "../lines.ts";
import type { Call, Group } from "./ground.ts";

const reads: Call[] = [
  ["Read", { file_path: "@ws/src/a.ts" }],
  ["Read", { file_path: "src/a.ts" }],
  ["Read", { file_path: "not/there.ts" }],
  ["Glob", { pattern: "**/*.ts" }],
  ["Grep", { pattern: "x", path: "src" }],
  ["Grep", { pattern: "x" }],
];
const readsOutside: Call[] = [
  ["Read", { file_path: "/etc/hosts" }],
  ["Read", { file_path: "@out/secret.txt" }],
  ["Glob", { pattern: "*", path: "@out" }],
  ["Grep", { pattern: "x", path: "/etc" }],
];
const edits: Call[] = [
  ["Edit", { file_path: "@ws/src/a.ts", old_string: "a", new_string: "b" }],
  ["Write", { file_path: "docs/new.md", content: "x" }],
  ["NotebookEdit", { notebook_path: "n.ipynb", new_source: "x" }],
];
const editsElsewhere: Call[] = [
  ["Edit", { file_path: "@out/secret.txt", old_string: "a", new_string: "b" }],
  ["Write", { file_path: "/etc/hosts", content: "x" }],
  ["Write", { file_path: ".husky/commit-msg", content: "x" }],
  ["NotebookEdit", { notebook_path: "@out/n.ipynb", new_source: "x" }],
  ["Edit", { file_path: ".git/config", old_string: "a", new_string: "b" }],
];
const readOnly = ["ls", "du -sh docs | tail -1", "git status", "cat src/a.ts"];
const fileCommands = [
  ...lines`
    mkdir -p one/two ¦ touch new ¦ rm src/a.ts ¦ mv a b ¦ cp a b ¦ sed -i s/a/b/ src/a.ts
  `,
];
const others: Call[] = [
  "npm test",
  "node x.js",
  ["WebFetch", { url: "https://example.com/", prompt: "x" }],
  ["WebSearch", { query: "x" }],
  ["mcp__db__query", { sql: "x" }],
  ["NoSuchTool", { a: 1 }],
];
const free: Call[] = [
  ["Agent", { subagent_type: "Explore", description: "d", prompt: "p" }],
  ["TodoWrite", { todos: [] }],
  ["TaskCreate", { subject: "x" }],
  ["TaskUpdate", { taskId: "1" }],
  ["TaskList", {}],
  ["TaskGet", { taskId: "1" }],
  ["TaskOutput", { task_id: "1" }],
  ["TaskStop", { task_id: "1" }],
  ["Monitor", { task_id: "1" }],
  ["Skill", { skill: "x" }],
  ["ToolSearch", { query: "x" }],
  ["SendMessage", { to: "a", message: "x" }],
  ["ListAgents", {}],
  ["AskUserQuestion", { questions: [] }],
  ["EnterPlanMode", {}],
  ["CronCreate", { cron: "* * * * *", prompt: "x" }],
  ["CronDelete", { id: "1" }],
  ["CronList", {}],
  ["ScheduleWakeup", { delay: 3 }],
  ["ListMcpResources", {}],
];
const plan: Call[] = [["ExitPlanMode", { plan: "x" }]];
const worktree: Call[] = [
  ["EnterWorktree", { name: "x" }],
  ["ExitWorktree", { action: "keep" }],
];
const resource: Call[] = [
  ["ExitWorktree", { action: "remove" }],
  ["ReadMcpResource", { server: "s", uri: "u" }],
];
const all = [
  ...reads,
  ...readsOutside,
  ...edits,
  ...editsElsewhere,
  ...readOnly,
  ...others,
  ...free,
  ...plan,
];

export const modes: readonly Group[] = [
  {
    about: "§3 default",
    allow: [...reads, ...readOnly, ...free, ...worktree],
    ask: [...readsOutside, ...edits, ...editsElsewhere, ...fileCommands, ...others, ...plan, ...resource],
  },
  {
    about: "§3 acceptEdits",
    mode: "acceptEdits",
    allow: [...reads, ...edits, ...readOnly, ...fileCommands, ...free, ...worktree],
    ask: [...readsOutside, ...editsElsewhere, ...others, ...plan, ...resource],
  },
  {
    about: "§3 plan",
    mode: "plan",
    allow: [...reads, ...readOnly, ...free],
    ask: [...readsOutside, ...fileCommands, ...others, ...plan, ...worktree, ...resource],
    deny: [...edits, ...editsElsewhere],
  },
  {
    about: "§3 bypass",
    mode: "bypassPermissions",
    allow: [
      ...reads,
      ...readsOutside,
      ...edits,
      ...editsElsewhere,
      ...readOnly,
      ...fileCommands,
      ...others,
      ...free,
      ...worktree,
      ...resource,
    ],
    ask: plan,
  },
  { about: "§3 bypass, the short name", mode: "bypass", allow: [...editsElsewhere, ...others], ask: plan },
  {
    about: "§3 dontAsk",
    mode: "dontAsk",
    allow: [...reads, ...readOnly, ...free, ...worktree],
    deny: [...readsOutside, ...edits, ...editsElsewhere, ...fileCommands, ...others, ...plan, ...resource],
  },
  {
    about: "§3 dontAsk with rules",
    mode: "dontAsk",
    rules: { allow: ["Bash(npm test)"], ask: ["Bash(git push:*)"] },
    allow: ["npm test"],
    deny: ["npm install", "git push", "rm -rf /"],
  },
  ...(["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"] as const).map(
    (mode): Group => ({
      about: `§1.2 deny in ${mode}`,
      mode,
      rules: { allow: ["Bash", "Read", "Edit"], ask: ["*"], deny: ["*"] },
      deny: all,
    }),
  ),
  { about: "§1.4 ask in default", rules: { allow: ["Bash", "Read", "Edit"], ask: ["*"] }, ask: all },
  { about: "§1.4 ask in bypass", mode: "bypassPermissions", rules: { ask: ["*"] }, ask: all },
  {
    about: "§1.5 plan whatever the allow rules say",
    mode: "plan",
    rules: { allow: ["Edit", "Write", "NotebookEdit", "Bash", "WebFetch", "mcp__db", "Read"] },
    deny: [...edits, ...editsElsewhere],
    allow: [...readOnly, ["WebFetch", { url: "https://example.com/" }], ["mcp__db__x", {}], ...readsOutside],
    ask: ["npm test", "touch x", "rm a"],
    not: ["ls > x", "echo x > docs/n.md"],
  },
  {
    about: "§1.7 protected paths under allow rules",
    rules: { allow: ["Edit", "Write", "NotebookEdit"] },
    allow: [...edits, ["Write", { file_path: "/etc/hosts", content: "" }], ["Edit", { file_path: "@out/x" }]],
    ask: [
      ["Write", { file_path: ".husky/commit-msg" }],
      ["Edit", { file_path: ".git/config" }],
    ],
  },
  {
    about: "§1 a broad deny has no exceptions",
    rules: { allow: ["Bash(git status)", "Read(src/**)"], deny: ["Bash(git:*)", "Read(src)"] },
    deny: ["git status", ["Read", { file_path: "src/a.ts" }]],
  },
  {
    about: "§1 ask beats a more specific allow",
    rules: { allow: ["Bash", "Bash(gh release create v1)"], ask: ["Bash(gh release:*)"] },
    ask: ["gh release create v1", "gh release"],
    allow: ["gh pr list"],
  },
  {
    about: "§1.1 malformed input, bypass",
    mode: "bypassPermissions",
    rules: { allow: ["Bash", "Read", "Edit", "Write", "WebFetch", "mcp__db"] },
    not: [
      ["Bash", {}],
      ["Bash", { command: 1 }],
      ["Bash", { command: null }],
      ["Bash", { command: ["ls"] }],
      ["Bash", null],
      ["Bash", "ls"],
      ["Bash", undefined],
      ["Bash", []],
      ["Bash", { command: "ls\0" }],
      ["Bash", { command: "ls \ud800" }],
      ["Bash", { command: "ls", description: "a\0b" }],
      ["Bash", { command: "ls", description: "\udc00" }],
      ["Read", {}],
      ["Read", { file_path: 3 }],
      ["Read", { file_path: "a\0b" }],
      ["Read", { path: "src/a.ts" }],
      ["Edit", { old_string: "a", new_string: "b" }],
      ["Edit", { file_path: "a", old_string: "\0", new_string: "b" }],
      ["Write", { content: "x" }],
      ["Write", { file_path: {} }],
      ["NotebookEdit", { file_path: "a" }],
      ["NotebookEdit", {}],
      ["WebFetch", {}],
      ["WebFetch", { url: 1 }],
      ["WebFetch", { url: "https://a.b/\0" }],
      ["mcp__db__q", { deep: { list: ["a\0"] } }],
      ["mcp__db__q", { deep: [{ "k\0": 1 }] }],
      ["mcp__db__q", { a: "\ud83d" }],
    ],
  },
  {
    about: "§1.1 pairs of surrogates are fine",
    allow: [
      ["Grep", { pattern: "😀" }],
      ["Bash", { command: "echo 😀" }],
    ],
  },
];
