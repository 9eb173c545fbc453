// @module-tag long
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HomeAdapter } from "../../bench/coming-home/adapter.ts";
import { gitApply } from "../../bench/coming-home/plain-git.ts";
import { STATES } from "../../bench/coming-home/states.ts";
import { formatTable } from "../../bench/coming-home/table.ts";
import { TroupeAdapter } from "../../bench/coming-home/troupe.ts";
import { loadAdapter, playAll } from "../../bench/coming-home.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";

function some(...names: (keyof typeof STATES)[]) {
  return Object.fromEntries(Object.entries(STATES).filter(([name]) => names.includes(name)));
}

const NOTHING = { userBytes: 0, lost: 0, wrong: 0, problems: [] };

test("the benchmark has the twenty states that it promises", () => {
  expect(Object.keys(STATES)).toHaveLength(20);
});

test("brings edits home into a dirty checkout, and keeps those that do not fit, without changing a byte of the user", {
  timeout: 120_000,
}, async () => {
  const states = some("staged, and edited again", "other modes", "ignored, where the agent makes a file");
  const { states: verdicts } = await playAll(new TroupeAdapter(), [], states);
  expect(verdicts).toMatchObject([
    { outcome: "home", ...NOTHING },
    { outcome: "kept", ...NOTHING },
    { outcome: "home", ...NOTHING },
  ]);
});

/** Copies its files over the user's. */
const copier: HomeAdapter = {
  name: "copier",
  async bring({ dir }, copy) {
    rmSync(join(copy.dir, ".git"));
    cpSync(copy.dir, dir, { recursive: true });
    return { type: "home" };
  },
};

test("counts what a tool overwrites, loses, or says and does not do", { timeout: 120_000 }, async () => {
  const forgetful: HomeAdapter = { name: "forgetful", bring: async () => ({ type: "home" }) };
  const failing: HomeAdapter = { name: "failing", bring: () => Promise.reject(new Error("broken")) };
  const wrongBranch: HomeAdapter = {
    name: "wrong branch",
    bring: async () => ({ type: "kept", branch: "main", why: "" }),
  };
  const states = some("staged, and edited again");
  const found = [];
  for (const tool of [copier, forgetful, failing, wrongBranch]) found.push(await playAll(tool, [], states));
  const verdicts = found.map(({ states: [verdict] }) => verdict);
  expect(verdicts).toMatchObject([
    // The two lines of the user, the one that replaced each, and the file that was deleted.
    {
      outcome: "home",
      lost: 0,
      wrong: 1,
      problems: [/a\.txt/, /b\.txt/].map((path) => expect.stringMatching(path)),
    },
    { outcome: "home", userBytes: 0, lost: 2, wrong: 0 },
    { outcome: "failed", userBytes: 0, lost: 2, wrong: 0, why: "broken" },
    { outcome: "kept", userBytes: 0, lost: 2, wrong: 0 },
  ]);
  expect(verdicts[0]?.userBytes).toBeGreaterThan(0);
  expect(formatTable(found)).toContain("| files of the agent that were lost | 0 | **2** | **2** | **2** |");
});

test("takes another tool from a module, and says what is missing in one", async () => {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const text = 'export default { name: "mine", bring: async () => ({ type: "home" }) };\n';
  expect(await loadAdapter(write("mine.mjs", text))).toMatchObject({ name: "mine" });
  await expect(loadAdapter(write("other.mjs", "export default { name: 1 };\n"))).rejects.toThrow(
    /other\.mjs has no adapter as its default export/,
  );
});

test("plays a merge of a history with the user's side committed or not", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "1\n" });
  const { must, folder, write, commit } = repository;
  await must(["checkout", "-q", "-b", "side"]);
  write({ "a.txt": "1\n2\n3\n4\nagent\n", "new.txt": "agent\n" });
  await commit("The agent's");
  await must(["checkout", "-q", "main"]);
  write({ "a.txt": "user\n2\n3\n4\n5\n", "b.txt": null });
  await commit("The user's");
  await must(["merge", "-q", "--no-edit", "side"], { identity: "person" });
  const merge = (await must(["rev-parse", "HEAD"])).trim();
  for (const tool of [new TroupeAdapter(), gitApply]) {
    const { merges } = await playAll(tool, [merge, merge], {}, folder);
    expect(merges).toMatchObject([
      { outcome: "home", ...NOTHING },
      { outcome: "home", ...NOTHING },
    ]);
  }
});
