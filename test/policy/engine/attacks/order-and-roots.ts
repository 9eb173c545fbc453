import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §1, §2, §3 and §4.3: the order of rules, the workspace's parts, and where patterns begin. */
export const orderAndRoots: readonly AttackGroup[] = [
  {
    about: "deny before ask before allow, whatever is more specific",
    rules: {
      deny: ["Bash(git push:*)", "Read(secrets/**)"],
      ask: ["Bash(git:*)", "Bash(npm publish:*)", "Read(docs/**)"],
      allow: lines`
        Bash(git push origin main) ¦ Bash(git status) ¦ Bash(npm:*) ¦ Read(secrets/key.pem) ¦ Read(docs/guide.md)
      `,
    },
    tier: "both",
    deny: [
      ...lines`
        git push origin main ¦ git push ¦ npm test && git push ¦ npm publish; git push
      `,
      ["Read", { file_path: "secrets/key.pem" }],
      "cat secrets/key.pem",
    ],
    ask: [
      ...lines`
        git status ¦ git log ¦ npm publish ¦ npm publish --dry-run ¦ npm test && npm publish ¦ npm test; git status
      `,
      ["Read", { file_path: "docs/guide.md" }],
      "cat docs/guide.md",
    ],
    allow: ["npm test", "npm run build && npm test", "ls", ["Read", { file_path: "src/a.ts" }]],
  },
  {
    about: "deny and ask in bypass",
    mode: "bypassPermissions",
    rules: { deny: ["Bash(curl:*)", "Write"], ask: ["Bash(npm publish)", "WebFetch"] },
    deny: [
      ...lines`
        curl x ¦ ls; curl x ¦ bash -c 'curl x'
      `,
      ["Write", { file_path: "x", content: "" }],
      ["Edit", { file_path: "x", old_string: "a", new_string: "b" }],
    ],
    ask: [
      ...lines`
        npm publish ¦ ls && npm publish ¦ sh -c 'npm publish'
      `,
      ["WebFetch", { url: "https://example.com" }],
    ],
    allow: ["npm test", "./evil.sh", "cat /etc/passwd", ["Read", { file_path: "/etc/passwd" }]],
  },
  {
    about: "bypass by its other name",
    mode: "bypass",
    allow: ["npm test", ["Write", { file_path: ".npmrc", content: "" }], ["mcp__a__b", {}]],
    ask: ["rm -rf /", ["ExitPlanMode", {}]],
  },
  {
    about: "dontAsk denies where default asks",
    mode: "dontAsk",
    rules: { allow: ["Bash(npm test)"], ask: ["Bash(npm publish)"] },
    deny: [
      ...lines`
        npm publish ¦ npm run x ¦ cat /etc/passwd
      `,
      ["Write", { file_path: "x", content: "" }],
      ["Read", { file_path: "/etc/passwd" }],
      ["mcp__a__b", {}],
    ],
    allow: [
      "npm test",
      "ls",
      ["Read", { file_path: "README.md" }],
      ["Agent", { subagent_type: "x", prompt: "x" }],
    ],
  },
  {
    about: "an exact rule for a whole line",
    rules: {
      allow: lines`
        Bash(cd src && git status) ¦ Bash(for f in a b; do touch $f; done) ¦ Bash(find src -name x -delete)
        Bash(bash -c 'npm test') ¦ Bash(env X=1 npm test) ¦ Bash(./evil.sh > .npmrc)
      `,
    },
    allow: lines`
      find src -name x -delete ¦ bash -c 'npm test' ¦ env X=1 npm test ¦ for f in a b; do touch $f; done
    `,
    ask: lines`
      find src -name y -delete ¦ bash -c 'npm test; ls' ¦ env X=2 npm test ¦ ./evil.sh > .npmrc
      for f in a b; do touch $f; done; npm test
    `,
  },
  {
    about: "git after cd, under allow rules",
    rules: { allow: ["Bash(git:*)", "Bash(cd:*)"] },
    ask: lines`
      cd src && git status ¦ cd src && git commit -m x ¦ cd src; git add . ¦ (cd src && git log)
      cd nested && git status ¦ cd src && ls && git diff ¦ cd src && cd deep && git status
    `,
    allow: ["git status", "git commit -m x", "cd src && ls"],
  },
  {
    about: "a current directory below the project's root",
    at: "@ws/src",
    ctx: { projectRoot: "@ws" },
    tier: "both",
    allow: lines`
      cat ../README.md ¦ ls .. ¦ cat ../docs/guide.md ¦ cd .. && ls ¦ cat @ws/README.md ¦ grep -rn x ../test
      cat a.ts deep/c.ts
    `,
    ask: lines`
      cat ../../out/secret.txt ¦ ls ../.. ¦ cd ../.. && ls ¦ cat ../link-secret ¦ cat ../link-out/secret.txt
      cat ../../ws-other/x
    `,
  },
  {
    about: "patterns from a current directory below the project's root",
    at: "@ws/src",
    ctx: { projectRoot: "@ws" },
    rules: {
      allow: ["Write(/docs/**)", "Write(gen/**)", "Write(./here.ts)"],
      deny: ["Read(/private/**)", "Read(key.pem)"],
    },
    allow: [
      ["Write", { file_path: "../docs/x.md", content: "" }],
      ["Write", { file_path: "gen/x.ts", content: "" }],
      ["Write", { file_path: "here.ts", content: "" }],
    ],
    ask: [
      ["Write", { file_path: "docs/x.md", content: "" }],
      ["Write", { file_path: "../gen/x.ts", content: "" }],
      ["Write", { file_path: "../here.ts", content: "" }],
      ["Write", { file_path: "deep/gen/x.ts", content: "" }],
    ],
    deny: [
      ["Read", { file_path: "../private/k" }],
      ["Read", { file_path: "@ws/private/k" }],
      "cat ../private/k",
      ["Read", { file_path: "key.pem" }],
      ["Read", { file_path: "deep/key.pem" }],
    ],
  },
  {
    about: "a worktree as the current directory",
    at: "@ws/.claude/worktrees/one",
    ctx: { projectRoot: "@ws" },
    mode: "acceptEdits",
    allow: [
      ...lines`
        cat f.ts ¦ touch g.ts ¦ mkdir x
      `,
      ["Write", { file_path: "f.ts", content: "" }],
      ["Write", { file_path: "@ws/.claude/worktrees/one/src/x.ts", content: "" }],
    ],
    ask: [
      ...lines`
        touch ../../settings.json ¦ touch .npmrc ¦ mkdir .claude
      `,
      ["Write", { file_path: "../../settings.json", content: "" }],
      ["Write", { file_path: ".husky/x", content: "" }],
      ["Write", { file_path: ".claude/settings.json", content: "" }],
    ],
  },
  {
    about: "names of tools in rules are case-sensitive, and a star in parentheses is all",
    rules: { allow: ["write", "WRITE(*)", "Edit(*)", "mcp__files__*"] },
    allow: [
      ["Edit", { file_path: "x", old_string: "a", new_string: "b" }],
      ["Write", { file_path: "x", content: "" }],
      ["mcp__files__x", {}],
    ],
    ask: [
      ["Edit", { file_path: ".npmrc", old_string: "a", new_string: "b" }],
      "npm test",
      ["edit", { file_path: "x" }],
      ["mcp__files2__x", {}],
    ],
  },
  {
    about: "Unicode normalisation on darwin",
    rules: { deny: ["Read(caf\u00e9/**)"] },
    ctx: { platform: "darwin" },
    deny: [
      ["Read", { file_path: "caf\u00e9/x" }],
      ["Read", { file_path: "cafe\u0301/x" }],
      ["Read", { file_path: "CAF\u00c9/x" }],
      ["Write", { file_path: "CAFE\u0301/x", content: "" }],
    ],
    allow: [["Read", { file_path: "cafe/x" }]],
  },
];
