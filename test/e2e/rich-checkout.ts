import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/temporary.ts";

/** The `server-filesystem` of the registry. */
const SERVER = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
);

export interface RichCheckout {
  readonly cwd: string;
  readonly home: string;
  at(path: string): string;
}

/** A repository with all that people put beside their code, and a home with what is the person's own. */
export function richCheckout(): RichCheckout {
  const top = temporaryFolder();
  const cwd = join(top, "harbour");
  const home = join(top, "home");
  const put = (folder: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  put(home, {
    ".claude/CLAUDE.md": "OF-THE-PERSON",
    ".claude/skills/knots/SKILL.md": "---\ndescription: How to tie knots.\n---\nKNOTS-TEXT",
  });
  put(cwd, {
    "CLAUDE.md": "# Harbour\nOF-THE-PROJECT, more in @docs/style.md\n",
    "AGENTS.md": "FOR-ALL-AGENTS\n",
    "CLAUDE.local.md": "ONLY-FOR-ME\n",
    "docs/style.md": "STYLE-OF-HARBOUR @tone.md\n",
    "docs/tone.md": "TONE-OF-HARBOUR\n",
    "data/secret.txt": "SECRET-OF-HARBOUR\n",
    "data/open.txt": "OPEN-TO-ALL\n",
    ".gitignore": "*.log\n",
    ".mcp.json": JSON.stringify({
      mcpServers: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how people write it
        files: { command: process.execPath, args: [SERVER, "${HARBOUR_DOCS:-docs}"] },
        gone: { command: "no-such-program-anywhere" },
      },
    }),
    ".claude/settings.json": JSON.stringify({
      permissions: {
        allow: ["Bash(printenv:*)", "mcp__files", "Edit(./docs/**)"],
        deny: ["Read(./data/secret.txt)", "Bash(curl:*)"],
        ask: ["Bash(git push:*)"],
      },
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [command('"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh')] }],
        UserPromptSubmit: [{ hooks: [command("echo SAID-BY-A-HOOK")] }],
        SubagentStop: [{ hooks: [command('cat >> "$CLAUDE_PROJECT_DIR"/ended.log')] }],
      },
      env: { HARBOUR: "north" },
    }),
    ".claude/hooks/guard.sh":
      '#!/bin/sh\ncase "$(cat)" in *forbidden*) echo "NOT-IN-THIS-HARBOUR" >&2; exit 2;; esac\n',
    ".claude/agents/tide-reader.md": `---
name: tide-reader
description: Use it when tides matter: it reads tables. <example>user: "When is high tide?"</example>
tools: Read, Bash, mcp__files
model: haiku
permissionMode: plan
maxTurns: 8
skills: tides
color: blue
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: cat >> "$CLAUDE_PROJECT_DIR"/tide-reader.log
---
YOU-READ-TIDES. Answer with a time.
`,
    ".claude/agents/nets/net-mender.md":
      "---\ndescription: **Mends** nets: all of them\ntools: Read, MultiEdit\n---\nYOU-MEND-NETS.\n",
    ".claude/agents/unfinished.md": "---\nname: unfinished\n\nNo end.\n",
    ".claude/skills/tides/SKILL.md":
      "---\nname: tides\ndescription: How to read tide tables.\n---\nTIDES-TEXT\n",
    ".claude/skills/notes/SKILL.md": `---
description: Writes release notes: from the log.
argument-hint: [tag] [tone]
allowed-tools: Bash(node --version)
---
NOTES-FOR $0 IN-A $1 TONE. Log: !\`git log --format=%s\`
`,
    ".claude/commands/git/ship.md":
      "---\nargument-hint: [message]\n---\nSHIP $ARGUMENTS by @docs/tone.md, status: !`git status --short`\n",
  });
  chmodSync(join(cwd, ".claude/hooks/guard.sh"), 0o755);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], { cwd });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "The harbour opens");
  return { cwd, home, at: (path) => join(cwd, path) };
}

function command(line: string) {
  return { type: "command", command: line };
}
