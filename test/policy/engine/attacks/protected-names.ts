// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const names = lines`
  .git/config ¦ .git/hooks/pre-commit ¦ sub/.git/config ¦ .config/git/config ¦ .vscode/settings.json ¦ .idea/x
  .husky/pre-commit ¦ .cargo/config.toml ¦ .devcontainer/x ¦ .yarn/x ¦ .mvn/x ¦ .claude/settings.json
  .claude/agents/Explore.md ¦ .gitconfig ¦ .gitmodules ¦ .bashrc ¦ .bash_profile ¦ .bash_login ¦ .bash_aliases
  .bash_logout ¦ .zshrc ¦ .zprofile ¦ .zshenv ¦ .zlogin ¦ .zlogout ¦ .profile ¦ .envrc ¦ .npmrc ¦ .yarnrc
  .yarnrc.yml ¦ .pnp.cjs ¦ .pnp.loader.mjs ¦ .pnpmfile.cjs ¦ bunfig.toml ¦ .bunfig.toml ¦ .bazelrc ¦ .bazelversion
  .bazeliskrc ¦ .pre-commit-config.yaml ¦ lefthook.yml ¦ .lefthook.yaml ¦ gradle-wrapper.properties
  maven-wrapper.properties ¦ .devcontainer.json ¦ .ripgreprc ¦ pyrightconfig.json ¦ .mcp.json ¦ .claude.json
`;

const respelled = names.flatMap((name) => [
  name.toUpperCase(),
  `src/deep/${name.replace(/[a-z]/u, (c) => c.toUpperCase())}`,
]);

/** §4.4, in every mode and letter case. */
export const protectedNames: readonly AttackGroup[] = [
  {
    about: "protected names in every letter case, written in acceptEdits",
    mode: "acceptEdits",
    rules: { allow: ["Edit", "Write"] },
    ask: [
      ...[...names, ...respelled].map((file_path) => ["Write", { file_path, content: "" }] as const),
      ...[...names, ...respelled].map((file_path) => `touch ${file_path}`),
      ...names.map(
        (file_path) => ["Edit", { file_path: `~/${file_path}`, old_string: "a", new_string: "b" }] as const,
      ),
      ...names.map((name) => `echo x > ${name}`),
      ["Write", { file_path: ".npmrc.", content: "" }],
      ["Write", { file_path: ".npmrc ", content: "" }],
      ["Write", { file_path: ".npmrc. .", content: "" }],
      ["Write", { file_path: ".git./config", content: "" }],
      ["Write", { file_path: ".git /config", content: "" }],
      ["Write", { file_path: "src/../.npmrc", content: "" }],
      ["Write", { file_path: "link-npmrc", content: "" }],
      ["Write", { file_path: "link-husky/x", content: "" }],
      ["Edit", { file_path: "@ws/.Claude/Settings.json", old_string: "a", new_string: "b" }],
      ["NotebookEdit", { notebook_path: ".vscode/x.ipynb", new_source: "" }],
      ...lines`
        touch '.npmrc.' ¦ touch '.npmrc ' ¦ mkdir .GIT ¦ mkdir -p zz/.Husky ¦ cp README.md .npmrc
        cp README.md .NPMRC ¦ mv README.md .envrc ¦ rm .npmrc ¦ rm -r .husky ¦ mv .npmrc x ¦ sed -i s/a/b/ .npmrc
      `,
    ],
    allow: [
      ["Write", { file_path: "src/npmrc", content: "" }],
      ["Write", { file_path: ".gitignore", content: "" }],
      ["Write", { file_path: ".gitattributes", content: "" }],
      ["Write", { file_path: ".editorconfig", content: "" }],
      ["Write", { file_path: ".github/workflows/ci.yml", content: "" }],
      ["Write", { file_path: ".claude/worktrees/one/f.ts", content: "" }],
      "touch gitconfig",
      "touch src/claude.json",
    ],
  },
  {
    about: "protected names in plan, and in dontAsk",
    mode: "plan",
    rules: { allow: ["Edit", "Write"] },
    deny: names.map((file_path) => ["Write", { file_path, content: "" }] as const),
  },
  {
    about: "protected names in bypass",
    mode: "bypassPermissions",
    allow: names.map((file_path) => ["Write", { file_path, content: "" }] as const),
  },
  {
    about: "a configuration directory of another name",
    mode: "acceptEdits",
    ctx: { configDir: ".troupe" },
    ask: [
      ["Write", { file_path: ".troupe/settings.json", content: "" }],
      ["Write", { file_path: ".Troupe/agents/x.md", content: "" }],
      "touch .troupe/x",
      "mkdir -p sub/.TROUPE/x",
    ],
    allow: [["Write", { file_path: ".troupe/worktrees/x/f", content: "" }]],
  },
];
