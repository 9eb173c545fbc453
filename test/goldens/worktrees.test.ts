import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { goldens } from "./goldens.ts";
import { acting, type Call, type Session } from "./session.ts";

const isolated = (prompt: string): Call => ["Agent", { description: "edits", prompt, isolation: "worktree" }];
const bash = (command: string): Call => ["Bash", { command }];
const files = { "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" };
const flags = "--permission-mode bypassPermissions";

function isolating(
  name: string,
  by: Session["replies"],
  main: NonNullable<Session["replies"]>[string],
  more: Partial<Session> = {},
): Session {
  return {
    name,
    files,
    git: true,
    run: [`-p go ${flags}`],
    replies: { ...by, main: [...main, "Done."] },
    ...more,
  };
}

const editing = { "#edit": [[bash("echo four >> a.txt")], "Edited."] };

goldens("worktrees", [
  isolating("edits come back, and are undone", editing, [[isolated("#edit")]], {
    run: [{ argv: `-p go ${flags}`, apart: true }, "worktrees list", "undo {agent} --json", "undo {agent}"],
  }),
  isolating("nothing was edited", { "#look": ["Looked."] }, [[isolated("#look")]]),
  isolating(
    "a conflict, resolved by the agent",
    {
      "#edit": [
        [bash("sed -i s/two/2/ a.txt")],
        (_request, { project }) => {
          // The user edits the same line meanwhile.
          writeFileSync(join(project, "a.txt"), "one\nzwei\nthree\n");
          return "Edited.";
        },
        [bash("printf 'one\\n2\\nthree\\n' > a.txt")],
        "Resolved.",
      ],
    },
    [[isolated("#edit")]],
  ),
  isolating("kept on its branch, then merged by hand", editing, [[isolated("#edit")]], {
    settings: { worktree: { merge: "keep" } },
    run: [
      { argv: `-p go ${flags}`, apart: true },
      "worktrees list --json",
      "worktrees diff {agent}",
      "worktrees merge {agent}",
      "worktrees remove {agent}",
    ],
  }),
  isolating("as a commit", editing, [[isolated("#edit")]], { settings: { worktree: { merge: "commit" } } }),
  isolating("a check that fails", editing, [[isolated("#edit")]], {
    settings: { worktree: { check: "echo broken; exit 1" } },
  }),
  isolating(
    "the agent fails: edits are kept",
    { "#edit": [[bash("echo four >> a.txt")], { status: 400, body: "{}" }] },
    [[isolated("#edit")]],
    { run: [{ argv: `-p go ${flags}`, apart: true }, "worktrees list"] },
  ),
  isolating("no repository", editing, [[isolated("#edit")]], { git: false }),
  isolating("EnterWorktree and ExitWorktree", {}, [
    [["EnterWorktree", { name: "side" }]],
    [bash("pwd; echo x > x.txt")],
    [["EnterWorktree", { name: "other" }]],
    [["ExitWorktree", { action: "remove" }]],
    [["ExitWorktree", { action: "keep" }]],
    [["ExitWorktree", { action: "keep" }]],
  ]),
  acting("EnterWorktree: no repository", [[["EnterWorktree", {}]], [["ExitWorktree", { action: "keep" }]]]),
  isolating(
    "fanout, isolated",
    { "#one": [[bash("echo 1 > one.txt")], "One."], "#two": [[bash("echo 2 > two.txt")], "Two."] },
    [],
    { unordered: true, run: [`fanout --isolation worktree --agent general-purpose "#one" "#two" ${flags}`] },
  ),
]);
