// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../support/git-repository.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

const host = shippedHosts[0] ?? "worker threads";
const FILES = { "a.txt": "one\n", "docs/b.txt": "two\n" };

/** Each agent writes the files that its prompt names, and says that it has done all. */
async function session() {
  const repository = await repositoryWith(FILES);
  const made = supervised(
    host,
    (request) => {
      const said = textsOf(request);
      const root = /Working directory: (.+)/.exec(request.system.join("\n"))?.[1] ?? "";
      const names = /write:(\S*)/.exec(said)?.[1]?.split(",").filter(Boolean) ?? [];
      if (names.length === 0 || said.includes("was created")) return { text: "I changed all of them." };
      return {
        calls: names.map((name) => ({
          name: "Write",
          input: { file_path: join(root, name), content: "written\n" },
        })),
      };
    },
    { cwd: repository.folder, permissionMode: "acceptEdits", allowedTools: ["Bash"] },
  );
  const verdict = async (writes: string, accept: object, more: object = {}) => {
    const prompt = `write:${writes}`;
    const asked = { type: "general-purpose", description: "work", prompt, accept, ...more };
    const { summary } = await made.supervisor.spawn(asked);
    return [summary.acceptance?.verdict, summary.acceptance?.reason ?? ""] as const;
  };
  return { ...made, repository, folder: repository.folder, verdict };
}

const mustBeChanged = async (isolation: object) => {
  const { verdict, folder } = await session();
  expect(await verdict("", { files: ["a.txt"] }, isolation)).toEqual([
    "rejected",
    "a.txt is as it was before it started.",
  ]);
  const some = { files: ["new.txt", "docs/b.txt", "none.txt"] };
  expect(await verdict("new.txt", some, isolation)).toEqual(["rejected", "none.txt does not exist."]);
  expect((await verdict("made.txt", { files: ["made.txt", "docs"] }, isolation))[0]).toBe("accepted");
  // By its path in the checkout too.
  expect((await verdict("other.txt", { files: [join(folder, "other.txt")] }, isolation))[0]).toBe("accepted");
  expect(await verdict("", { files: ["/etc/passwd", "../x"] }, isolation)).toEqual([
    "rejected",
    "/etc/passwd, ../x are outside of where it works.",
  ]);
};
const CHANGED = "a file that is stated must be made or changed: that it was there before proves nothing (%j)";
test.each([{}])(CHANGED, mustBeChanged);
test.each([{ isolation: "worktree" }])(CHANGED, { tags: ["long"] }, mustBeChanged);

test("an answer that does not fit the stated schema is rejected, whatever the command says", async () => {
  const { verdict } = await session();
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const [said, why] = await verdict("", { run: "test -f a.txt", schema });
  expect([said, why]).toEqual(["rejected", expect.stringContaining("does not fit its output_schema")]);
});

test("two different schemas for one answer are refused", async () => {
  const { supervisor } = await session();
  const schema = (type: string) => ({ type: "object", properties: { n: { type } } });
  const asked = {
    ...{ type: "general-purpose", description: "work", prompt: "work" },
    ...{ output: schema("string"), accept: { schema: schema("number") } },
  };
  await expect(supervisor.spawn(asked)).rejects.toThrow(/two different ones/);
});

test("an agent that changes nothing is checked where the checkout is as it is now", async () => {
  const repository = await repositoryWith(FILES);
  const { supervisor } = supervised(
    host,
    () => {
      repository.write({ "mine.txt": "of the user\n" });
      return { text: "It is all there." };
    },
    { cwd: repository.folder, permissionMode: "acceptEdits", allowedTools: ["Bash"] },
  );
  const asked = {
    type: "general-purpose",
    description: "work",
    prompt: "work",
    isolation: "worktree",
  } as const;
  const { summary } = await supervisor.spawn({ ...asked, accept: { run: "grep -q user mine.txt" } });
  expect(summary).toMatchObject({
    acceptance: { verdict: "accepted", checks: 1 },
    worktree: { outcome: "empty" },
  });
  expect(readFileSync(join(repository.folder, "mine.txt"), "utf8")).toBe("of the user\n");
  expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
});
