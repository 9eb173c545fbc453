import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import { gitGrants } from "../../../src/policy/trust/foreign-git.ts";
import { withForeignGit } from "../../../src/policy/trust/git-calls.ts";
import { gitSettingsIn } from "../../../src/policy/trust/git-files.ts";
import type { PermissionMode } from "../../../src/settings/permissions.ts";
import { long } from "../../support/long.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", folder, ...args], { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" });

function repository(): string {
  const folder = temporaryFolder();
  git(folder, "init", "-q");
  return folder;
}

const words = (folder: string) => gitGrants(folder).map((grant) => grant.words);

const digests = (folder: string) => gitGrants(folder).map(({ digest }) => digest);

/** What git itself reads in a file, or null where it refuses it. */
function asGitReads(file: string): string[] | null {
  try {
    const out = git("/", "config", "--file", file, "--list", "-z");
    return out.split("\0").slice(0, -1);
  } catch {
    return null;
  }
}

describe("git's configuration is read as git reads it", () => {
  const piece = fc.constantFrom(
    ...'[core]|[Filter "E v\\"il"]|[a.B]|[x]y=1|\n|\r\n|fsmonitor|=| = |"|\\|\\\n|\\n|\\\\|;|#| |\t|a b|Name-1|[|]|true|é|\uFEFF'.split(
      "|",
    ),
  );

  test("whatever is in it: nothing that git reads is missed", { tags: ["long"] }, () => {
    const file = join(temporaryFolder(), "config");
    let compared = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        writeFileSync(file, text);
        const theirs = asGitReads(file);
        const ours = gitSettingsIn(text);
        // What git refuses it runs nothing of; what we refuse counts as somebody else's.
        if (theirs === null || ours === null) return;
        if (theirs.length > 0) compared++;
        const known = ours.map(({ key, value }) => `${key}\n${value}`);
        expect(known).toEqual(theirs.map((line) => (line.includes("\n") ? line : `${line}\ntrue`)));
      }),
      { numRuns: long(600, 300), seed: 4 },
    );
    expect(compared).toBeGreaterThan(long(20, 4));
  });

  test("what git writes, with every sign in it", () => {
    const folder = repository();
    for (const value of ['a "b" c', "back\\slash", "semi;colon # hash", " blanks ", "line\nline", "é"]) {
      git(folder, "config", "--add", 'Some.Sub.Section "x".Key', value);
    }
    const file = join(folder, ".git/config");
    const ours = gitSettingsIn(execFileSync("cat", [file], { encoding: "utf8" }));
    expect(ours?.map(({ key, value }) => `${key}\n${value}`)).toEqual(asGitReads(file));
  });
});

describe("what git would run in a repository", () => {
  test.each([
    ["core.fsmonitor", "./x"],
    ["core.hooksPath", ".husky"],
    ["core.sshCommand", "./x"],
    ["core.pager", "./x"],
    ["diff.external", "./x"],
    ["diff.A.textconv", "./x"],
    ["diff.a.b.command", "./x"],
    ["filter.evil.clean", "./x"],
    ["filter.evil.process", "./x"],
    ["filter.lfs.clean", "git-lfs clean -- %f; ./x"],
    ["alias.st", "!./x"],
    ["alias.st", "-c core.pager=x log"],
    ["pager.log", "./x"],
    ["gpg.program", "./x"],
    ["gpg.ssh.program", "./x"],
    ["credential.helper", "!./x"],
    ["credential.https://a.b.helper", "/tmp/x"],
    ["remote.origin.url", "ext::./x"],
    ["url.ext::./x.insteadOf", "https:"],
    ["remote.origin.uploadpack", "./x"],
    ["merge.a.driver", "./x"],
    ["lfs.customtransfer.a.path", "./x"],
  ])("%s is named with what it runs", { tags: ["long"] }, (key, value) => {
    const folder = repository();
    git(folder, "config", key, value);
    const [found, ...others] = words(folder);
    expect(others).toEqual([]);
    expect(found).toContain(`run "${value}"`);
    expect(found?.toLowerCase()).toContain(`${key.toLowerCase()} in .git/config`);
  });

  test("is nothing in an ordinary one: remotes, branches, a person, LFS, switches, an alias", {
    tags: ["long"],
  }, () => {
    const folder = repository();
    for (const [key, value] of [
      ["remote.origin.url", "git@example.com:a/b.git"],
      ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
      ["branch.main.remote", "origin"],
      ["user.email", "a@b.c"],
      ["core.fsmonitor", "true"],
      ["core.autocrlf", "input"],
      ["pager.diff", "false"],
      ["alias.lg", "log --oneline"],
      ["credential.helper", "store"],
      ["submodule.a.url", "https://example.com/a.git"],
      ["filter.lfs.clean", "git-lfs clean -- %f"],
      ["filter.lfs.process", "git-lfs filter-process"],
    ] as const)
      git(folder, "config", key, value);
    // git comes with hooks that are samples, and a person's own run with what nobody runs unasked.
    writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
    expect(words(folder)).toEqual([]);
    expect(words(temporaryFolder())).toEqual([]);
  });

  test("is found from below, behind a .git file, for a worktree, and for a bare repository", {
    tags: ["long"],
  }, () => {
    const folder = repository();
    git(folder, "config", "core.pager", "./x");
    mkdirSync(join(folder, "a/b"), { recursive: true });
    expect(digests(join(folder, "a/b"))).toEqual(digests(folder));
    expect(digests(folder)).toHaveLength(1);

    const named = temporaryFolder();
    renameSync(join(folder, ".git"), join(named, "kept"));
    writeFileSync(join(folder, ".git"), `gitdir: ${join(named, "kept")}\n`);
    expect(words(folder)).toEqual([`let git run "./x" (core.pager in ${join(named, "kept/config")})`]);

    const main = repository();
    git(main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x");
    const tree = join(temporaryFolder(), "tree");
    git(main, "worktree", "add", "-q", tree);
    git(main, "config", "core.editor", "./x");
    expect(digests(tree)).toEqual(digests(main));
    git(main, "config", "extensions.worktreeConfig", "true");
    git(tree, "config", "--worktree", "core.fsmonitor", "./y");
    expect(words(tree).join()).toContain('run "./y"');

    const bare = temporaryFolder();
    git(bare, "init", "-q", "--bare");
    git(bare, "config", "core.fsmonitor", "./x");
    expect(words(join(bare, "refs"))).toHaveLength(1);
  });

  test("what only looks like a repository hides none above it: git goes on there, too", () => {
    const folder = repository();
    git(folder, "config", "core.fsmonitor", "./x");
    const sub = join(folder, "sub");
    mkdirSync(join(sub, ".git"), { recursive: true });
    writeFileSync(join(sub, ".git/HEAD"), "no head");
    expect(words(sub)).toHaveLength(1);
  });

  test("follows includes and ends; a changed include is another grant", () => {
    const folder = repository();
    git(folder, "config", "include.path", "../more");
    git(folder, "config", "includeIf.gitdir:/x/.path", "config");
    writeFileSync(join(folder, "more"), "[include]\npath = more\n[core]\npager = ./x\n");
    const before = gitGrants(folder);
    expect(before.map((grant) => grant.words).join("\n")).toContain('run "./x" (core.pager in');
    writeFileSync(join(folder, "more"), "[user]\nname = a\n");
    const after = gitGrants(folder);
    const known = new Set(before.map(({ digest }) => digest));
    expect(after.filter(({ digest }) => !known.has(digest))).not.toEqual([]);
  });

  describe.each(["2", "3", "4", "split", "sha256"])("a repository in it, index %s", (form) => {
    function holding(): { readonly folder: string; readonly inner: string } {
      const folder = temporaryFolder();
      const format = form === "sha256" ? ["--object-format=sha256"] : [];
      const inner = join(folder, "deep/in ner");
      for (const at of [folder, inner]) {
        mkdirSync(at, { recursive: true });
        git(at, "init", "-q", ...format);
        writeFileSync(join(at, "a"), "a");
        git(at, "add", "a");
        git(at, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x");
      }
      for (let n = 0; n < 40; n++) writeFileSync(join(folder, `deep/${"f".repeat(n + 1)}`), "");
      git(folder, "add", ".");
      writeFileSync(join(folder, "deep/later"), "");
      if (form === "3") git(folder, "add", "-N", "deep/later");
      if (form === "split") git(folder, "update-index", "--split-index");
      else if (form !== "sha256") git(folder, "update-index", "--index-version", form);
      return { folder, inner };
    }

    test("is looked into, as git does where it only reads", { tags: ["long"] }, () => {
      const { folder, inner } = holding();
      expect(git(folder, "ls-files", "-s")).toContain("160000");
      if (/\d$/.test(form) && form !== "sha256")
        expect(readFileSync(join(folder, ".git/index"))[7]).toBe(Number(form));
      expect(words(folder)).toEqual([]);
      git(inner, "config", "core.fsmonitor", "./x");
      expect(words(folder)).toEqual(['let git run "./x" (core.fsmonitor in deep/in ner/.git/config)']);
    });
  });

  test("ends for repositories that contain each other", () => {
    const folder = repository();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub/.git"), "gitdir: ../.git\n");
    git(folder, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
    expect(words(folder)).toEqual([]);
  });

  test("an index that cannot be understood counts as one that leads elsewhere", () => {
    const folder = repository();
    for (const text of ["DIRC\0\0\0\x02\0\0\0\x09\0\0\xe0\0", "DIRC\0\0\0\x09\0\0\xe0\0"]) {
      writeFileSync(join(folder, ".git/index"), Buffer.from(text, "latin1"));
      expect(words(folder)).toEqual(["let git go by .git/index, which could not be looked through"]);
    }
  });

  test("a configuration that cannot be looked through counts as one that runs something", () => {
    for (const text of ["[core", "x".repeat(2_000_000)]) {
      const folder = repository();
      writeFileSync(join(folder, ".git/config"), text);
      expect(words(folder)).toEqual(["let git run what .git/config says, which could not be looked through"]);
    }
  });

  test("the one hook that runs where git only reads is named", () => {
    const folder = repository();
    const hook = join(folder, ".git/hooks/post-index-change");
    writeFileSync(hook, "#!/bin/sh\n");
    expect(words(folder)).toEqual([]);
    chmodSync(hook, 0o755);
    expect(words(folder)).toEqual(["let git run the hook .git/hooks/post-index-change"]);
  });
});

describe("a command that runs git where git would run more", () => {
  const engine = (allow: readonly string[]) =>
    engineOf(
      allow.map((text) => ({ text, behaviour: "allow", scope: "user" })),
      { projectRoot: "/p", additionalDirs: [], home: "/h", platform: "linux" },
    );
  const judged = (mode: PermissionMode, command: string, allow: readonly string[] = []) => {
    const judge = (text: string) => engine(allow).judge(mode, "/p", "Bash", { command: text });
    return withForeignGit(judge(command), mode, command, judge, () => "it runs x").decision;
  };

  test.each<[PermissionMode, string, string[], string]>([
    ["default", "git status", [], "ask"],
    ["acceptEdits", "git status", [], "ask"],
    ["plan", "git diff | head", [], "ask"],
    ["dontAsk", "git status", [], "deny"],
    ["bypassPermissions", "git status", [], "allow"],
    ["default", "timeout 5 git status", [], "ask"],
    ["default", 'g"i"t status', [], "ask"],
    ["default", "ls && (git log)", [], "ask"],
    ["default", "echo $(git log)", [], "ask"],
    ["default", "git status", ["Bash(git status)"], "allow"],
    ["default", "git status -s", ["Bash(git:*)"], "allow"],
    ["default", "git status; git log", ["Bash(git status:*)"], "ask"],
    ["default", "npm test && git status", ["Bash(npm test)"], "ask"],
    ["default", "git status && npm test", ["Bash"], "allow"],
    ["default", "grep git README", [], "allow"],
    ["default", "ls", [], "allow"],
  ])("%s: %s with %j is %s", (mode, command, allow, decision) => {
    expect(judged(mode, command, allow)).toBe(decision);
  });
});
