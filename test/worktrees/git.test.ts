import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { gitIn } from "../../src/worktrees/git.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A `git` that does what the lines say. */
function gitThat(...lines: string[]) {
  const folder = temporaryFolder();
  const file = join(folder, "git");
  writeFileSync(file, ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(file, 0o755);
  return { folder, env: { PATH: [folder, process.env["PATH"]].join(delimiter) } };
}

describe("what git says is an answer when all of it has come", () => {
  it("also what comes long after its process has ended: a list that is cut short would lose files", async () => {
    const { folder, env } = gitThat("(sleep 0.4; echo second; echo more >&2) &", "echo first");
    const answer = await gitIn(folder, env).run(["ls-files"]);
    expect(answer).toEqual({ code: 0, out: "first\nsecond\n", err: "more" });
  });

  it("and none if a process keeps its output open, which is not awaited without limit", async () => {
    const { folder, env } = gitThat("sleep 20 & echo $! > left; echo first");
    const answer = await gitIn(folder, env, 100).run(["ls-files"]);
    process.kill(Number(readFileSync(join(folder, "left"), "utf8")));
    expect(answer).toEqual({
      code: -1,
      out: "",
      err: "git ended, but a program that it started still holds its output.",
    });
  });

  it("and none if it says more than the caller takes, and git is ended then (issue 14)", async () => {
    const { folder, env } = gitThat("echo $$ > pid; while :; do echo more; done");
    const answer = await gitIn(folder, env).run(["ls-files"], { mostBytes: 10_000 });
    expect(answer).toEqual({ code: -1, out: "", err: "git said more than 10000 bytes." });
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), { timeout: 10_000 });
  });

  it("also if that comes after its process has ended", async () => {
    const { folder, env } = gitThat(
      "(sleep 0.3; head -c 20000 /dev/zero; sleep 0.1; echo more) &",
      "echo first",
    );
    const answer = await gitIn(folder, env).run(["ls-files"], { mostBytes: 10_000 });
    expect(answer).toEqual({ code: -1, out: "", err: "git said more than 10000 bytes." });
  });
});

it.each(["EDITOR", "VISUAL", "PAGER", "PREFIX", "SSH_ASKPASS", "GIT_EDITOR", "GIT_DIR"])(
  "git runs where %s is set, and does not see it",
  async (name) => {
    const { folder, env } = gitThat(`env | grep -c "^${name}=" ; true`);
    const answer = await gitIn(folder, { ...env, [name]: "vi" }).run(["--version"]);
    expect(answer).toMatchObject({ code: 0, out: "0\n" });
  },
);

it("git reads the objects of another directory, whose path has the characters that it separates and quotes paths with", async () => {
  const folder = temporaryFolder();
  const objects = join(folder, `of: "a", \\ and ü`);
  mkdirSync(objects);
  const git = gitIn(folder, { PATH: process.env["PATH"] });
  await git.run(["init", "-q"]);
  const { out } = await git.run(["count-objects", "-v"], { objects });
  expect(out).toMatch(/^alternate: /m);
});
