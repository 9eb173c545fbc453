import { chmodSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { startEditor } from "./editor.ts";
import { lines, type Scene, type State } from "./scene.ts";

const bytes = (...all: number[]) => Buffer.from([0, 255, 13, 10, ...all]);
const base = { "a.txt": lines(), "b.txt": lines(), "dir/c.txt": lines() };
const editsA: Pick<State, "agent"> = { agent: (copy) => copy.edit("a.txt", { 9: "agent" }) };
const editsC: Pick<State, "agent" | "merged"> = {
  agent: (copy) => copy.edit("dir/c.txt", { 9: "agent" }),
  merged: { "dir/c.txt": lines({ 9: "agent" }) },
};

/** The user and a side branch change the same line of one file; the side also changes another file. */
async function conflictingBranch(scene: Scene): Promise<void> {
  await scene.git("checkout", "-q", "-b", "side");
  scene.put({ "a.txt": lines({ 1: "side" }), "b.txt": lines({ 1: "side" }) });
  await scene.git("commit", "-q", "-a", "-m", "On the side");
  await scene.git("checkout", "-q", "main");
  scene.put({ "a.txt": lines({ 1: "main" }), "new.txt": "new\n" });
  await scene.git("add", "-A");
  await scene.git("commit", "-q", "-m", "On main");
}

/** By the words of the issue; each makes one real checkout. */
export const STATES: Readonly<Record<string, State>> = {
  "staged, and edited again": {
    base,
    async before({ put, git }) {
      put({ "a.txt": lines({ 1: "staged" }), "staged.txt": "staged\n", "b.txt": null });
      await git("add", "-A");
      put({ "a.txt": lines({ 1: "staged", 3: "edited again" }) });
    },
    agent(copy) {
      copy.edit("a.txt", { 9: "agent" });
      copy.put({ "agent.txt": "agent\n" });
    },
    merged: { "a.txt": lines({ 1: "staged", 3: "edited again", 9: "agent" }), "agent.txt": "agent\n" },
  },
  "untracked, where the agent makes a file": {
    base,
    before: ({ put }) => put({ "notes.md": "of the user, and nowhere else\n" }),
    agent: (copy) => copy.put({ "plan.md": "agent\n" }),
    meanwhile: ({ put }) => put({ "plan.md": "of the user, and nowhere else\n" }),
    merged: null,
  },
  "ignored, where the agent makes a file": {
    base: { ...base, ".gitignore": "*.log\nbuild/\n" },
    before: ({ put }) => put({ "run.log": "of the user, and nowhere else\n", "build/out": "built\n" }),
    agent: (copy) => copy.put({ ".gitignore": "build/\n", "run.log": "agent\n" }),
    merged: null,
  },
  "renamed, and edited by the agent": {
    ...{ base, ...editsA },
    async meanwhile({ put, git }) {
      put({ "moved/.keep": "" });
      await git("mv", "a.txt", "moved/a.txt");
    },
    merged: { "moved/a.txt": lines({ 9: "agent" }) },
  },
  "other modes": {
    base: { ...base, "run.sh": lines(), "private.txt": lines() },
    before({ dir }) {
      chmodSync(join(dir, "run.sh"), 0o755);
      chmodSync(join(dir, "private.txt"), 0o600);
    },
    agent(copy) {
      copy.edit("run.sh", { 9: "agent" });
      copy.edit("private.txt", { 9: "agent" });
    },
    merged: { "run.sh": lines({ 9: "agent" }), "private.txt": lines({ 9: "agent" }) },
  },
  "binary, changed by both": {
    base: { ...base, "logo.bin": bytes(1, 2, 3), "icon.bin": bytes(4, 5, 6) },
    before: ({ put }) => put({ "icon.bin": bytes(7, 7, 7, 0, 13) }),
    agent: (copy) => copy.put({ "logo.bin": bytes(8, 8), "a.txt": lines({ 9: "agent" }) }),
    meanwhile: ({ put }) => put({ "logo.bin": bytes(9, 0, 9, 13, 10) }),
    merged: null,
  },
  "CRLF by attributes, by an editor, and mixed": {
    base: {
      ".gitattributes": "*.bat text eol=crlf\n*.txt text=auto\n*.raw -text\n",
      ...{ "a.txt": lines(), "win.bat": lines({}, "\r\n"), "mixed.raw": `${lines()}${lines({}, "\r\n")}` },
    },
    config: { "core.autocrlf": "input" },
    before: ({ put }) =>
      put({
        "win.bat": lines({ 1: "user" }, "\r\n"),
        "mixed.raw": `${lines({ 1: "user" })}${lines({}, "\r\n")}`,
        "a.txt": lines({ 1: "user" }, "\r\n"),
      }),
    agent(copy) {
      copy.edit("a.txt", { 9: "agent" });
      copy.edit("win.bat", { 9: "agent" });
      copy.edit("mixed.raw", { 20: "agent" });
    },
    merged: {
      "a.txt": lines({ 1: "user", 9: "agent" }, "\r\n"),
      "win.bat": lines({ 1: "user", 9: "agent" }, "\r\n"),
      "mixed.raw": `${lines({ 1: "user" })}${lines({ 8: "agent" }, "\r\n")}`,
    },
  },
  "clean and smudge filters": {
    base: { ".gitattributes": "*.f filter=turn\n", "a.f": lines(), "b.f": lines() },
    config: { "filter.turn.clean": "tr a-z n-za-m", "filter.turn.smudge": "tr a-z n-za-m" },
    before: ({ put }) => put({ "a.f": lines({ 1: "user" }), "mine.f": "user\n" }),
    agent(copy) {
      copy.edit("a.f", { 9: "agent" });
      copy.put({ "agent.f": "agent\n" });
    },
    merged: { "a.f": lines({ 1: "user", 9: "agent" }), "agent.f": "agent\n" },
  },
  "a submodule with edits and another commit": {
    ...{ base, ...editsA },
    async before({ dir, put, git, gitAt }) {
      await git("clone", "-q", dir, "sub");
      put({ ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./.\n' });
      await git("add", ".gitmodules", "sub");
      await git("commit", "-q", "-m", "A submodule");
      put({ "sub/new.txt": "committed in it\n" });
      await gitAt("sub", "add", "-A");
      await gitAt("sub", "commit", "-q", "-m", "Another commit");
      put({ "sub/a.txt": lines({ 1: "user" }), "sub/untracked.txt": "user\n" });
    },
    merged: { "a.txt": lines({ 9: "agent" }) },
  },
  "in the middle of a rebase": {
    ...{ base, ...editsC, before: conflictingBranch },
    async meanwhile({ git, gitStops }) {
      await git("checkout", "-q", "side");
      await gitStops("rebase", "main");
    },
  },
  "in the middle of a merge": {
    ...{ base, ...editsC, before: conflictingBranch },
    async meanwhile({ put, gitStops }) {
      await gitStops("merge", "side");
      put({ "a.txt": lines({ 1: "half resolved" }) });
    },
  },
  "in the middle of a cherry-pick": {
    ...{ base, ...editsC, before: conflictingBranch },
    meanwhile: ({ gitStops }) => gitStops("cherry-pick", "side"),
  },
  "a detached HEAD with a commit of its own": {
    base,
    async before({ put, git }) {
      await git("checkout", "-q", "--detach");
      put({ "b.txt": lines({ 1: "committed" }) });
      await git("commit", "-q", "-a", "-m", "On no branch");
      put({ "a.txt": lines({ 1: "user" }) });
    },
    ...editsA,
    merged: { "a.txt": lines({ 1: "user", 9: "agent" }) },
  },
  "a sparse checkout": {
    base: { ...base, "in/a.txt": lines(), "out/b.txt": lines() },
    async before({ put, git }) {
      await git("sparse-checkout", "set", "in");
      put({ "in/a.txt": lines({ 1: "user" }), "out/mine.txt": "of the user, and nowhere else\n" });
    },
    agent: (copy) => copy.edit("in/a.txt", { 9: "agent" }),
    merged: { "in/a.txt": lines({ 1: "user", 9: "agent" }) },
  },
  "assume-unchanged and skip-worktree": {
    base,
    async before({ put, git }) {
      await git("update-index", "--assume-unchanged", "a.txt");
      await git("update-index", "--skip-worktree", "b.txt");
      put({ "a.txt": lines({ 1: "user" }), "b.txt": lines({ 1: "user" }) });
    },
    agent(copy) {
      copy.edit("a.txt", { 9: "agent" });
      copy.edit("b.txt", { 9: "agent" });
    },
    merged: { "a.txt": lines({ 1: "user", 9: "agent" }), "b.txt": lines({ 1: "user", 9: "agent" }) },
  },
  "a directory replaced by a link out of the checkout": {
    ...{ base, ...editsC },
    meanwhile({ dir }) {
      renameSync(join(dir, "dir"), join(dir, "../outside"));
      symlinkSync("../outside", join(dir, "dir"));
    },
    merged: null,
  },
  "a directory in place of a file": {
    ...{ base, ...editsA },
    meanwhile: ({ put }) => put({ "a.txt": null, "a.txt/part.txt": "of the user, and nowhere else\n" }),
    merged: null,
  },
  "conflict markers left in a file": {
    base,
    before: ({ put }) => put({ "a.txt": lines({ 1: "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> side" }) }),
    agent: (copy) => copy.edit("b.txt", { 9: "agent" }),
    merged: { "b.txt": lines({ 9: "agent" }) },
  },
  "a program that writes at the same time": {
    ...{ base, ...editsA },
    startWriting: ({ dir }) => startEditor(join(dir, "a.txt"), "checkout/a.txt", { 9: "agent" }),
    merged: {},
  },
  "a name in another case": {
    base: { ...base, "Readme.md": lines() },
    agent: (copy) => copy.edit("Readme.md", { 9: "agent" }),
    meanwhile: async ({ git }) => void (await git("mv", "Readme.md", "README.md")),
    merged: { "README.md": lines({ 9: "agent" }) },
  },
};
