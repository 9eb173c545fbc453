// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Call, Group } from "./ground.ts";

const plain = lines`
  ls ¦ cat a ¦ git status ¦ grep -rn x src ¦ ls | head -1 ¦ find . -name x
`;
const beyond = lines`
  jq .x package.json ¦ awk '{print $2}' a ¦ node --version ¦ git reflog ¦ find . -exec wc -l {} +
  find . | xargs rg x ¦ wc -l $(git ls-files) ¦ diff <(ls src) <(ls docs)
`;
const calls: Call[] = [
  ["Read", { file_path: "src/a.ts" }],
  ["Glob", { pattern: "*" }],
  ["TodoWrite", { todos: [] }],
];

/** §5.7 *Verdict*: what an allow rests on. */
export const tiers: readonly Group[] = [
  { about: "§5.7 tier plain", tier: "plain", allow: plain },
  { about: "§5.7 tier plain in plan", tier: "plain", mode: "plan", allow: plain },
  {
    about: "§5.7 tier plain of file commands",
    tier: "plain",
    mode: "acceptEdits",
    allow: ["mkdir x", "touch x", "rm a", "cp a b", "sed -i s/a/b/ a", "mkdir x && ls x", "ls && rm a"],
  },
  {
    about: "§5.7 tier plain of file commands where a confinement works",
    tier: "plain",
    mode: "acceptEdits",
    ctx: { enforced: true },
    allow: ["mkdir x", "touch x", "rm a", "mkdir x && ls x"],
  },
  {
    about: "§5.7 tier enforced, also where the plain one would do",
    tier: "enforced",
    ctx: { enforced: true },
    allow: [...plain, ...beyond, "ls | jq .", "cat a && awk 1 a"],
  },
  {
    about: "§5.7 tier enforced in acceptEdits, plan and dontAsk",
    tier: "enforced",
    mode: "acceptEdits",
    ctx: { enforced: true },
    allow: [...plain, ...beyond],
  },
  {
    about: "§5.7 tier enforced in plan",
    tier: "enforced",
    mode: "plan",
    ctx: { enforced: true },
    allow: beyond,
  },
  {
    about: "§5.7 tier enforced in dontAsk",
    tier: "enforced",
    mode: "dontAsk",
    ctx: { enforced: true },
    allow: [...plain, ...beyond],
  },
  {
    about: "§5.7 tier rule",
    tier: "rule",
    rules: { allow: ["Bash(npm test:*)", "Bash(make)", "Bash(jq:*)"] },
    allow: ["npm test", "npm test -- -x", "make && npm test", "jq . package.json", "jq . a | jq .b"],
  },
  {
    about: "§5.7 tier rule where a confinement works",
    tier: "rule",
    ctx: { enforced: true },
    rules: { allow: ["Bash(npm test:*)", "Bash(jq:*)", "Bash(ls:*)"] },
    allow: ["npm test", "jq . package.json", "ls", "ls && npm test", "ls | jq ."],
  },
  {
    about: "§5.7 tier plain where rules carry some parts only",
    tier: "plain",
    rules: { allow: ["Bash(npm test:*)"] },
    allow: ["npm test | tail -5", "ls && npm test", "npm test; git status"],
  },
  {
    about: "§5.7 tier plain where rules carry some parts only and a confinement works",
    tier: "plain",
    ctx: { enforced: true },
    rules: { allow: ["Bash(npm test:*)"] },
    allow: ["npm test | tail -5", "ls && npm test", "npm test; git status"],
  },
  {
    about: "§5.7 tier enforced where a rule carries one part that reads",
    tier: "enforced",
    ctx: { enforced: true },
    rules: { allow: ["Bash(jq:*)"] },
    allow: ["jq . a | head -1", "jq . a | awk 1", "ls | jq ."],
  },
  {
    about: "§5.7 tier rule under bare Bash",
    tier: "rule",
    rules: { allow: ["Bash"] },
    allow: [...plain, "npm test"],
  },
  {
    about: "§5.7 tier mode in bypass",
    tier: "mode",
    mode: "bypass",
    allow: ["npm test", "rm a", "curl x", ["Write", { file_path: "/etc/x", content: "" }]],
  },
  { about: "§5.7 tier mode of other tools", tier: "mode", allow: calls },
  {
    about: "§5.7 tier rule of other tools",
    tier: "rule",
    rules: { allow: ["Edit(docs/**)", "WebFetch(domain:example.com)", "mcp__db"] },
    allow: [
      ["Edit", { file_path: "docs/x.md", old_string: "a", new_string: "b" }],
      ["WebFetch", { url: "https://example.com/", prompt: "x" }],
      ["mcp__db__q", {}],
    ],
  },
  {
    about: "§5.7 tier mode in acceptEdits",
    tier: "mode",
    mode: "acceptEdits",
    allow: [["Edit", { file_path: "a", old_string: "a", new_string: "b" }]],
  },
];
