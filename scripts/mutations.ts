/** One way to break the code, and the test that must fail then. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Where the test is. */
  readonly tests: readonly string[];
  /** A part of its title. */
  readonly title: string;
}

export const mutations: readonly Mutation[] = [
  {
    name: "S3-result-twice",
    file: "src/supervisor/owed.ts",
    from: "if (this.#durable.has(name.id)) return;",
    to: "",
    tests: ["test/supervisor/notices.test.ts"],
    title: "(S3, D1)",
  },
  {
    name: "S12-throwing-filter-shows",
    file: "src/supervisor/gate.ts",
    from: "} catch {\n        return true;",
    to: "} catch {\n        return false;",
    tests: ["test/supervisor/gate-confined.test.ts"],
    title: "(S12)",
  },
  {
    name: "S14-edited-into-denied",
    file: "src/supervisor/gate.ts",
    from: `if (refused !== null) return { type: "refuse", by: "person", reason: refused };
    const held = this.#sandboxWord(report, input, where);`,
    to: "const held = this.#sandboxWord(report, input, where);",
    tests: ["test/supervisor/gate.test.ts"],
    title: "(S14)",
  },
  {
    name: "S16-written-is-not-checked",
    file: "src/supervisor/isolation/bring-back.ts",
    from: "expects: settings.check === null ? null : prepared.checkout",
    to: "expects: null",
    tests: ["test/supervisor/isolation/isolated-agents.test.ts"],
    title: "(S16)",
  },
  {
    name: "S16-moved-checkout-is-merged",
    file: "src/worktrees/merge/apply.ts",
    from: 'if (expects !== null && candidate.checkout.tree !== expects) return { type: "moved" };',
    to: "",
    tests: ["test/worktrees/merge/apply.test.ts"],
    title: "not where the checkout is another than was checked",
  },
  {
    name: "A6-refusal-with-text-is-done",
    file: "src/actors/ending.ts",
    from: 'if (reply.stopReason === "refusal") {',
    to: 'if (reply.stopReason === "refusal" && !said) {',
    tests: ["test/actors/one-agent.test.ts"],
    title: "(A6)",
  },
  {
    name: "A6-empty-reply-is-done",
    file: "src/actors/ending.ts",
    from: 'if (said) return { status: "done", text };',
    to: 'if (text) return { status: "done", text };',
    tests: ["test/actors/one-agent.test.ts"],
    title: "empty text is not done",
  },
  {
    name: "T3-directory-moved-during-write",
    file: "src/tools/atomic-write.ts",
    from: "if (!folder.isWhereItWas()) return unusable(swapped(path));",
    to: "",
    tests: ["test/tools/atomic-write.test.ts"],
    title: "(T3)",
  },
  {
    name: "T3-file-changed-during-write",
    file: "src/tools/atomic-write.ts",
    from: `const stats = await fill(file, bytes, existing).finally(() => closeSync(file));
    signal.throwIfAborted();
    // From here to the rename nothing is awaited.
    if (!folder.isWhereItWas()) return unusable(swapped(path));
    if (!isSame(existing, lstatSync(folder.at(name), { throwIfNoEntry: false })))
      return unusable(changed(path));`,
    to: `if (!isSame(existing, lstatSync(folder.at(name), { throwIfNoEntry: false })))
      return unusable(changed(path));
    const stats = await fill(file, bytes, existing).finally(() => closeSync(file));
    signal.throwIfAborted();
    if (!folder.isWhereItWas()) return unusable(swapped(path));`,
    tests: ["test/tools/atomic-write.test.ts"],
    title: "the file, written or made during the write",
  },
  {
    name: "T8-sibling-of-the-workspace",
    file: "src/tools/bash.ts",
    from: 'return way === "" || (way !== ".." &&',
    to: 'return path.startsWith(folder) || (way === ".." &&',
    tests: ["test/tools/bash.test.ts"],
    title: "outside the workspace the folder is set back",
  },
  {
    name: "W5-exchange-through-a-link",
    file: "src/worktrees/merge/exchange.ts",
    from: 'if (!isOwnFolder(work.root, path)) throw new ChangedMeanwhile("a folder on its way is none any more");',
    to: "",
    tests: ["test/worktrees/merge/exchange.test.ts"],
    title: "(W5)",
  },
  {
    name: "C2-state-is-not-compared",
    file: "src/mcp/broker/callback.ts",
    from: 'found.get("state") === state ? 200 : 400',
    to: "200",
    tests: ["test/mcp/callback.test.ts"],
    title: "refuses a request with another state",
  },
  {
    name: "C4-any-sign-in-page-is-opened",
    file: "src/mcp/broker/oauth.ts",
    from: 'if (!["http:", "https:"].includes(url.protocol))',
    to: "if (false)",
    tests: ["test/mcp/sign-in.test.ts"],
    title: "(C4)",
  },
  {
    name: "X2-memory-link-out-of-the-project",
    file: "src/context/memory/memory.ts",
    from: "if (!this.#mayReach(content.real, place))",
    to: "if (!this.#mayReach(path, place))",
    tests: ["test/context/memory/memory.test.ts"],
    title: "(X2)",
  },
  {
    name: "X4-memory-link-to-a-denied-file",
    file: "src/context/memory/memory.ts",
    from: "if (this.#search.denied(content.real))",
    to: "if (this.#search.denied(path))",
    tests: ["test/context/memory/memory.test.ts"],
    title: "(X4)",
  },
  {
    name: "P11-trust-by-the-name-of-a-link",
    file: "src/policy/trust/trust-store.ts",
    from: "[await realPath(root)]: entry",
    to: "[root]: entry",
    tests: ["test/policy/trust/trust.test.ts"],
    title: "(P11)",
  },
  {
    name: "I28-unfinished-file-stays",
    file: "src/supervisor/reinstating.ts",
    from: "if (known && !known.ended) removeWhatItLeft(known, actor.cwd, session);",
    to: "",
    tests: ["test/supervisor/unfinished-files.test.ts"],
    title: "resuming removes the temporary file",
  },
  {
    name: "I28-unfinished-file-is-an-edit",
    file: "src/worktrees/tree-add.ts",
    from: 'return [".", UNFINISHED, ',
    to: 'return [".", ',
    tests: ["test/worktrees/unfinished-files.test.ts"],
    title: "(issue 15, 28)",
  },
  {
    name: "I28-keeper-is-not-asked-again",
    file: "src/worktrees/keeper.ts",
    from: "if (!isLost || !REPEATABLE.has(op) || tries === TRIES) return answer;",
    to: "if (tries > 0) return answer;",
    tests: ["test/worktrees/keeper.test.ts"],
    title: "asked again, of another keeper",
  },
  {
    name: "I28-dead-merge-is-made-twice",
    file: "src/supervisor/isolation/bring-back.ts",
    from: 'if (before === null) return "again";',
    to: 'if (before === null || true) return "again";',
    tests: ["test/supervisor/isolation/dead-keeper.test.ts"],
    title: "is not made twice",
  },
  {
    name: "I28-head-moves-without-the-index-lock",
    file: "src/worktrees/merge/index-entries.ts",
    from: "const why = await move();",
    to: 'rmSync(real + ".lock", { force: true });\n      const why = await move();',
    tests: ["test/worktrees/merge/commit.test.ts"],
    title: "nobody commits the edits with their own",
  },
  {
    name: "I28-lock-of-a-killed-git-stays",
    file: "src/worktrees/claim.ts",
    from: 'if (!dropLocksOf(repo.common, request.name, ground)) return { type: "making" };',
    to: "",
    tests: ["test/worktrees/claim.test.ts"],
    title: "whose git was killed at a ref",
  },
  {
    name: "I28-broken-entry-stays",
    file: "src/worktrees/create.ts",
    from: "await dropBrokenEntries(repo, ground);",
    to: "",
    tests: ["test/worktrees/claim.test.ts"],
    title: "stops nobody",
  },
  {
    name: "I28-rebase-forgets-its-base",
    file: "src/worktrees/merge/rebase.ts",
    from: "if (known !== null) await writeRecord(repo.common, tree.name, { ...known, tree: next });",
    to: "",
    tests: ["test/worktrees/merge/rebase.test.ts"],
    title: "is finished by who asks again",
  },
];
