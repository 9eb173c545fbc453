import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rollBackUnfinished } from "../../../src/worktrees/merge/roll-back.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { everyNth } from "../../support/long.ts";
import { groundOf } from "../tree-of-tests.ts";
import { Died, dyingDisk } from "./dying-disk.ts";
import { agentIn, picture, undo } from "./scene.ts";

describe("a death while edits are brought in, or undone", () => {
  const scene = async () => {
    const repository = await repositoryWith({ a: "1\n", "gone/b": "1\n", "dir/f": "1\n" });
    const agent = await agentIn(repository);
    agent.write({ a: "2\n", "gone/b": null, "new/c": "c\n", "dir/f": null, dir: "a file\n" });
    return { repository, agent, common: join(repository.folder, ".git") };
  };

  it("leaves all of it or none, and no lock, directory or ref", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const counting = dyingDisk(Number.POSITIVE_INFINITY);
    const counted = await scene();
    await counted.agent.apply({}, counting.disk);
    const ends = new Set<string>();
    const steps = Array.from({ length: counting.steps() }, (_, at) => at);
    // The last one too: the merge is whole by then.
    for (const at of everyNth(steps, 6)) {
      const { repository, agent, common } = await scene();
      const before = picture(repository.folder);
      await expect(agent.apply({}, dyingDisk(at).disk), `step ${at}`).rejects.toThrow(Died);
      await rollBackUnfinished(common, groundOf(repository.env));
      const names = Object.keys(picture(repository.folder)).sort().join();
      const refs = (await repository.must(["for-each-ref", "refs/troupe/merges"])).split("\n").length - 1;
      if (names === "a,dir,new/,new/c") {
        ends.add("merged");
        expect(refs).toBe(2);
        expect(await undo(repository)).toMatchObject({ type: "undone" });
      } else {
        ends.add("nothing");
        expect(refs, `step ${at}`).toBe(0);
        expect(await undo(repository)).toEqual({ type: "nothing" });
      }
      expect(picture(repository.folder), `step ${at}`).toEqual(before);
      expect(existsSync(join(common, "troupe", "merging"))).toBe(false);
    }
    expect([...ends].sort()).toEqual(["merged", "nothing"]);
  });

  it("of an undo: the edits are there, or what was before", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const { repository, agent, common } = await scene();
    const before = picture(repository.folder);
    await agent.apply();
    const after = picture(repository.folder);
    let done = false;
    for (let at = 0; !done; at += 1) {
      try {
        done = (await undo(repository, {}, dyingDisk(at).disk)).type === "undone";
      } catch (error) {
        expect(error).toBeInstanceOf(Died);
        await rollBackUnfinished(common, groundOf(repository.env));
        const now = picture(repository.folder);
        if (now["a"] === before["a"]) done = true;
        else expect(now, `step ${at}`).toEqual(after);
      }
    }
    expect(picture(repository.folder)).toEqual(before);
  });

  it("by kill -9: the next merge takes the lock over, rolls back what is half done, and continues", {
    tags: ["long"],
  }, async () => {
    for (const step of [4, 7, 11]) {
      const { repository, agent, common } = await scene();
      const before = picture(repository.folder);
      const child = fork(join(import.meta.dirname, "killed-process.ts"), { stdio: "inherit" });
      child.send({ tree: agent.tree, env: repository.env, step });
      const [, signal] = await once(child, "exit");
      expect(signal).toBe("SIGKILL");
      expect(existsSync(join(common, "troupe", "merging"))).toBe(true);
      expect(await agent.apply()).toMatchObject({ type: "merged", notes: [] });
      expect(Object.keys(picture(repository.folder)).sort()).toEqual(["a", "dir", "new/", "new/c"]);
      expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
      expect(await undo(repository)).toEqual({ type: "nothing" });
      expect(picture(repository.folder)).toEqual(before);
    }
  });
});
