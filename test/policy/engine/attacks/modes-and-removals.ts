// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type AttackGroup, combine, lines } from "./fixture.ts";

const removals = lines`
  rm -rf /
  rm -rf //
  rm -rf /.
  rm -rf /./
  rm -rf /usr/..
  rm -rf /usr/../
  rm -rf /*
  rm -rf "/"*
  rm -rf /usr
  rm -rf /etc/
  rm -rf /home
  rm -rf /tmp
  rm -rf /usr/*
  rm -rf /{usr,etc}
  rm -rf {/,x}
  rm -rf ~
  rm -rf ~/
  rm -rf ~/*
  rm -rf $HOME
  rm -rf "$HOME"
  rm -rf "$HOME/"
  rm -rf \${HOME}
  rm -rf "\${HOME}"/*
  rm -rf $HOME/*
  rm -rf @home
  rm -rf @home/*
  rm -rf .
  rm -rf ./
  rm -rf *
  rm -rf ./*
  rm -rf ..
  rm -rf ../
  rm -rf ../..
  rm -rf src/..
  rm -rf src/../
  rm -rf @ws
  rm -rf @ws/
  rm -rf "@ws"
  rm -rf @ws/*
  rm -rf @ws/src/..
  rm -rf @root
  rm -rf @root/*
  rm -rf "$X"/*
  rm -rf $X/
  rm -rf $X/*
  rm -rf "\${X}"/*
  rm -rf "$X/"
  rm -rf "$X"/
  rm -r /
  rm -R /
  rm -fr /
  rm -r -f /
  rm --recursive --force /
  rm --rec /
  rm -rf -- /
  rm -rf --no-preserve-root /
  rm --no-preserve-root -rf /
  rm / -rf
  rm -rf x /
  rm -rf x y ~
  rm -rf '/'
  rm -rf "/"
  rm -rf \/
  rm -rf $'/'
  rm -rfv / x
  \rm -rf /
  'rm' -rf /
  r""m -rf /
  /bin/rm -rf /
  /usr/bin/rm -rf ~
  command rm -rf /
  command -p rm -rf /
  builtin command rm -rf /
  exec rm -rf /
  env rm -rf /
  env -i rm -rf /
  env -S 'rm -rf /'
  sudo rm -rf /
  sudo -n rm -rf /
  sudo -u root rm -rf /
  doas rm -rf /
  timeout 5 rm -rf /
  timeout -vk 5 9 rm -rf /
  nice -n 5 rm -rf /
  nice --adj 5 rm -rf ~
  nohup rm -rf / &
  setsid rm -rf /
  ionice -tc 3 rm -rf /
  watch -tn 1 rm -rf /
  flock x rm -rf /
  flock x -c 'rm -rf /'
  stdbuf -oL rm -rf /
  xargs rm -rf /
  xargs -0I % rm -rf /
  find src -exec rm -rf / \;
  time rm -rf /
  bash -c 'rm -rf /'
  sh -c "rm -rf ~"
  bash -c -o errexit 'rm -rf /'
  bash -lc 'rm -rf /'
  eval 'rm -rf /'
  eval rm -rf /
  eval -- rm -rf /
  X=1 rm -rf /
  > /dev/null rm -rf /
  ls; rm -rf /
  ls && rm -rf ~
  ls || rm -rf *
  ls | rm -rf /
  (rm -rf /)
  { rm -rf /; }
  ! rm -rf /
  if true; then rm -rf /; fi
  for i in a; do rm -rf /; done
  while true; do rm -rf /; done
  case x in x) rm -rf /;; esac
  f() { rm -rf /; }; f
  f() { rm -rf /; }
  coproc rm -rf /
  echo $(rm -rf /)
  echo "$(rm -rf ~)"
  echo \`rm -rf /\`
  cat <(rm -rf /)
  cat <<< "$(rm -rf /)"
  x=$(rm -rf /)
  echo \${x:-$(rm -rf /)}
  cd / && rm -rf *
  cd src && rm -rf ..
  rmdir /
  rmdir ~
  rmdir .
  rmdir ..
  rmdir -p /usr
  rmdir @ws
  find / -delete
  find /* -delete
  find ~ -delete
  find "$HOME" -delete
  find . -delete
  find ./ -delete
  find .. -delete
  find -delete
  find /usr -delete
  find @ws -delete
  find . / -delete
  find src . -delete
  find -L / -delete
  sudo find / -delete
`;

const mild = lines`
  rm -rf node_modules
  rm -rf ./build dist
  rm -rf src/deep
  rm -f README.md
  rm -rf /tmp/x/y
  rm -rf ~/old/thing
  find build -delete
  rmdir zz
`;

const names = lines`
  .git/config
  .git/hooks/pre-commit
  sub/.git/config
  .config/git/config
  .vscode/settings.json
  .idea/x
  .husky/pre-commit
  .cargo/config.toml
  .devcontainer/x
  .yarn/x
  .mvn/x
  .claude/settings.json
  .claude/agents/Explore.md
  .gitconfig
  .gitmodules
  .bashrc
  .bash_profile
  .bash_login
  .bash_aliases
  .bash_logout
  .zshrc
  .zprofile
  .zshenv
  .zlogin
  .zlogout
  .profile
  .envrc
  .npmrc
  .yarnrc
  .yarnrc.yml
  .pnp.cjs
  .pnp.loader.mjs
  .pnpmfile.cjs
  bunfig.toml
  .bunfig.toml
  .bazelrc
  .bazelversion
  .bazeliskrc
  .pre-commit-config.yaml
  lefthook.yml
  .lefthook.yaml
  gradle-wrapper.properties
  maven-wrapper.properties
  .devcontainer.json
  .ripgreprc
  pyrightconfig.json
  .mcp.json
  .claude.json
`;

const respelled = names.flatMap((name) => [
  name.toUpperCase(),
  `src/deep/${name.replace(/[a-z]/u, (c) => c.toUpperCase())}`,
]);

/** §6, §3 and §4.4. */
export const modesAndRemovals: readonly AttackGroup[] = [
  {
    about: "critical removals in bypass, with Bash allowed",
    mode: "bypassPermissions",
    rules: { allow: ["Bash"] },
    ask: removals,
    allow: mild,
  },
  {
    about: "critical removals under rules for rm",
    rules: { allow: ["Bash", "Bash(rm:*)", "Bash(rm -rf /)"] },
    tier: "both",
    ask: removals,
    allow: mild,
  },
  { about: "critical removals in acceptEdits", mode: "acceptEdits", ask: removals },
  {
    about: "critical removals in plan",
    mode: "plan",
    rules: { allow: ["Bash"] },
    ask: [...removals, ...mild],
  },
  {
    about: "critical removals in dontAsk",
    mode: "dontAsk",
    rules: { allow: ["Bash"] },
    deny: removals,
    allow: mild,
  },
  {
    about: "critical removals under a deny rule",
    mode: "bypassPermissions",
    rules: { deny: ["Bash(rm:*)"] },
    deny: removals.filter((command) => /(?<![a-z])r(?:''|"")?m(?![a-z])/u.test(command)),
  },
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
      "touch '.npmrc.'",
      "touch '.npmrc '",
      "mkdir .GIT",
      "mkdir -p zz/.Husky",
      "cp README.md .npmrc",
      "cp README.md .NPMRC",
      "mv README.md .envrc",
      "rm .npmrc",
      "rm -r .husky",
      "mv .npmrc x",
      "sed -i s/a/b/ .npmrc",
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
  {
    about: "the modes' defaults for commands",
    mode: "plan",
    rules: { allow: ["Bash(npm test)", "Bash(touch:*)"] },
    allow: lines`
      ls
      git log --oneline -5
      grep -rn x src
      cat README.md | head
    `,
    ask: lines`
      npm test
      touch x
      mkdir x
      ls > x
      rm x
      curl x
      ls && npm test
    `,
  },
  {
    about: "what default asks and acceptEdits permits",
    ask: lines`
      mkdir x
      touch x
      rm README.md
      rmdir x
      mv README.md x
      cp README.md x
      sed -i s/a/b/ README.md
    `,
  },
  {
    about: "file commands in acceptEdits",
    mode: "acceptEdits",
    tier: "both",
    allow: lines`
      mkdir x
      mkdir -p x/y/z
      touch x
      touch x y z
      rm README.md
      rm -f README.md
      rm -rf src/deep
      rm -r docs
      rmdir x
      mv README.md x
      mv src/a.ts src/b.ts docs
      cp README.md x
      cp -r src x
      cp -t docs README.md
      mv -t docs README.md
      sed -i s/a/b/ README.md
      mkdir x && touch x/y
      rm 'docs/with blank.md'
    `,
    ask: combine(
      ["rm %%", "touch %%", "cp README.md %%", "mv README.md %%"],
      ["../x", "/etc/x", "~/x", "link-out/x", "$x", "@out/x"],
    ),
  },
  {
    about: "dontAsk denies what default asks",
    mode: "dontAsk",
    deny: ["npm test", "touch x", "cat /etc/passwd", "ls > x"],
    allow: ["ls", "cat README.md"],
  },
];
