import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { worktreeLine } from "../../../src/features/isolation/worktree-result.ts";
import { operations } from "../../../src/worktrees/operations.ts";
import { unless } from "../../support/needs.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { groundOf } from "../../support/worktree-ground.ts";

const disk = smallDisk();
const FULL =
  "The disk that the repository is on is full, so nothing more of its worktrees can be saved. Files that are in them stay there. Free some space, then try again.";

/** A repository on a disk of its own, which `fill` fills to the last byte. */
function smallRepository() {
  const cwd = disk.mountIn(temporaryFolder(), "3m");
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "pipe" });
  git("init", "-q");
  writeFileSync(join(cwd, "a.txt"), "one\n");
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "one");
  const ballast = join(cwd, ".git", "ballast");
  return {
    cwd,
    fill() {
      try {
        writeFileSync(ballast, Buffer.alloc(4_000_000));
      } catch {
        // As much as there was room for.
      }
    },
    free: () => rmSync(ballast),
  };
}

describe("a full repository", unless(disk.why), () => {
  test("is said in one sentence where no worktree can be made", async () => {
    const { cwd, fill } = smallRepository();
    fill();
    const { supervisor } = supervised("in-thread", [], { cwd, permissionMode: "bypassPermissions" });
    const { summary } = await supervisor.spawn({
      type: "general-purpose",
      prompt: "edit",
      isolation: "worktree",
    });
    expect(summary).toMatchObject({ status: "failed", reason: FULL });
  });

  test("is reported in one sentence with the edits of an agent, which are not counted as none", {
    tags: ["long"],
  }, async () => {
    const { cwd, fill, free } = smallRepository();
    const { supervisor, events } = supervised(
      "in-thread",
      (_request, n) => {
        if (n > 0) return { text: "done" };
        // An empty file fits on a full disk; a snapshot of it does not.
        fill();
        return { calls: [{ name: "Bash", input: { command: ": > b.txt" } }] };
      },
      { cwd, permissionMode: "bypassPermissions" },
    );
    const { summary } = await supervisor.spawn({
      type: "general-purpose",
      prompt: "edit",
      isolation: "worktree",
    });
    const { worktree } = summary;
    expect(worktree).toMatchObject({ outcome: "kept", reason: FULL });
    expect(worktree && worktreeLine(worktree, "agent1")).toMatch(/^files not counted, not merged; /);
    const said = JSON.stringify([worktree, events.filter(({ type }) => type === "warning")]);
    expect(said).not.toMatch(/keeper|ENOSPC|\.git\/troupe/);
    free();
    await supervisor.close();
    const listed = await operations.list(
      { folder: cwd },
      groundOf({ env: { PATH: process.env["PATH"] ?? "" } }),
    );
    expect(listed).toMatchObject({ type: "trees", trees: [{ counts: null }] });
  });
});
