import { goldens } from "./goldens.ts";
import type { Call, Session } from "./session.ts";

const bash = (command: string): Call => ["Bash", { command }];
const write: Call = ["Write", { file_path: "$P/x.txt", content: "x\n" }];
const calls = [[bash("touch made"), write, bash("cat a.txt"), ["Read", { file_path: "$P/a.txt" }] as const]];
const files = { "a.txt": "a\n", ".env": "KEY=secret\n" };

function ruled(
  name: string,
  flags: string,
  permissions: object | null,
  main: NonNullable<Session["replies"]>[string] = calls,
): Session {
  return {
    name,
    files,
    run: [`-p go ${flags}`],
    replies: { main: [...main, "Done."] },
    ...(permissions === null ? {} : { settings: { permissions } }),
  };
}

goldens("permissions", [
  ...["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"].map((mode) =>
    ruled(`mode ${mode}`, `--permission-mode ${mode}`, null),
  ),
  ruled("allowed by rules", "", { allow: ["Bash(touch:*)", "Write"] }),
  ruled("denied by rules, whatever the mode", "--permission-mode bypassPermissions", {
    deny: ["Bash(touch:*)", "Write", "Read(a.txt)"],
  }),
  ruled("always a question", "--permission-mode bypassPermissions", { ask: ["Bash(touch:*)"] }),
  ruled("allowed and denied by flags", '--allowed-tools "Bash(touch:*)" --disallowed-tools Write', null),
  ruled("a mode in the settings", "", { defaultMode: "acceptEdits" }),
  ruled("bypass switched off", "--permission-mode bypassPermissions", {
    disableBypassPermissionsMode: "disable",
  }),
  // Only of the session's own directories: where a check is broken, this runs.
  ruled("what is critical", "--permission-mode bypassPermissions", null, [
    [bash("rm -rf $P"), bash("rm -rf ."), bash("cat a.txt && rm -rf $P/..")],
  ]),
  ruled("outside the workspace", "--permission-mode acceptEdits", null, [
    [
      ["Write", { file_path: "$H/x.txt", content: "x" }],
      ["Read", { file_path: "$H/none.txt" }],
      bash("cat $H/none.txt"),
    ],
  ]),
  ruled("protected paths", "--permission-mode acceptEdits", null, [
    [
      ["Write", { file_path: "$P/.git/config", content: "x" }],
      ["Write", { file_path: "$P/.claude/settings.json", content: "{}" }],
    ],
  ]),
  ruled("files that may not be read, in searches too", "", { deny: ["Read(.env)"] }, [
    [
      ["Read", { file_path: "$P/.env" }],
      ["Grep", { pattern: "KEY", glob: ".env" }],
      ["Glob", { pattern: ".e*" }],
      bash("cat .env"),
    ],
  ]),
  ruled("compound commands", "", { allow: ["Bash(echo:*)"], deny: ["Bash(curl:*)"] }, [
    [
      bash("echo a && touch b"),
      bash("echo a | tee b"),
      bash("echo $(curl x)"),
      bash("echo a; curl x"),
      bash("echo a > b"),
    ],
  ]),
  ruled("every command asked", "--permission-mode bypassPermissions", null, [[bash("ls")]]),
  {
    ...ruled("an agent is held to the same", "", { deny: ["Bash(touch:*)"] }, [
      [["Agent", { description: "d", prompt: "#touch" }]],
    ]),
    replies: {
      "#touch": [[bash("touch made"), write], "Not allowed."],
      main: [[["Agent", { description: "d", prompt: "#touch" }]], "Done."],
    },
  },
  ruled("denials in JSON", "--output-format json", null),
  ruled("bad rules and keys in the settings", "", {
    allow: ["Bash(", "", 3],
    denny: ["Write"],
    defaultMode: "wild",
  }),
  {
    name: "settings of the project, trusted and not",
    files: {
      ...files,
      ".claude/settings.json": '{"permissions":{"allow":["Write"],"deny":["Read(a.txt)"]},"env":{"A":"1"}}',
    },
    run: ["-p go", "-p go --trust"],
    replies: { main: [...calls, "Done.", ...calls, "Done."] },
  },
  {
    name: "explained and listed",
    brief: true,
    files,
    settings: { permissions: { allow: ["Bash(npm test:*)"], deny: ["Bash(git push:*)"], ask: ["WebFetch"] } },
    run: [
      { argv: ["permissions", "explain", "Bash(npm test && git push)"] },
      { argv: ["permissions", "explain", "Edit(.git/config)", "--mode", "acceptEdits", "--json"] },
      { argv: ["permissions", "explain", "Bash", "--input", '{"command":"rm -rf /"}'] },
      { argv: ["permissions", "explain", "Bash(rm -rf ~)", "--mode", "bypassPermissions"] },
      { argv: ["permissions", "explain", "Bash(cat a.txt && rm -rf $HOME)", "--mode", "bypassPermissions"] },
      { argv: ["permissions", "explain", "WebFetch(https://example.org)"] },
      { argv: ["permissions", "explain", "Bash", "--input", "{"] },
      { argv: ["permissions", "explain", "Bahs(ls)"] },
      "permissions list",
      "permissions list --json",
      "permissions",
      "permissions explain",
    ],
  },
]);
