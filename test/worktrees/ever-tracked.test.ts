// @module-tag long
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { Histories } from "../../src/worktrees/ever-tracked.ts";
import { startGitWorker } from "../../src/worktrees/git-worker.ts";
import type { GitRequest } from "../../src/worktrees/protocol.ts";
import { answered } from "../../src/worktrees/refusal.ts";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { groundOf } from "../support/worktree-ground.ts";

const { signal } = new AbortController();

function requestFor(
  person: TestRepository,
  more: Partial<GitRequest<"everTracked">> = {},
): GitRequest<"everTracked"> {
  const home = dirname(person.folder);
  const anchors = { projects: [person.folder], home, config: join(home, ".claude"), foldCase: false };
  return { folder: person.folder, alsoAt: [], patterns: [".env"], anchors, ...more };
}

/** One keeper's answers about a repository. */
function asking(person: TestRepository, more: Partial<GitRequest<"everTracked">> = {}) {
  const histories = new Histories();
  return async (patterns: string[] = [".env"], folder = person.folder) => {
    const request = requestFor(person, { ...more, patterns, folder });
    const answer = await answered(() => histories.lookUp(request, groundOf(person)));
    return answer.type === "tracked" ? answer.answers : answer.reason;
  };
}

const made = () => repositoryWith({ "a.txt": "1\n", "src/b.txt": "1\n" });

/** A commit on no branch with this file besides. */
async function commitWith(person: TestRepository, path: string, parents: readonly string[] = []) {
  person.write({ [path]: "SECRET=1\n" });
  await person.must(["add", "-f", path]);
  const tree = (await person.must(["write-tree"])).trim();
  await person.must(["rm", "-q", "-f", path]);
  const of = parents.flatMap((parent) => ["-p", parent]);
  return (await person.must(["commit-tree", tree, "-m", "it", ...of])).trim();
}

describe("a file that rules are about", () => {
  test("was never tracked if it is only in the working tree", async () => {
    const person = await made();
    person.write({ ".gitignore": ".env\n", ".env": "SECRET=1\n" });
    await person.commit("ignored");
    expect(await asking(person)()).toEqual(["no"]);
  });

  test.each<[where: string, (person: TestRepository) => Promise<unknown>]>([
    [
      "in a commit, and removed since",
      async (person) => {
        person.write({ "deep/.env": "SECRET=1\n" });
        await person.commit("in");
        person.write({ "deep/.env": null });
        await person.commit("out");
      },
    ],
    [
      "in the index alone",
      async (person) => {
        person.write({ ".env": "x" });
        await person.must(["add", ".env"]);
      },
    ],
    [
      "on another branch",
      async (person) => person.must(["update-ref", "refs/heads/x", await commitWith(person, ".env")]),
    ],
    [
      "in a tag",
      async (person) => person.must(["tag", "-a", "-m", "t", "v1", await commitWith(person, ".env")]),
    ],
    [
      "in a ref of any name",
      async (person) => person.must(["update-ref", "refs/own/x", await commitWith(person, ".env")]),
    ],
    [
      "in a merge commit and in none of its parents",
      async (person) => {
        const other = await commitWith(person, "other.txt", ["HEAD"]);
        const merge = await commitWith(person, ".env", ["HEAD", other]);
        const after = (await person.must(["commit-tree", "HEAD^{tree}", "-m", "out", "-p", merge])).trim();
        await person.must(["update-ref", "HEAD", after]);
      },
    ],
    [
      "in the older of two stashes",
      async (person) => {
        for (const name of [".env", "other"]) {
          person.write({ [name]: "SECRET=1\n" });
          await person.must(["stash", "-u"], { identity: "person" });
        }
      },
    ],
    [
      "in a commit that only a reflog has",
      async (person) => {
        person.write({ ".env": "SECRET=1\n" });
        await person.commit("in");
        await person.must(["reset", "-q", "--hard", "HEAD~1"]);
        await person.must(["update-ref", "-d", "ORIG_HEAD"]);
      },
    ],
    [
      "in what was fetched without a branch",
      async (person) => {
        const commit = await commitWith(person, ".env");
        writeFileSync(join(person.folder, ".git/FETCH_HEAD"), `${commit}\t\tbranch 'x' of elsewhere\n`);
      },
    ],
    [
      "at the detached head of another worktree",
      async (person) => {
        const commit = await commitWith(person, ".env");
        await person.must(["worktree", "add", "-q", "--detach", join(temporaryFolder(), "w"), commit]);
      },
    ],
    [
      "beyond a merge that the user's git would not show",
      async (person) => {
        const other = await commitWith(person, "other.txt", ["HEAD"]);
        const merge = await commitWith(person, ".env", ["HEAD", other]);
        await person.must(["update-ref", "HEAD", merge]);
        await person.must(["config", "log.diffMerges", "off"]);
        await person.must(["config", "log.showRoot", "false"]);
      },
    ],
  ])("was tracked if it is %s", { tags: ["long"] }, async (_, prepare) => {
    const person = await made();
    const ask = asking(person);
    expect(await ask()).toEqual(["no"]);
    await prepare(person);
    expect(await ask()).toEqual(["yes"]);
  });

  test("is seen as soon as it is committed, staged or stashed, and stays", { tags: ["long"] }, async () => {
    const person = await made();
    const ask = asking(person);
    expect(await ask([".env", "*.pem", "key"])).toEqual(["no", "no", "no"]);
    expect(await ask([".env", "*.pem", "key"])).toEqual(["no", "no", "no"]);
    person.write({ ".env": "SECRET=1\n" });
    await person.commit("in");
    expect(await ask([".env", "*.pem", "key"])).toEqual(["yes", "no", "no"]);
    person.write({ "a.pem": "x" });
    await person.must(["add", "a.pem"]);
    expect(await ask([".env", "*.pem", "key"])).toEqual(["yes", "yes", "no"]);
    await person.must(["reset", "-q", "--hard"]);
    await person.must(["update-ref", "refs/heads/x", await commitWith(person, "key")]);
    expect(await ask([".env", "*.pem", "key"])).toEqual(["yes", "yes", "yes"]);
  });
});

describe("patterns of rules", () => {
  test("match tracked files as the engine matches files", { tags: ["long"] }, async () => {
    const person = await made();
    person.write({ "secrets/a": "1", "pkg/conf/b.key": "1", "über/ü.txt": "1", "x\ny": "1" });
    await person.commit("more");
    const ask = asking(person);
    const home = dirname(person.folder);
    const yes = [
      ...[
        "secrets/**",
        "/secrets/**",
        `/${person.folder}/secrets/a`,
        "~/repository/secrets/**",
        "*.key",
        "conf/**",
      ],
      ...["**", "conf/b.key", "b.{key,pem}", "ü.txt", "x?y", `${person.folder}/src/**`, `/${home}/**`],
    ];
    const no = ["/conf/**", "~/secrets/**", "*.pem", "//secrets/**", "/etc/**", "/secret", "A.txt"];
    expect(await ask(yes)).toEqual(yes.map(() => "yes"));
    expect(await ask(no)).toEqual(no.map(() => "no"));
  });

  test("match where a link leads to the checkout, and where a worktree's checkout is", {
    tags: ["long"],
  }, async () => {
    const person = await made();
    const link = join(dirname(person.folder), "link");
    symlinkSync(person.folder, link);
    expect(await asking(person)([`/${link}/a.txt`], link)).toEqual(["yes"]);
    expect(await asking(person)(["//elsewhere/a.txt"])).toEqual(["no"]);
    expect(await asking(person, { alsoAt: ["/elsewhere"] })(["//elsewhere/a.txt"])).toEqual(["yes"]);
  });
});

describe("it is not known", () => {
  test.each<[why: string, RegExp, (person: TestRepository) => Promise<unknown>]>([
    [
      "with submodules",
      /has submodules/,
      async (person) => {
        const info = `160000,${await person.must(["rev-parse", "HEAD"])}`.trim();
        await person.must(["update-index", "--add", "--cacheinfo", `${info},vendor/sub`]);
      },
    ],
    [
      "with a submodule in an old commit",
      /has submodules/,
      async (person) => {
        const info = `160000,${await person.must(["rev-parse", "HEAD"])}`.trim();
        await person.must(["update-index", "--add", "--cacheinfo", `${info},vendor/sub`]);
        await person.must(["commit", "-q", "-m", "in"]);
        await person.must(["rm", "-q", "--cached", "vendor/sub"]);
        await person.must(["commit", "-q", "-m", "out"]);
      },
    ],
    [
      "with replaced objects",
      /replaces objects/,
      async (person) => person.must(["replace", "HEAD", await commitWith(person, ".env")]),
    ],
    [
      "with a ref that is no commit",
      /is not a commit/,
      async (person) =>
        person.must(["update-ref", "refs/tags/t", (await person.must(["write-tree"])).trim()]),
    ],
    ["with grafts", /has grafts/, async (person) => person.write({ ".git/info/grafts": "" })],
    [
      "without all objects",
      /does not have all its objects/,
      async (person) => person.must(["config", "remote.origin.promisor", "true"]),
    ],
    [
      "in a broken repository",
      /cannot be read/,
      async (person) => {
        rmSync(join(person.folder, ".git/objects"), { recursive: true });
        mkdirSync(join(person.folder, ".git/objects"));
      },
    ],
  ])("%s", { tags: ["long"] }, async (_, reason, prepare) => {
    const person = await made();
    const ask = asking(person);
    expect(await ask()).toEqual(["no"]);
    await prepare(person);
    expect(await ask()).toMatch(reason);
    expect(await ask()).toMatch(reason);
  });

  test("outside of a repository", async () => {
    const person = await made();
    expect(await asking(person)([".env"], dirname(person.folder))).toMatch(/in no git repository/);
  });
});

test("a look that was cut off leaves what it read to the next one, and nothing false", async () => {
  const person = await made();
  const histories = new Histories();
  const look = (signal: AbortSignal) => histories.lookUp(requestFor(person), { ...groundOf(person), signal });
  const cut = new AbortController();
  const first = look(cut.signal);
  const second = look(signal);
  cut.abort(new Error("cut off"));
  await expect(first).rejects.toThrow("cut off");
  expect(await second).toEqual({ type: "tracked", answers: ["no"] });
});

test("nothing that a repository names is run", async () => {
  const person = await made();
  const mark = join(dirname(person.folder), "ran");
  const script = join(dirname(person.folder), "run.sh");
  writeFileSync(script, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  const signed = `tree ${(await person.must(["write-tree"])).trim()}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
  writeFileSync(join(dirname(person.folder), "commit"), signed);
  const commit = await person.must([
    "hash-object",
    "-t",
    "commit",
    "-w",
    join(dirname(person.folder), "commit"),
  ]);
  await person.must(["update-ref", "refs/heads/signed", commit.trim()]);
  person.write({ ".gitattributes": "* diff=x filter=x\n" });
  const settings = {
    ...{ "core.fsmonitor": script, "core.pager": script, "gpg.program": script, "log.showSignature": "true" },
    ...{ "diff.external": script, "diff.x.textconv": script, "filter.x.clean": script, "pager.log": script },
    ...{ "diff.x.command": script, "core.hooksPath": dirname(script), "alias.log": `!${script}` },
  };
  const lines = Object.entries(settings).map(([key, value]) => {
    const [section = "", ...rest] = key.split(".");
    const name = rest.pop();
    return `[${section}${rest.length > 0 ? ` "${rest.join(".")}"` : ""}]\n${name} = "${value}"\n`;
  });
  writeFileSync(join(person.folder, ".git/config"), `[core]\nrepositoryformatversion = 0\n${lines.join("")}`);
  expect(await asking(person)()).toEqual(["no"]);
  expect(() => rmSync(mark)).toThrow(/ENOENT/);
});

test("a keeper's process answers", async () => {
  const person = await made();
  const keeper = startGitWorker({ env: person.env, clock: systemClock, onWarning: () => {} });
  onTestFinished(() => keeper.close());
  const request = requestFor(person, { patterns: [".env", "a.txt"] });
  expect(await keeper.everTracked(request)).toEqual({ type: "tracked", answers: ["no", "yes"] });
});
