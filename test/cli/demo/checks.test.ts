// @module-tag long
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareStates, readCheckout } from "../../../src/cli/demo/checks.ts";
import { addUncommittedWork, planRoles, type Roles } from "../../../src/cli/demo/roles.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";

const FILES = { "README.md": "# A demo\n\nText.\n", "CHANGELOG.md": "# Changes\n\n- First.\n" };

/** The user's work is there, and the agents have made their edits, two at the end of the contested file. */
async function played(files: Readonly<Record<string, string>> = FILES) {
  const repository = await repositoryWith(files);
  const { git, folder } = repository;
  const roles = await planRoles(git);
  if (roles === null) throw new Error("the repository has no text files");
  await addUncommittedWork(roles, git);
  const begin = await readCheckout(git, []);
  for (const { adds, creates } of roles.agents) {
    for (const { path, text } of creates) writeFileSync(join(folder, path), text);
    for (const { path, line } of adds) {
      const file = join(folder, path);
      appendFileSync(file, `${line}${readFileSync(file, "utf8").includes("\r\n") ? "\r\n" : "\n"}`);
    }
  }
  /** Whether all is as before but for the edits of these agents. */
  const holds = async (agents: Roles["agents"]) =>
    compareStates(begin, await readCheckout(git, agents)).every(({ ok }) => ok);
  return { repository, roles, holds };
}

describe("what the demo says of a checkout is checked", () => {
  test.each([["\n"], ["\r\n"]])(
    "all of it holds after the agents' edits, lines ending in %j",
    async (eol) => {
      const files = { a: "1\n2\n", "b.md": `x${eol}y${eol}`, "README.md": `# R${eol}${eol}text${eol}` };
      const { holds, roles } = await played(files);
      expect(await holds(roles.agents)).toBe(true);
      expect(await holds([])).toBe(false);
    },
  );

  test.each<[string, (repository: TestRepository) => unknown]>([
    ["a byte of the user's new file", ({ folder }) => appendFileSync(join(folder, "your-notes.md"), " ")],
    ["a byte of a file that is edited", ({ folder }) => appendFileSync(join(folder, "README.md"), " ")],
    ["a mode", ({ folder }) => chmodSync(join(folder, "your-notes.md"), 0o755)],
    ["what is staged", ({ must }) => must(["add", "README.md"])],
    ["HEAD", ({ must }) => must(["commit", "-q", "--allow-empty", "-m", "x"])],
    ["the branch", ({ must }) => must(["checkout", "-q", "--detach"])],
    ["an additional file", ({ write }) => write({ more: "x" })],
    ["a missing file", ({ write }) => write({ "your-notes.md": null })],
    ["a missing edit", ({ write }) => write({ "third-agent.md": null })],
    [
      "an edit made twice",
      ({ folder }) => appendFileSync(join(folder, "README.md"), "By the first agent.\n"),
    ],
  ])("a difference in %s fails a check", async (_, change) => {
    const { repository, holds, roles } = await played();
    await change(repository);
    expect(await holds(roles.agents)).toBe(false);
  });

  test("an undo removes one agent's edits and nothing else", async () => {
    const { repository, roles, holds } = await played();
    const [first, second, third] = roles.agents;
    if (!first || !second || !third) throw new Error("there are three agents");
    const file = join(repository.folder, "README.md");
    writeFileSync(file, readFileSync(file, "utf8").replace("By the second agent.\n", ""));
    expect(await holds([first, third])).toBe(true);
    expect(await holds([second, third])).toBe(false);
  });
});

test("the demo edits texts, the likeliest first", async () => {
  const plan = async (files: Readonly<Record<string, string>>) => {
    const roles = await planRoles((await repositoryWith(files)).git);
    return roles === null ? null : [roles.contested, roles.other];
  };
  const unfit = {
    ...{ "one-line.md": "1\n", "open.md": "1\n2", "with blank.md": "1\n2\n", ".hidden.md": "1\n2\n" },
    ...{ "binary.md": "1\n\0\n", "marked.md": "<<<<<<< a\n2\n", "package-lock.json": "1\n2\n" },
  };
  expect(await plan(unfit)).toBeNull();
  expect(await plan({ ...unfit, "src/z.ts": "1\n2\n", "docs/a.md": "1\n2\n" })).toEqual([
    "docs/a.md",
    "src/z.ts",
  ]);
  expect(await plan({ ...unfit, "README.md": "1\n2\n", "b.txt": "1\n2\n" })).toEqual(["README.md", "b.txt"]);
});
