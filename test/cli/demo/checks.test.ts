import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stateOf } from "../../../src/cli/demo/checkout-state.ts";
import {
  contentsOf,
  editsStandAlone,
  onlyGone,
  type Seen,
  sameAsBefore,
  untouched,
} from "../../../src/cli/demo/checks.ts";
import { OWN_FILES, playPerson, type Roles, rolesFor } from "../../../src/cli/demo/roles.ts";
import { textFiles } from "../../../src/cli/demo/text-files.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";

interface Played {
  readonly repository: TestRepository;
  readonly roles: Roles;
  readonly begin: Seen;
  see(): Promise<Seen>;
}

/** The person's work is there, and the agents have done theirs, both at the end of the contested file. */
async function played(files: Readonly<Record<string, string>> = OWN_FILES): Promise<Played> {
  const repository = await repositoryWith(files);
  const { git, folder } = repository;
  const roles = await rolesFor(git);
  if (roles === null) throw new Error("the repository has no text files");
  await playPerson(roles, git);
  const see = async () => ({ state: await stateOf(git), contents: await contentsOf(git, roles) });
  const begin = await see();
  for (const { adds, creates } of roles.agents) {
    for (const { path, text } of creates) writeFileSync(join(folder, path), text);
    for (const { path, line } of adds) {
      const file = join(folder, path);
      appendFileSync(file, `${line}${readFileSync(file, "utf8").includes("\r\n") ? "\r\n" : "\n"}`);
    }
  }
  return { repository, roles, begin, see };
}

const all = (begin: Seen, after: Seen, { agents }: Roles) => [
  ...editsStandAlone(begin, after, agents),
  ...untouched(begin, after, agents),
];

describe("what the demo says of a checkout was looked at (issue 6, done when)", () => {
  test.each([["\n"], ["\r\n"]])(
    "all of it holds after the agents' edits, lines ending in %j",
    { tags: ["long"] },
    async (eol) => {
      const files = { a: "1\n2\n", "b.md": `x${eol}y${eol}`, "README.md": `# R${eol}${eol}text${eol}` };
      const { begin, see, roles } = await played(files);
      const checks = all(begin, await see(), roles);
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
      expect(checks).toHaveLength(6);
      expect(sameAsBefore(begin, await see()).ok).toBe(false);
    },
  );

  test.each<[string, (repository: TestRepository) => unknown]>([
    ["a byte of the person's new file", ({ folder }) => appendFileSync(join(folder, "your-notes.md"), " ")],
    ["a byte of a file that is edited", ({ folder }) => appendFileSync(join(folder, "README.md"), " ")],
    ["a mode", ({ folder }) => chmodSync(join(folder, "your-notes.md"), 0o755)],
    ["what is staged", ({ must }) => must(["add", "README.md"])],
    ["HEAD", ({ must }) => must(["commit", "-q", "--allow-empty", "-m", "x"])],
    ["the branch", ({ must }) => must(["checkout", "-q", "--detach"])],
    ["a file more", ({ write }) => write({ more: "x" })],
    ["a file less", ({ write }) => write({ "your-notes.md": null })],
    ["an edit less", ({ write }) => write({ "third-agent.md": null })],
    ["an edit twice", ({ folder }) => appendFileSync(join(folder, "README.md"), "By the first agent.\n")],
  ])("%s that is another makes one of the statements untrue", { tags: ["long"] }, async (_, change) => {
    const { repository, begin, see, roles } = await played();
    await change(repository);
    expect(all(begin, await see(), roles).some(({ ok }) => !ok)).toBe(true);
  });

  test("an undo takes one agent's edits, and nothing else", { tags: ["long"] }, async () => {
    const { repository, begin, see, roles } = await played();
    const [first, second, third] = roles.agents;
    if (!first || !second || !third) throw new Error("there are three agents");
    const before = await see();
    const file = join(repository.folder, "README.md");
    writeFileSync(file, readFileSync(file, "utf8").replace("By the second agent.\n", ""));
    const after = await see();
    expect(onlyGone(before, after, second).ok).toBe(true);
    expect(onlyGone(before, after, first).ok).toBe(false);
    expect(onlyGone(before, after, third).ok).toBe(false);
    writeFileSync(file, readFileSync(file, "utf8").replace("By the first agent.\n", ""));
    repository.write({ "third-agent.md": null });
    const log = join(repository.folder, "CHANGELOG.md");
    writeFileSync(log, readFileSync(log, "utf8").replace("By the third agent.\n", ""));
    expect(sameAsBefore(begin, await see()).ok).toBe(true);
  });
});

test("files that lines can be put into: texts, the likeliest first, none that git merges in its own way", {
  tags: ["long"],
}, async () => {
  const { git } = await repositoryWith({
    ...{ "src/z.ts": "1\n2\n", "docs/a.md": "1\n2\n", "README.md": "1\n2\n", "b.txt": "1\n2\n" },
    ...{ "one-line.md": "1\n", "open.md": "1\n2", "with blank.md": "1\n2\n", ".hidden.md": "1\n2\n" },
    ...{ "binary.md": "1\n\0\n", "marked.md": "<<<<<<< a\n2\n", "package-lock.json": "1\n2\n" },
    ...{ "CHANGELOG.md": "1\n2\n", ".gitattributes": "CHANGELOG.md merge=union\n" },
  });
  expect(await textFiles(git, 9)).toEqual(["README.md", "b.txt", "docs/a.md", "src/z.ts"]);
});
