import { expect, test } from "vitest";
import { findNamedPaths, termsOf } from "../../../src/model/offline/search.ts";

const FILES = [
  "docs/mailbox.md",
  "examples/mailbox.ts",
  "lib/help.js",
  "scripts/mutations/mailbox.ts",
  "lib/constructor.js",
  "src/cmd/join.rs",
  "src/features/budget/ledger.ts",
  "src/filter/size.rs",
  "src/journal/session-lock.ts",
  "src/mailbox/messages.ts",
  "src/session/session.ts",
  "src/worktrees/merge/rebase.ts",
  "test/mailbox/messages.test.ts",
].map((path) => ({ path, lines: 10 }));

test.each([
  ["where is the mailbox?", "src/mailbox/"],
  ["where is a budget kept?", "src/features/budget/"],
  ["where is help generated?", "lib/help.js"],
  ["where does a session get locked?", "src/journal/session-lock.ts"],
  ["where are size filters parsed?", "src/filter/size.rs"],
  ["where is the join command?", "src/cmd/join.rs"],
  ["where is the constructor?", "lib/constructor.js"],
  ["where are the tests?", "test/"],
  ["where is the documentation?", "docs/"],
  ["where are the examples?", "examples/"],
  ["where is worktrees.merge read?", undefined],
  ["where is the budget of a mailbox?", undefined],
  ["where is it?", undefined],
])("%s offers %s first", (question, path) => {
  expect(findNamedPaths(termsOf(question), FILES)[0]).toBe(path);
});
