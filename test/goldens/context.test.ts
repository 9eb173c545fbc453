import { goldens } from "./goldens.ts";
import { acting, type Session } from "./session.ts";

const skill = '---\ndescription: Writes notes.\nargument-hint: "[tag]"\n---\nWrite notes about $ARGUMENTS.\n';
const said = (name: string, files: Record<string, string>, more: Partial<Session> = {}): Session => ({
  name,
  files,
  run: ["-p go --trust"],
  ...more,
});

goldens("memory, skills and commands", [
  said(
    "memory of the project, the user and a directory above",
    { "CLAUDE.md": "Use tabs.\n" },
    { home: { ".claude/CLAUDE.md": "Be brief.\n" } },
  ),
  said("imports: of a file, of a missing one, in a circle", {
    "CLAUDE.md": "See @docs/a.md and @none.md.\n",
    "docs/a.md": "A, and @b.md\n",
    "docs/b.md": "B, and @a.md\n",
  }),
  said("AGENTS.md and CLAUDE.local.md", { "AGENTS.md": "For agents.\n", "CLAUDE.local.md": "Mine.\n" }),
  acting(
    "memory of a directory below, once a file there is read",
    [[["Read", { file_path: "$P/sub/a.txt" }]]],
    {
      files: { "sub/CLAUDE.md": "In sub: spaces.\n", "sub/a.txt": "a\n" },
    },
  ),
  said(
    "rules with paths",
    { ".claude/rules/ts.md": '---\npaths: "**/*.ts"\n---\nStrict types.\n', "a.ts": "1\n" },
    { replies: { main: [[["Read", { file_path: "$P/a.ts" }]]] } },
  ),
  said("memory of an untrusted project", { "CLAUDE.md": "Use tabs. @../../secret\n" }, { run: ["-p go"] }),
  said(
    "a skill by the model",
    { ".claude/skills/notes/SKILL.md": skill },
    { replies: { main: [[["Skill", { skill: "notes", args: "v2" }]], [["Skill", { skill: "none" }]]] } },
  ),
  said(
    "a skill by the user",
    { ".claude/skills/notes/SKILL.md": skill },
    { run: [{ argv: ["-p", "/notes v2", "--trust"] }] },
  ),
  said(
    "a command with arguments and a run",
    { ".claude/commands/git/ship.md": "Ship $1 to $2: !`echo ran`\n" },
    { run: [{ argv: ["-p", "/git:ship a b", "--trust", "--allowed-tools", "Bash(echo:*)"] }] },
  ),
  said("a command that there is not", {}, { run: ["-p /notthere"] }),
  said("skills that cannot be used", {
    ".claude/skills/bad/SKILL.md": "---\ndescription: [\n---\n",
    ".claude/skills/lonely.md": "x",
  }),
  said(
    "skills of a plug-in",
    { "plug/skills/extra/SKILL.md": skill },
    { run: [{ argv: ["-p", "/plug:extra now", "--plugin-dir", "$P/plug"] }] },
  ),
  said("files that a prompt names", { "a.txt": "hello\n" }, { run: ["-p 'look at @a.txt and @none.txt'"] }),
  said("the situation in a repository", { "a.txt": "a\n" }, { git: true }),
  said(
    "troupe context",
    { "CLAUDE.md": "Use tabs.\n" },
    { brief: true, run: ["context --offline", "context Explore --offline", "context none --offline"] },
  ),
  said(
    "troupe agents",
    {
      ".claude/agents/a.md": "---\nname: own\ndescription: Is own.\n---\nOwn.\n",
      ".claude/agents/b.md": "no front matter",
    },
    { brief: true, run: ["agents", "agents --json --trust", "agents extra"] },
  ),
]);
