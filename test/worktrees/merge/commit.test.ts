import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../../src/worktrees/merge/disk.ts";
import { rollBackUnfinished } from "../../../src/worktrees/merge/roll-back.ts";
import { emptyRepository, repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { long } from "../../support/long.ts";
import { applyMerge } from "../operations.ts";
import { groundOf } from "../tree-of-tests.ts";
import { Died, dyingDisk } from "./dying-disk.ts";
import { agentIn, picture, put, undo } from "./scene.ts";

const text = (changed: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, at) => changed[at] ?? `line ${at}\n`).join("");

/** What is staged, HEAD and the files: all that a commit may touch. */
async function state({ folder, must }: Awaited<ReturnType<typeof repositoryWith>>) {
  return {
    files: picture(folder),
    head: await must(["rev-parse", "HEAD"]),
    staged: await must(["ls-files", "-s", "-z"]),
    status: await must(["status", "--porcelain"]),
  };
}

async function scene() {
  const repository = await repositoryWith({ a: text(), b: "1\n", c: text(), gone: "1\n", d: "1\n" });
  put(repository.folder, { a: text({ 1: "uncommitted\n" }), c: text({ 0: "staged\n" }), d: "staged\n" });
  await repository.must(["add", "c", "d"]);
  const agent = await agentIn(repository);
  agent.write({
    a: text({ 1: "uncommitted\n", 9: "agent\n" }),
    c: text({ 0: "staged\n", 10: "agent\n" }),
    gone: null,
    "n/e": "new\n",
  });
  return { repository, agent };
}

function headLocks({ folder }: TestRepository): string[] {
  return ["HEAD.lock", "refs/heads/main.lock"].map((name) => join(folder, ".git", name));
}

/** Who has begun to commit before the index was locked goes on without it. */
const COMMITS = "git update-ref HEAD $(git commit-tree -p HEAD -m theirs HEAD^{tree})";

describe("the user's git at the moment of a commit of edits (issue 15, 28)", () => {
  /** Before the first git commands with these words, so many, this happens in the checkout; what it says is in `said`. */
  function whenGitIsToldTo(words: string, { folder, env }: TestRepository, act: string, times = 1) {
    const tools = join(folder, "..", "tools");
    const real = execFileSync("sh", ["-c", "command -v git"], { env, encoding: "utf8" }).trim();
    mkdirSync(tools);
    const turn = `for n in $(seq ${times}); do mkdir '${tools}/begun'$n 2>/dev/null && exit 0; done; exit 1`;
    // The user's git is not the agent's, whose index it may have been told of.
    const first = `(${turn}) && cd '${folder}' && unset GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_INDEX_FILE && git() { ${real} "$@"; } && { ${act}; } 2> '${tools}/said'`;
    const script = `#!/bin/sh\ncase "$*" in *"${words}"*) (${first});; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(tools, "git"), script, { mode: 0o755 });
    const ground = groundOf({ ...env, PATH: `${tools}:${env["PATH"]}` });
    return { ground, said: () => readFileSync(join(tools, "said"), "utf8") };
  }

  const MOVES_HEAD = "troupe: edits of an agent";
  const subjects = async ({ must }: TestRepository) =>
    (await must(["log", "--format=%s"])).trim().split("\n");

  const commits = ({ folder, env }: TestRepository, name: string) => {
    if (name !== "") writeFileSync(join(folder, name), "1\n");
    for (const args of [name === "" ? ["add", "-u"] : ["add", name], ["commit", "-q", "-m", "theirs"]])
      execFileSync("git", args, { cwd: folder, env });
  };

  /** The user commits each time that the edits are about to be written. */
  function committingDisk(repository: TestRepository, disk = realDisk): Disk {
    let count = 0;
    return {
      ...disk,
      append(file, words) {
        disk.append(file, words);
        if (words.includes('"merge-start"')) commits(repository, `user${count++}`);
      },
    };
  }

  it("a user who commits at every try does not keep the edits out", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: text() });
    const agent = await agentIn(repository);
    agent.write({ a: text({ 9: "agent\n" }) });
    expect(await agent.apply({ commit: "The agent's" }, committingDisk(repository))).toMatchObject({
      type: "merged",
      files: 1,
      notes: [],
    });
    expect(await subjects(repository)).toEqual(["The agent's", "theirs", "The beginning"]);
    expect(await repository.must(["show", "--format=", "--name-only", "HEAD"])).toBe("a\n");
    expect(await repository.must(["status", "--porcelain"])).toBe("");
    expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
    expect(await subjects(repository)).toEqual(["theirs", "The beginning"]);
    expect(await repository.must(["status", "--porcelain"])).toBe("");
  });

  it("commits that had begun before the index was locked are waited for", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: text() });
    const { ground } = whenGitIsToldTo(MOVES_HEAD, repository, COMMITS, 8);
    const agent = await agentIn(repository, "a1", ground);
    agent.write({ a: text({ 9: "agent\n" }) });
    expect(await agent.apply({ commit: "The agent's" })).toMatchObject({ type: "merged", notes: [] });
    expect(await subjects(repository)).toEqual([
      ...["The agent's", ...Array.from({ length: 8 }, () => "theirs"), "The beginning"],
    ]);
    expect(await repository.must(["status", "--porcelain"])).toBe("");
  });

  it("a HEAD that another command has locked for a moment is waited for", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: text() });
    const lock = join(repository.folder, ".git", "HEAD.lock");
    const { ground } = whenGitIsToldTo(MOVES_HEAD, repository, `: > '${lock}'`);
    const agent = await agentIn(repository, "a1", ground);
    agent.write({ a: text({ 9: "agent\n" }) });
    const unlocking: Disk = {
      ...realDisk,
      append(file, words) {
        realDisk.append(file, words);
        if (words.includes('"merge-commit"')) rmSync(lock);
      },
    };
    expect(await agent.apply({ commit: "The agent's" }, unlocking)).toMatchObject({ type: "merged" });
    expect(await subjects(repository)).toEqual(["The agent's", "The beginning"]);
  });

  it("a git that is killed while it moves HEAD leaves no lock, and is asked again", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text() });
    const locks = headLocks(repository);
    const act = `${locks.map((lock) => `: > '${lock}'`).join(" && ")} && kill -9 $$`;
    const { ground } = whenGitIsToldTo(MOVES_HEAD, repository, act);
    const agent = await agentIn(repository, "a1", ground);
    agent.write({ a: text({ 9: "agent\n" }) });
    expect(await agent.apply({ commit: "The agent's" })).toMatchObject({ type: "merged" });
    expect(await subjects(repository)).toEqual(["The agent's", "The beginning"]);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  });

  it("a user who commits the edits along with their own leaves none to commit", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text(), b: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: text({ 9: "agent\n" }) });
    const takingAlong: Disk = {
      ...realDisk,
      place(from, to) {
        const placed = realDisk.place(from, to);
        commits(repository, "");
        return placed;
      },
    };
    expect(await agent.apply({ commit: "The agent's" }, takingAlong)).toMatchObject({
      type: "merged",
      commit: null,
      notes: ["HEAD has all of these edits already, so no commit was made."],
    });
    expect(await subjects(repository)).toEqual(["theirs", "The beginning"]);
    expect(await repository.must(["status", "--porcelain"])).toBe("");
    expect(await undo(repository)).toMatchObject({ type: "undone" });
  });

  it("keeps the user's own commit and commits the edits on it", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: text(), b: "1\n" });
    const { folder, must } = repository;
    put(folder, { b: "staged\n" });
    await must(["add", "b"]);
    const { ground } = whenGitIsToldTo("commit-tree", repository, "git commit -q -m theirs");
    const agent = await agentIn(repository, "a1", groundOf(repository.env)).then(({ tree }) => tree);
    put(agent.path, { a: text({ 9: "agent\n" }) });
    const owner = { session: "s1", actor: "1", process: ground.self };
    const request = { tree: agent, expects: null, hold: [], commit: "The agent's", owner, title: "t" };
    expect(await applyMerge(request, ground)).toMatchObject({ type: "merged", files: 1, notes: [] });
    expect((await must(["log", "--format=%s", "--name-only"])).trim().split(/\n+/)).toEqual([
      ...["The agent's", "a", "theirs", "b", "The beginning", "a", "b"],
    ]);
    expect(await must(["status", "--porcelain"])).toBe("");
  });

  it("no other commit contains the edits while they are being committed, or removes them later", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text(), b: "1\n" });
    const { folder, must } = repository;
    put(folder, { b: "staged\n" });
    await must(["add", "b"]);
    const about = whenGitIsToldTo("troupe: edits of an agent", repository, "git commit -q -m theirs");
    const agent = await agentIn(repository, "a1", about.ground);
    agent.write({ a: text({ 9: "agent\n" }) });
    expect(await agent.apply({ commit: "The agent's" })).toMatchObject({ type: "merged", files: 1 });
    expect(about.said()).toMatch(/index\.lock/);
    await must(["commit", "-q", "-m", "theirs"], { identity: "person" });
    expect((await must(["log", "--format=%s %an", "--name-only"])).trim().split(/\n+/)).toEqual([
      ...["theirs A Person", "b", "The agent's A Person", "a", "The beginning A Person", "a", "b"],
    ]);
    expect(await must(["status", "--porcelain"])).toBe("");
  });

  it("an index that another command has locked for a moment is waited for", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: text() });
    const lock = join(repository.folder, ".git", "index.lock");
    const ground = groundOf(repository.env);
    let looks = 0;
    const now = () => {
      if (existsSync(lock)) looks += 1;
      // Whoever has it has seen it looked at, and ends.
      if (looks === 3) rmSync(lock, { force: true });
      return Date.now();
    };
    const agent = await agentIn(repository, "a1", { ...ground, now });
    agent.write({ a: text({ 9: "agent\n" }) });
    const locking = { ...realDisk, rename: lockFirst };
    let locked = false;
    function lockFirst(from: string, to: string): void {
      realDisk.rename(from, to);
      if (!locked) writeFileSync(lock, "");
      locked = true;
    }
    expect(await agent.apply({ commit: "The agent's" }, locking)).toMatchObject({ type: "merged" });
    expect(looks).toBeGreaterThanOrEqual(3);
    expect(existsSync(lock)).toBe(false);
  });
});

describe("edits as one commit", () => {
  it("of the agent's edits alone, by the user; what is staged stays staged, and undo reverts all of it", {
    tags: ["long"],
  }, async () => {
    const { repository, agent } = await scene();
    mkdirSync(join(repository.folder, ".git", "hooks"), { recursive: true });
    writeFileSync(join(repository.folder, ".git", "hooks", "post-commit"), "#!/bin/sh\ntouch ran\n", {
      mode: 0o755,
    });
    const before = await state(repository);
    const answer = await agent.apply({ commit: "Summary of the agent\n\nMore of it." });
    if (answer.type !== "merged") throw new Error(JSON.stringify(answer));
    const head = (await repository.must(["rev-parse", "HEAD"])).trim();
    expect(answer.commit).toBe(head);
    expect(await repository.must(["log", "-1", "--format=%an %ae|%P|%s|%b", head])).toBe(
      `A Person person@example.org|${before.head.trim()}|Summary of the agent|More of it.\n\n`,
    );
    const shown = await repository.must(["show", "--format=", "--numstat", head]);
    expect(shown.trim().split("\n").sort()).toEqual(["0\t1\tgone", "1\t0\tn/e", "1\t1\ta", "1\t1\tc"]);
    expect(await repository.must(["status", "--porcelain"])).toBe(" M a\nM  c\nM  d\n");
    expect(await repository.must(["diff", "--cached", "--numstat"])).toBe("1\t1\tc\n1\t1\td\n");
    expect(existsSync(join(repository.folder, "ran"))).toBe(false);
    expect(readFileSync(join(repository.folder, "a"), "utf8")).toBe(
      text({ 1: "uncommitted\n", 9: "agent\n" }),
    );
    expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
    expect(await state(repository)).toEqual(before);
  });

  it("is refused, with nothing changed, where the lines are not committed or are staged otherwise", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: text(), b: text() });
    put(repository.folder, { a: text({ 3: "uncommitted\n" }) });
    const agent = await agentIn(repository);
    agent.write({ a: text({ 3: "agent on top of it\n" }) });
    const before = await state(repository);
    expect(await agent.apply({ commit: "x" })).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("not committed"),
    });
    expect(await state(repository)).toEqual(before);

    const other = await agentIn(repository, "a2");
    other.write({ b: text({ 3: "agent\n" }) });
    put(repository.folder, { b: text({ 3: "staged\n" }) });
    await repository.must(["add", "b"]);
    put(repository.folder, { b: text() });
    const staged = await state(repository);
    expect(await other.apply({ commit: "x" })).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("staged"),
    });
    expect(await state(repository)).toEqual(staged);
    expect(await repository.must(["for-each-ref", "refs/troupe/merges"])).toBe("");
  });

  it("of a program and its git that were killed while HEAD was moved: it is rolled back, and no lock stays", {
    tags: ["long"],
  }, async () => {
    const { repository, agent } = await scene();
    const before = await state(repository);
    const index = join(repository.folder, ".git", "index");
    const dying: Disk = {
      ...realDisk,
      rename(from, to) {
        if (to === index) throw new Died("died");
        realDisk.rename(from, to);
      },
    };
    await expect(agent.apply({ commit: "x" }, dying)).rejects.toThrow(Died);
    writeFileSync(`${index}.lock`, "troupe\n");
    for (const lock of headLocks(repository)) writeFileSync(lock, "");
    await rollBackUnfinished(join(repository.folder, ".git"), groundOf(repository.env));
    expect([`${index}.lock`, ...headLocks(repository)].filter((lock) => existsSync(lock))).toEqual([]);
    expect(await state(repository)).toEqual(before);
  });

  it("is undone only where HEAD is what it made; with force the files alone", {
    tags: ["long"],
  }, async () => {
    const { repository, agent } = await scene();
    const before = picture(repository.folder);
    await agent.apply({ commit: "x" });
    const head = await repository.commit("on top");
    expect(await undo(repository)).toMatchObject({ type: "changed", paths: ["HEAD"] });
    expect(await undo(repository, { force: true })).toMatchObject({
      type: "undone",
      notes: [expect.stringContaining("stays")],
    });
    expect(picture(repository.folder)).toEqual(before);
    expect((await repository.must(["rev-parse", "HEAD"])).trim()).toBe(head);
  });

  it("works without a commit before it, detached, and without an identity", { tags: ["long"] }, async () => {
    const repository = await emptyRepository();
    put(repository.folder, { a: "1\n" });
    const agent = await agentIn(repository);
    agent.write({ b: "agent\n" });
    expect(await agent.apply({ commit: "First" })).toMatchObject({ type: "merged" });
    expect(await repository.must(["ls-tree", "-r", "--name-only", "HEAD"])).toBe("b\n");
    expect(await repository.must(["status", "--porcelain"])).toBe("?? a\n");
    expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
    expect(await repository.must(["status", "--porcelain"])).toBe("?? a\n");
    await repository.commit("a commit");
    await repository.must(["checkout", "-q", "--detach"]);
    const other = await agentIn(repository, "a2");
    other.write({ a: "2\n" });
    expect(await other.apply({ commit: "Second" })).toMatchObject({ type: "merged" });
    expect(await repository.must(["status", "--porcelain"])).toBe("");
  });

  it.each([
    { title: "", moves: false },
    { title: ", also if HEAD had moved before it", moves: true },
  ])(
    "is there or is not after a death at any step$title",
    { tags: ["long"], timeout: 120_000 },
    async ({ moves }) => {
      const on = ({ folder, env }: TestRepository, disk: Disk): Disk => ({
        ...disk,
        append(file, words) {
          disk.append(file, words);
          if (moves && words.includes('"merge-start"'))
            execFileSync("sh", ["-c", COMMITS], { cwd: folder, env });
        },
      });
      const counting = dyingDisk(Number.POSITIVE_INFINITY);
      const first = await scene();
      await first.agent.apply({ commit: "x" }, on(first.repository, counting.disk));
      const steps = counting.steps();
      const ends = new Set<string>();
      for (let at = steps - 1; at >= 0; at -= long(1, 6)) {
        const { repository, agent } = await scene();
        const before = await state(repository);
        const dying = on(repository, dyingDisk(at).disk);
        await expect(agent.apply({ commit: "x" }, dying), `step ${at}`).rejects.toThrow(Died);
        await rollBackUnfinished(join(repository.folder, ".git"), groundOf(repository.env));
        const { type } = await undo(repository);
        ends.add(type);
        const after = await state(repository);
        if (type === "nothing") expect({ ...after, head: "" }, `step ${at}`).toEqual({ ...before, head: "" });
        else expect(after.files, `step ${at}`).toEqual(before.files);
        expect(await repository.must(["log", "--format=%s"]), `step ${at}`).toMatch(
          /^(theirs\n)?The beginning\n$/,
        );
        expect(existsSync(join(repository.folder, ".git", "index.lock"))).toBe(false);
      }
      expect([...ends].sort()).toEqual(["nothing", "undone"]);
    },
  );
});
