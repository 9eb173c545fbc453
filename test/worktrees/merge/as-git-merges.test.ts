import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitIn } from "../../../src/worktrees/git.ts";
import { emptyRepository, type TestRepository } from "../../support/git-repository.ts";
import { agentIn, type Files, picture, put } from "./scene.ts";

interface Case {
  readonly base: Files;
  readonly mine?: Files;
  readonly agent: Files;
  readonly config?: Readonly<Record<string, string>>;
  /** In the agent's tree, or in the checkout; true: executable. */
  readonly modes?: {
    readonly agent?: Readonly<Record<string, boolean>>;
    readonly mine?: Readonly<Record<string, boolean>>;
  };
}

const lines = (changed: Record<number, string> = {}, end = "\n") =>
  Array.from({ length: 12 }, (_, at) => `${changed[at] ?? `line ${at}`}${end}`).join("");
const bytes = (...all: number[]) => Buffer.from([0, 255, 13, 10, ...all]);

const CASES: Record<string, Case> = {
  "renames, with an edit on the other side": {
    base: { a: lines(), "d/b": lines({ 1: "b" }), "d/c": lines({ 2: "c" }) },
    mine: { a: lines({ 3: "mine" }) },
    agent: {
      a: null,
      "moved/a": lines({ 9: "agent" }),
      "d/b": null,
      "d/c": null,
      "e/b": lines({ 1: "b" }),
      "e/c": lines({ 2: "c" }),
    },
  },
  "a file that is renamed by the person and edited by the agent": {
    base: { a: lines() },
    mine: { a: null, "x/y": lines() },
    agent: { a: lines({ 5: "agent" }) },
  },
  "deletions, and folders that go with them": {
    base: { "a/b/c": "1\n", "a/d": "1\n", e: "1\n", "f/g": "1\n" },
    mine: { "f/h": "mine\n" },
    agent: { "a/b/c": null, "a/d": null, e: null, "f/g": null },
  },
  "both made and deleted the same": {
    base: { a: "1\n", b: "1\n" },
    mine: { a: null, n: "same\n" },
    agent: { a: null, n: "same\n", b: "2\n" },
  },
  "rights, links and kinds of files": {
    base: {
      run: "1\n",
      plain: "1\n",
      link: { link: "run" },
      tolink: "1\n",
      tofile: { link: "run" },
      todir: "1\n",
      "tofile2/x": "1\n",
    },
    mine: { plain: "mine\n" },
    agent: {
      link: { link: "plain" },
      tolink: { link: "run" },
      tofile: "2\n",
      todir: null,
      "todir/x": "2\n",
      "tofile2/x": null,
      tofile2: "2\n",
      dead: { link: "no/where" },
    },
    modes: { agent: { run: true, plain: true } },
  },
  "binary files, empty files, big ones": {
    base: { bin: bytes(1, 2, 3), empty: "", full: "1\n", big: Buffer.alloc(3_000_000, 7) },
    mine: {},
    agent: {
      bin: bytes(9, 9),
      empty: "no more\n",
      full: "",
      "new empty": "",
      "deep/new/empty": "",
      big: Buffer.alloc(2_500_000, 8),
    },
  },
  "names that are hard to write": {
    base: {
      "with space": "1\n",
      "-dash": "1\n",
      'quo"te': "1\n",
      "new\nline": "1\n",
      "tab\there": "1\n",
      "*[a]?": "1\n",
      ":(top)x": "1\n",
      "caf\u00e9": "1\n",
    },
    mine: { "with space": "1\nmine\n" },
    agent: {
      "-dash": "2\n",
      'quo"te': "2\n",
      "new\nline": "2\n",
      "tab\there": null,
      "*[a]?": "2\n",
      ":(top)x": "2\n",
      "\u65e5\u672c/\u{1F642}": "new\n",
      "caf\u00e9": "2\n",
      "--prefix=x": "new\n",
      "\\back": "new\n",
    },
  },
  "a name in another case": {
    base: { "Read.Me": lines() },
    mine: { "Read.Me": lines({ 2: "mine" }) },
    agent: { "Read.Me": null, "README.ME": lines() },
  },
  "line ends by core.autocrlf": {
    base: { "a.txt": lines({}, "\r\n"), "b.txt": lines({}, "\r\n") },
    mine: { "a.txt": lines({ 2: "mine" }, "\r\n") },
    agent: {
      "a.txt": lines({ 9: "agent" }, "\r\n"),
      "b.txt": lines({ 1: "agent" }, "\r\n"),
      "new.txt": "1\r\n2\r\n",
    },
    config: { "core.autocrlf": "true" },
  },
  "line ends by attributes, and attributes that come with the edits": {
    base: {
      ".gitattributes": "*.bat eol=crlf\n*.txt text=auto\n",
      "a.bat": lines({}, "\r\n"),
      "b.txt": lines(),
    },
    mine: { "a.bat": lines({ 2: "mine" }, "\r\n") },
    agent: {
      ".gitattributes": "*.bat eol=crlf\n*.txt text=auto\n*.win eol=crlf\n",
      "a.bat": lines({ 9: "agent" }, "\r\n"),
      "c.win": "1\r\n",
      "sub/.gitattributes": "* eol=crlf\n",
      "sub/x": "1\r\n",
    },
  },
  "a filter": {
    base: { ".gitattributes": "*.f filter=turn\n", "a.f": "abc\n", "b.f": "xyz\n" },
    mine: { "a.f": "abc\nmine\n" },
    agent: { "b.f": "xyz\nagent\n", "c.f": "new\n" },
    config: { "filter.turn.clean": "tr a-z n-za-m", "filter.turn.smudge": "tr a-z n-za-m" },
  },
};

describe("edits are merged as git merges them, byte for byte", () => {
  it.each(Object.entries(CASES))("%s", { tags: ["long"] }, async (_, one) => {
    const { base, mine = {}, agent, config = {}, modes = {} } = one;
    const repository = await emptyRepository();
    for (const [name, value] of Object.entries(config)) await repository.must(["config", name, value]);
    put(repository.folder, base);
    await repository.commit("base");
    const expected = await byGit(repository, one);
    // As git would have made them.
    for (const path of Object.keys(base))
      rmSync(join(repository.folder, path), { recursive: true, force: true });
    await repository.must(["checkout-index", "-a", "-f"]);

    const working = await agentIn(repository);
    change(repository.folder, mine, modes.mine);
    change(working.tree.path, agent, modes.agent);
    expect(await working.apply()).toMatchObject({ type: "merged" });
    expect(picture(repository.folder, { times: false })).toEqual(expected);
  });
});

function change(folder: string, files: Files, modes: Readonly<Record<string, boolean>> = {}): void {
  put(folder, files);
  for (const [path, isExecutable] of Object.entries(modes))
    chmodSync(join(folder, path), isExecutable ? 0o755 : 0o644);
}

/** The same, played with commits and `git merge` in a clone. */
async function byGit(repository: TestRepository, { mine = {}, agent, config = {}, modes = {} }: Case) {
  const folder = `${repository.folder}-scratch`;
  const settings = Object.entries(config).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const git = gitIn(folder, repository.env);
  const must = async (...args: string[]) => {
    const { code, err, out } = await git.run([...settings, ...args], { identity: "person" });
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${err} ${out}`);
  };
  await repository.must([...settings, "clone", "-q", repository.folder, folder]);
  const side = async (name: string, files: Files, rights: Readonly<Record<string, boolean>> | undefined) => {
    await must("checkout", "-q", "-b", name, "origin/main");
    change(folder, files, rights);
    await must("add", "-A");
    await must("commit", "-q", "--allow-empty", "-m", name);
  };
  await side("theirs", agent, modes.agent);
  await side("ours", mine, modes.mine);
  await must("merge", "-q", "--no-edit", "theirs");
  return picture(folder, { times: false });
}
