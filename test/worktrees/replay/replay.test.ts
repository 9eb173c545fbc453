import { expect, test } from "vitest";
import { emptyRepository } from "../../support/git-repository.ts";
import { isLong, long } from "../../support/long.ts";
import { writeRandomHistory } from "./random-history.ts";
import { replayMerges } from "./replay.ts";

const seeds = isLong ? [1, 2, 3, 4, 5, 6] : [1];

test.each(seeds)(
  "what two agents did in two worktrees comes out as git merges it, or is the conflict git has, and is undone (issue 6, proof; seed %i)",
  { tags: ["long"], timeout: 600_000 },
  async (seed) => {
    const repository = await emptyRepository();
    const merges = long(60, 4);
    writeRandomHistory(repository, merges, seed);
    const before = await repository.must(["for-each-ref"]);
    const report = await replayMerges(repository.folder, { max: merges, seed });
    expect(report.different).toEqual([]);
    // Else it would prove nothing.
    expect(report.clean).toBeGreaterThan(merges / 5);
    expect(report.settled).toBeGreaterThan(merges / 5);
    expect(await repository.must(["for-each-ref"])).toBe(before);
  },
);

test("a merge that changes a submodule is left out, one of one side only is no merge", async () => {
  const repository = await emptyRepository();
  repository.write({ a: "1\n" });
  await repository.commit("base");
  await repository.must(["checkout", "-q", "-b", "side"]);
  repository.write({ b: "2\n" });
  const side = await repository.commit("side");
  await repository.must(["checkout", "-q", "main"]);
  await repository.must(["merge", "-q", "--no-ff", "--no-edit", "side"], { identity: "person" });
  await repository.must(["checkout", "-q", "-b", "with-submodule", side]);
  await repository.must(["update-index", "--add", "--cacheinfo", `160000,${side},sub`]);
  await repository.must(["commit", "-q", "-m", "a submodule"], { identity: "person" });
  await repository.must(["checkout", "-q", "-b", "other", side]);
  repository.write({ c: "3\n" });
  await repository.commit("other");
  await repository.must(["merge", "-q", "--no-edit", "with-submodule"], { identity: "person" });
  const report = await replayMerges(repository.folder, { max: 10, seed: 1 });
  expect(report).toEqual({
    ...{ merges: 0, clean: 0, conflicts: 0, settled: 0, different: [] },
    leftOut: { "one side only": 1, "a submodule changes": 1 },
  });
});
