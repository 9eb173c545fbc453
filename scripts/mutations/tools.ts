import type { Mutation } from "./mutation.ts";

export const tools: readonly Mutation[] = [
  {
    name: "T3-directory-moved-during-write",
    file: "src/tools/atomic-write.ts",
    from: "if (!dir.isWhereItWas()) return unusable(directoryReplaced(path));",
    to: "",
    tests: ["test/tools/atomic-write.test.ts"],
    title: "(T3)",
  },
  {
    name: "T3-file-changed-during-write",
    file: "src/tools/atomic-write.ts",
    from: `const stats = await fill(file, bytes, existing).finally(() => closeSync(file));
    signal.throwIfAborted();
    // No await from here to the rename.
    if (!dir.isWhereItWas()) return unusable(directoryReplaced(path));
    if (!isSame(existing, lstatSync(dir.at(name), { throwIfNoEntry: false }))) return unusable(changed(path));`,
    to: `if (!isSame(existing, lstatSync(dir.at(name), { throwIfNoEntry: false }))) return unusable(changed(path));
    const stats = await fill(file, bytes, existing).finally(() => closeSync(file));
    signal.throwIfAborted();
    if (!dir.isWhereItWas()) return unusable(directoryReplaced(path));`,
    tests: ["test/tools/atomic-write.test.ts"],
    title: "the file, written or made during the write",
  },
  {
    name: "T8-sibling-of-the-workspace",
    file: "src/lib/paths.ts",
    from: 'return way !== ".." &&',
    to: 'return path.startsWith(dir) || way === ".." &&',
    tests: ["test/tools/bash.test.ts"],
    title: "outside the workspace the folder is set back",
  },
  {
    name: "T1-no-sync-of-an-edited-file",
    file: "src/tools/atomic-write.ts",
    from: "fsyncSync(file);",
    to: "",
    tests: ["test/journal/disk-order.test.ts"],
    title: "edited file: the file is synced before it has the name (T1)",
  },
  {
    name: "T1-no-sync-of-a-large-edited-file",
    file: "src/tools/atomic-write.ts",
    from: "await promisify(fsync)(file);",
    to: "",
    tests: ["test/journal/disk-order.test.ts"],
    title: "large edited file: the file is synced before it has the name (T1)",
  },
  {
    name: "D2-given-up-work-keeps-its-listener",
    file: "src/lib/clock.ts",
    from: 'signal.removeEventListener("abort", abort);',
    to: "",
    tests: ["test/mailbox/listeners.test.ts"],
    title: "work that can be given up leaves no listener",
  },
  {
    name: "tool-is-not-aborted-at-its-deadline",
    file: "src/tools/tool-module.ts",
    from: "deadline.abort(new Error(",
    to: "String(new Error(",
    tests: ["test/tools/custom/places.test.ts"],
    title: "its signal is aborted at the deadline",
  },
  {
    name: "cut-call-is-told-to-come-again",
    file: "src/tools/dispatch.ts",
    from: "if (cut !== null) return refusedCall(cutMessage(called.name, cut));",
    to: "",
    tests: ["test/actors/cut-replies.test.ts"],
    title: "is answered with the limit and how to write in parts",
  },
  {
    name: "changes-of-others-pass-for-a-hook",
    file: "src/tools/dispatch.ts",
    from: "if (known?.size !== size || known.mtimeMs !== mtimeMs || known.inode !== inode) return [];",
    to: "if (known === undefined) return [];",
    tests: ["test/features/hooks/formatter-hooks.test.ts"],
    title: "still asks for a new Read if a hook formats a file that had been changed before",
  },
  {
    name: "worktree-name-has-one-segment",
    file: "src/tools/worktree.ts",
    from: 'name.split("/").every(isSegment)',
    to: "isSegment(name)",
    tests: ["test/tools/worktree.test.ts"],
    title: "feat/foo.bar_1",
  },
  {
    name: "segments-are-directories",
    file: "src/tools/worktree.ts",
    from: 'return name.replaceAll("/", "-")',
    to: "return name",
    tests: ["test/features/worktree/worktree-service.test.ts"],
    title: "makes one directory of a name with segments",
  },
  {
    name: "workflow-of-commits-is-left-out",
    file: "src/tools/bash-prompt.ts",
    from: `      ...commitWorkflow,
`,
    to: "",
    tests: ["test/features/isolation/commit-workflow.test.ts"],
    title: "a commit as the prompt of Bash describes it",
  },
];
