// @module-tag long
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitIn } from "../../../src/worktrees/git.ts";
import { readRecord, writeRecord } from "../../../src/worktrees/tree-record.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { snapshotTree } from "../operations.ts";
import { type Agent, agentIn, groundFor, persons, picture, put } from "./scene.ts";

const inTree = async (repository: TestRepository, { tree }: Agent, ...args: string[]) =>
  (await gitIn(tree.path, repository.env).run(args)).out;

describe("a conflict goes back to its owner", () => {
  it("with the marks of both sides in its worktree, and is merged once it is resolved", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({
      a: "1\n2\n3\n",
      b: "1\n",
      gone: "1\n",
      bin: Buffer.from([0, 1]),
      ".gitignore": "*.log\n",
    });
    const agent = await agentIn(repository);
    agent.write({
      a: "1\nagent\n3\n",
      b: "agent\n",
      gone: "agent\n",
      bin: Buffer.from([0, 3]),
      n: "new\n",
      "x.log": "kept\n",
    });
    put(repository.folder, { a: "1\nmine\n3\n", gone: null, bin: Buffer.from([0, 2]), other: "mine too\n" });
    const before = [picture(repository.folder), await persons(repository)];
    const answer = await agent.rebase();
    if (answer.type !== "rebased") throw new Error(answer.reason);
    expect(answer.conflicts).toEqual([
      { path: "a", kind: "content", lines: [{ from: 2, to: 6 }] },
      { path: "bin", kind: "binary", lines: [] },
      { path: "gone", kind: "modify/delete", lines: [] },
    ]);
    expect([picture(repository.folder), await persons(repository)]).toEqual(before);
    const { path, name, base } = answer.tree;
    expect(readFileSync(join(path, "a"), "utf8")).toBe(
      `1\n<<<<<<< troupe/sides/${name}/checkout\nmine\n=======\nagent\n>>>>>>> troupe/sides/${name}/agent\n3\n`,
    );
    expect(readFileSync(join(path, "gone"), "utf8")).toBe("agent\n");
    expect([...readFileSync(join(path, "bin"))]).toEqual([0, 3]);
    expect(readFileSync(join(path, "other"), "utf8")).toBe("mine too\n");
    expect(readFileSync(join(path, "x.log"), "utf8")).toBe("kept\n");
    const status = await inTree(repository, agent, "status", "--porcelain");
    expect(status.split("\n").filter(Boolean).sort()).toEqual([" M a", " M b", " M bin", "?? gone", "?? n"]);
    expect((await inTree(repository, agent, "rev-parse", "HEAD", `refs/troupe/bases/${name}`)).trim()).toBe(
      `${base}\n${base}`,
    );
    // What it had, and where it began, are reachable still.
    expect(await repository.must(["show", `refs/troupe/trees/${name}:a`])).toBe("1\nagent\n3\n");
    await repository.must(["merge-base", "--is-ancestor", agent.tree.base, base]);
    expect(await repository.must(["for-each-ref", "refs/troupe/sides"])).toBe("");

    const again = agent.from(answer.tree);
    expect(await again.prepare()).toMatchObject({
      type: "conflict",
      conflicts: [
        {
          path: "a",
          kind: "unresolved",
          lines: [
            { from: 2, to: 2 },
            { from: 6, to: 6 },
          ],
        },
      ],
    });
    again.write({ a: "1\nboth\n3\n" });
    expect(await again.prepare()).toMatchObject({ type: "clean", strange: [] });
    expect(await again.apply()).toMatchObject({ type: "merged" });
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe("1\nboth\n3\n");
    expect(readFileSync(join(repository.folder, "other"), "utf8")).toBe("mine too\n");
    expect([...readFileSync(join(repository.folder, "bin"))]).toEqual([0, 3]);
  });

  it("also where HEAD has moved, and its own commits stay reachable", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "agent\n" });
    await inTree(repository, agent, "add", "-A");
    await inTree(repository, agent, "commit", "-qm", "agent");
    const own = (await inTree(repository, agent, "rev-parse", "HEAD")).trim();
    put(repository.folder, { b: "2\n" });
    const head = await repository.commit("more");
    const answer = await agent.rebase();
    if (answer.type !== "rebased") throw new Error(answer.reason);
    expect(answer).toMatchObject({ conflicts: [], tree: { head } });
    await repository.must(["merge-base", "--is-ancestor", head, answer.tree.base]);
    await repository.must(["merge-base", "--is-ancestor", own, `refs/troupe/trees/${agent.tree.name}`]);
    expect(readFileSync(join(agent.tree.path, "b"), "utf8")).toBe("2\n");
    expect(await agent.from(answer.tree).apply()).toMatchObject({ type: "merged", files: 1 });
    expect(picture(repository.folder, { times: false })).toEqual({ a: "100644  agent\n", b: "100644  2\n" });
  });
});

describe("a rebase that was cut off (issue 15, 28)", () => {
  /** Its git dies before the last step; until then all is done. */
  async function cutOff() {
    const repository = await repositoryWith({ a: "1\n2\n3\n", b: "1\n" });
    const tools = join(repository.folder, "..", "tools");
    mkdirSync(tools);
    const ground = groundFor(repository, "a1");
    const env = { ...repository.env, PATH: `${tools}:${repository.env["PATH"]}` };
    const agent = await agentIn(repository, "a1", { ...ground, env });
    agent.write({ a: "1\nagent\n3\n" });
    put(repository.folder, { a: "1\nmine\n3\n", b: "mine\n" });
    const git = execFileSync("sh", ["-c", "command -v git"], {
      env: repository.env,
      encoding: "utf8",
    }).trim();
    const dying = `#!/bin/sh\ncase "$*" in *"read-tree --reset"*) exit 9;; esac\nexec ${git} "$@"\n`;
    writeFileSync(join(tools, "git"), dying, { mode: 0o755 });
    expect(await agent.rebase()).toMatchObject({ type: "refused" });
    rmSync(join(tools, "git"));
    const common = join(repository.folder, ".git");
    const record = await readRecord(common, "a1");
    if (record === null) throw new Error("no record");
    return { repository, agent, common, record };
  }

  it("is finished by the next request, and what changed in the checkout is not an edit of the agent", {
    tags: ["long"],
  }, async () => {
    const { repository, agent, record, common } = await cutOff();
    const locks = ["index.lock", "HEAD.lock"].map((name) => join(common, "worktrees", "a1", name));
    for (const lock of locks) writeFileSync(lock, "");
    const rebased = await agent.rebase();
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    expect(rebased).toMatchObject({
      ...{ type: "rebased", tree: record.tree },
      conflicts: [{ path: "a", kind: "unresolved" }],
    });
    const again = agent.from(record.tree);
    expect(await inTree(repository, again, "diff", "--name-only")).toBe("a\n");
    again.write({ a: "1\nmine, agent\n3\n" });
    put(repository.folder, { b: "mine again\n" });
    expect(await again.apply()).toMatchObject({ type: "merged", files: 1 });
    expect(readFileSync(join(repository.folder, "b"), "utf8")).toBe("mine again\n");
    expect(await repository.must(["for-each-ref", "refs/troupe/sides"])).toBe("");
  });

  it("is rolled back if the record does not say yet that it was done", async () => {
    const { agent, common, record } = await cutOff();
    await writeRecord(common, "a1", { ...record, tree: agent.tree });
    expect(await agent.settle()).toEqual({ type: "done" });
    expect(readFileSync(join(agent.tree.path, "a"), "utf8")).toBe("1\nagent\n3\n");
    expect(readFileSync(join(agent.tree.path, "b"), "utf8")).toBe("1\n");
  });
});

describe("a check runs on the merged files in the agent's tree", () => {
  it("which has its own back afterwards, whatever the check did", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({
      ".gitignore": "*.log\nbuild/\n",
      a: "1\n2\n3\n4\n5\n",
      b: "1\n",
      c: "1\n",
      d: "1\n",
    });
    const agent = await agentIn(repository);
    agent.write({ a: "agent\n2\n3\n4\n5\n", n: "new\n", "x.log": "ignored\n", "build/out": "o\n", c: null });
    put(repository.folder, { a: "1\n2\n3\n4\nmine\n", b: null, "deep/m": "mine\n" });
    const own = () => {
      const { ".git": _, ...files } = picture(agent.tree.path);
      return files;
    };
    const before = own();
    const prepared = await agent.prepare({ forCheck: true, deleted: ["c"] });
    expect(prepared, JSON.stringify(prepared)).toMatchObject({ type: "clean" });
    expect(readFileSync(join(agent.tree.path, "a"), "utf8")).toBe("agent\n2\n3\n4\nmine\n");
    expect(existsSync(join(agent.tree.path, "b"))).toBe(false);
    expect(readFileSync(join(agent.tree.path, "deep/m"), "utf8")).toBe("mine\n");
    agent.write({
      a: "formatted\n",
      d: "formatted\n",
      "left/by/check": "x\n",
      n: null,
      "build/out": "o2\n",
      "y.log": "y\n",
    });
    expect(await agent.settle()).toEqual({ type: "done" });
    const after = own();
    expect(after["build/out"]).toContain("o2\n");
    const compared = Object.keys(before).filter((path) => !/^(build|d$|n$)/.test(path));
    for (const path of compared) expect(after[path], path).toBe(before[path]);
    expect(readFileSync(join(agent.tree.path, "d"), "utf8")).toBe("1\n");
    expect(readFileSync(join(agent.tree.path, "n"), "utf8")).toBe("new\n");
    expect(existsSync(join(agent.tree.path, "left", "by", "check"))).toBe(false);
    // What the check made is in a ref of ours all the same.
    expect(await repository.must(["show", `refs/troupe/checks/${agent.tree.name}:left/by/check`])).toBe(
      "x\n",
    );
    expect(await agent.settle()).toEqual({ type: "done" });
    const taken = await snapshotTree({ tree: agent.tree, files: null }, groundFor(repository, "s"));
    expect(taken).toMatchObject({ type: "taken", changed: [] });
    expect(await agent.apply({ expects: prepared.type === "clean" ? prepared.checkout : "" })).toMatchObject({
      type: "merged",
    });
  });

  it("and a merge, or the next look, settles one that was never settled", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n2\n3\n", b: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "agent\n2\n3\n" });
    put(repository.folder, { b: "mine\n" });
    const first = await agent.prepare({ forCheck: true });
    expect(readFileSync(join(agent.tree.path, "b"), "utf8")).toBe("mine\n");
    expect(await agent.prepare()).toEqual(first);
    expect(readFileSync(join(agent.tree.path, "b"), "utf8")).toBe("1\n");
    await agent.prepare({ forCheck: true });
    expect(await agent.apply()).toMatchObject({ type: "merged", files: 1 });
  });

  it("also if files become folders, links and files that run", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n", "dir/f": "1\n", "dir/g": "1\n", c: "1\n", d: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ n: "agent\n" });
    put(repository.folder, { a: null, "a/deep": "mine\n", dir: "mine\n", c: { link: "n" } });
    chmodSync(join(repository.folder, "d"), 0o755);
    const own = () => picture(agent.tree.path);
    const before = own();
    expect(await agent.prepare({ forCheck: true })).toMatchObject({ type: "clean" });
    expect(picture(agent.tree.path, { times: false })).toMatchObject({
      ...{
        "a/deep": "100644  mine\n",
        dir: "100644  mine\n",
        c: "-> n",
        d: "100755  1\n",
        n: "100644  agent\n",
      },
    });
    expect(await agent.settle()).toEqual({ type: "done" });
    expect(own()).toEqual(before);
  });

  it.each([
    ["where a file comes", { "x.log": "mine\n" }, { "x.log": "agent\n" }],
    ["in a directory that becomes a file", { dir: "mine\n" }, { "dir/x.log": "agent\n" }],
  ])("but not over a file that git ignores in the agent's tree: %s", async (_, mine, ignored) => {
    const repository = await repositoryWith({ ".gitignore": "*.log\n", "dir/f": "1\n" });
    const agent = await agentIn(repository);
    agent.write({ n: "agent\n", ...ignored });
    put(repository.folder, mine);
    await repository.must(["add", "-A", "-f", "."]);
    const before = picture(agent.tree.path);
    expect(await agent.prepare({ forCheck: true })).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("is there already"),
    });
    expect(picture(agent.tree.path)).toEqual(before);
  });
});
