import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareTrees } from "../../src/cli/runners/run-runner.ts";
import { locksOf } from "../../src/worktrees/runner/trees.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

const uid = process.getuid?.() ?? 0;
const isRoot = uid === 0;
const OTHER = 65_534;
/** A user that is neither root nor the owner of what is given away, if only in name for a user who cannot give away. */
const stranger = isRoot ? 0 : OTHER;
const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);

test("the directory of worktrees is made for its user whatever the umask, and is the same the next time", () => {
  const dir = join(temporaryFolder(), "trees");
  const umask = process.umask(0o077);
  try {
    prepareTrees(dir);
    prepareTrees(dir);
  } finally {
    process.umask(umask);
  }
  expect(mode(dir)).toBe("755");
  expect(mode(locksOf(dir))).toBe("700");
  expect(readdirSync(dir)).toHaveLength(1);
});

test.each([
  ["775", "755"],
  ["777", "755"],
  ["700", "700"],
  ["1777", "1777"],
])("a directory of worktrees of this user with the mode %s gets %s", (before, after) => {
  const dir = join(temporaryFolder(), "trees");
  mkdirSync(dir);
  chmodSync(dir, Number.parseInt(before, 8));
  prepareTrees(dir);
  expect(mode(dir)).toBe(after);
});

test.each(["a directory", "a link to one"])(
  "%s of another user is refused: it could be replaced under the agents",
  (what) => {
    const at = temporaryFolder();
    const dir = join(at, "trees");
    if (what === "a directory") {
      mkdirSync(dir);
      chmodSync(dir, 0o777);
      if (isRoot) chownSync(dir, OTHER, OTHER);
    } else {
      mkdirSync(join(at, "theirs"));
      symlinkSync("theirs", dir);
      if (isRoot) lchownSync(dir, OTHER, OTHER);
    }
    expect(() => prepareTrees(dir, stranger)).toThrow(
      `${dir} belongs to another user (${isRoot ? OTHER : uid})`,
    );
  },
);

test(
  "a directory of root in which each user can replace what others have is refused to other users",
  unless(isRoot ? null : "only root has directories of root"),
  () => {
    const dir = join(temporaryFolder(), "trees");
    mkdirSync(dir);
    chmodSync(dir, 0o777);
    expect(() => prepareTrees(dir, OTHER)).toThrow(`can replace what others have in ${dir}`);
    expect(mode(dir)).toBe("777");
  },
);

test(
  "locks that another user has made in a directory for all users are refused",
  unless(isRoot ? null : "only root may give files away"),
  () => {
    const dir = join(temporaryFolder(), "trees");
    mkdirSync(locksOf(dir), { recursive: true });
    chownSync(locksOf(dir), OTHER, OTHER);
    expect(() => prepareTrees(dir)).toThrow(`${locksOf(dir)} belongs to another user (${OTHER})`);
  },
);

test(
  "a directory of root that this user may not write is refused",
  unless(isRoot ? "root may write everywhere" : null),
  () => {
    expect(() => prepareTrees("/usr")).toThrow(
      /^The directory for worktrees, \/usr, cannot be used \(EACCES/,
    );
  },
);
