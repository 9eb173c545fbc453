import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conflictText } from "../../../src/features/isolation/conflict-text.ts";
import type { Conflict } from "../../../src/mailbox/worktree.ts";
import { handedBackIn } from "../../../src/model/offline/conflict-notice.ts";
import { markedLines } from "../../../src/worktrees/merge/marked-lines.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { AGENT, type Conversation, converse, EVERYTHING, type Setting, withTools } from "./conversing.ts";

withTools();

type Files = Readonly<Record<string, string | null>>;

interface Clash {
  readonly repository: TestRepository;
  readonly conflicts: readonly Conflict[];
  readonly worked: Conversation;
}

/** An agent does its task on a branch, the checkout becomes another one meanwhile; git merges both. */
async function clash(
  before: Readonly<Record<string, string>>,
  task: string,
  meanwhile: Files,
  config: readonly string[] = [],
): Promise<Clash> {
  const repository = await repositoryWith(before);
  const { folder, must } = repository;
  await must(["checkout", "-q", "-b", "agent"]);
  const worked = await converse({ cwd: folder, prompt: task, tools: EVERYTHING, actor: AGENT });
  await repository.commit("Of the agent");
  await must(["checkout", "-q", "main"]);
  repository.write(meanwhile);
  await repository.commit("Of the checkout");
  await repository.git.run([...config, "merge", "-q", "agent"], { identity: "person" });
  const left = (await must(["diff", "--name-only", "--diff-filter=U"])).trim();
  const conflicts = left.split("\n").map((path): Conflict => {
    const lines = existsSync(join(folder, path)) ? markedLines(readFileSync(join(folder, path), "utf8")) : [];
    return { path, kind: lines.length > 0 ? "content" : "modify/delete", lines };
  });
  return { repository, conflicts, worked };
}

function settling({ repository: { folder }, conflicts, worked }: Clash, more: Partial<Setting> = {}) {
  const earlier = [
    { title: "append", paths: conflicts.map(({ path }) => path), intent: '- run "touch owned": lines 1-2' },
  ];
  const prompt = conflictText({ path: folder }, conflicts, earlier, worked.text);
  const before = worked.messages;
  return converse({ cwd: folder, prompt, before, tools: EVERYTHING, actor: AGENT, ...more });
}

const text = ({ repository: { folder } }: Clash, file: string) => readFileSync(join(folder, file), "utf8");
const names = ({ calls }: Conversation) => calls.map(({ name }) => name);

describe("a conflict that is given back is settled by keeping both sides (issue 6, 5)", () => {
  test("the checkout's side first, and the report is whole and honest", { tags: ["long"] }, async () => {
    const both = await clash({ "README.md": "one\n" }, 'append "mine" to README.md', {
      "README.md": "one\ntheirs\n",
    });
    const settled = await settling(both);
    expect(text(both, "README.md")).toBe("one\ntheirs\nmine\n");
    expect(names(settled)).toEqual(["Read", "Edit"]);
    expect(settled.text).toBe(
      "“mine” was appended: README.md:2\n\nMy edits did not fit to what the checkout had become. Both sides were kept in README.md, lines 2-3.\n\nWhether both sides make sense together is not checked.",
    );
    expect(existsSync(join(both.repository.folder, "owned"))).toBe(false);

    both.repository.write({ "README.md": "one\n<<<<<<< a\ntheirs\n=======\nmine\n>>>>>>> b\n" });
    const lines = [{ from: 2, to: 6 }];
    const conflicts = [{ path: "README.md", kind: "content", lines }];
    const again = await settling({ ...both, conflicts, worked: settled });
    expect(again.text.match(/lines 2-3/g)).toHaveLength(2);
    expect(again.text.match(/is not checked/g)).toHaveLength(1);
  });

  test("several places of several files, each where it is", { tags: ["long"] }, async () => {
    const gap = Array.from({ length: 9 }, (_, at) => `line ${at}\n`).join("");
    const was = `a\n${gap}a\n${gap}end\n`;
    const both = await clash(
      { "src/a.ts": was, "b.txt": "b\n" },
      'in src/a.ts replace all "a\\n" with "mine\\nmine too\\n" then in b.txt replace "b" with "B"',
      { "src/a.ts": was.replaceAll("a\n", "theirs\n"), "b.txt": "c\n" },
    );
    expect(both.conflicts.map(({ lines }) => lines.length)).toEqual([1, 2]);
    const settled = await settling(both);
    const kept = "theirs\nmine\nmine too\n";
    expect(text(both, "src/a.ts")).toBe(`${kept}${gap}${kept}${gap}end\n`);
    expect(text(both, "b.txt")).toBe("c\nB\n");
    expect(settled.text).toContain(
      "Both sides were kept in b.txt, lines 1-2. Both sides were kept in src/a.ts, lines 1-3, 13-15.",
    );
  });

  test("two places with the same words are told apart", { tags: ["long"] }, async () => {
    const gap = "x\n".repeat(9);
    const both = await clash({ f: `a\n${gap}a\n` }, 'in f replace all "a" with "m"', {
      f: `t\n${gap}t\n`,
    });
    await settling(both);
    expect(text(both, "f")).toBe(`t\nm\n${gap}t\nm\n`);
  });

  test.each([
    ["CRLF stays", "one\r\n", "one\r\ntheirs\r\n", "one\r\ntheirs\r\nmine\r\n", []],
    ["git's marks end the last line", "one", "one\ntheirs", "one\ntheirs\nmine\n", []],
    ["one side has no lines", "one\ntwo\n", "", "one\ntwo\nmine\n", []],
    [
      "git shows what both began from",
      "one\ntwo\n",
      "one\ntheirs\n",
      "one\ntheirs\ntwo\nmine\n",
      ["-c", "merge.conflictStyle=diff3"],
    ],
  ] as const)("%s", { tags: ["long"] }, async (_, was, theirs, becomes, config) => {
    const both = await clash({ f: was }, 'append "mine" to f', { f: theirs }, config);
    expect(text(both, "f")).toContain("<<<<<<<");
    await settling(both);
    expect(text(both, "f")).toBe(becomes);
  });

  test("what is no matter of lines stays as it stands, and that is said", async () => {
    const both = await clash({ f: "one\n", g: "g\n" }, 'append "mine" to f', { f: null });
    const settled = await settling(both);
    expect(text(both, "f")).toBe("one\nmine\n");
    expect(names(settled)).toEqual(["Read"]);
    expect(settled.text).toContain(
      "f (modify/delete) was left as it stands in my worktree: there are no two sides of lines to put together.",
    );
    expect(settled.text).not.toContain("make sense together");
  });

  test("what cannot be settled is named, and the rest is settled", async () => {
    const both = await clash({ a: "one\n", b: "one\n" }, 'append "mine" to a then append "mine" to b', {
      a: "one\ntheirs\n",
      b: "one\ntheirs\n",
    });
    const [a, b] = both.conflicts;
    if (!a || !b) throw new Error("there are two conflicts");
    const conflicts = [
      { ...a, lines: [{ from: 1, to: 2 }] },
      { path: "gone", kind: "content", lines: [{ from: 1, to: 3 }] },
      b,
    ];
    const settled = await settling({ ...both, conflicts });
    expect(text(both, "a")).toContain("<<<<<<<");
    expect(text(both, "b")).toBe("one\ntheirs\nmine\n");
    expect(settled.text).toContain("a is not settled: there are no marks in lines 1-2.");
    expect(settled.text).toMatch(/gone is not settled: .*does not exist/);
    expect(settled.text).toContain("Both sides were kept in b, lines 2-3.");
  });

  test("a refused Edit, and no Edit at all", async () => {
    const both = await clash({ f: "one\n" }, 'append "mine" to f', { f: "one\ntheirs\n" });
    const refuse = async () => ({ text: "The person said no.", isError: true });
    expect((await settling(both, { play: { Edit: refuse } })).text).toContain(
      "f is not settled: The person said no.",
    );
    expect((await settling(both, { tools: ["Read"] })).text).toContain(
      "f is not settled: the Edit tool is not offered.",
    );
  });

  test("what else was said comes after it", async () => {
    const both = await clash({ f: "one\n" }, 'append "mine" to f', { f: "one\ntheirs\n" });
    const { folder } = both.repository;
    const words = conflictText({ path: folder }, both.conflicts, [], "");
    const settled = await converse({
      cwd: folder,
      prompt: "",
      before: [
        ...both.worked.messages,
        {
          role: "user",
          content: [
            { type: "text", text: 'append "last" to f' },
            { type: "text", text: words },
            { type: "text", text: "<system-reminder>\nAnother agent is changing f.\n</system-reminder>" },
          ],
        },
      ],
      tools: EVERYTHING,
    });
    expect(text(both, "f")).toBe("one\ntheirs\nmine\nlast\n");
    expect(settled.text).toMatch(/Both sides were kept in f, lines 2-3\.[\s\S]*“last” was appended: f:4$/);
  });
});

describe("the runtime's message", () => {
  test("names, places and kinds as they are, whatever is in a name", () => {
    const conflicts: Conflict[] = [
      {
        path: "a b (old): lines.txt",
        kind: "content",
        lines: [
          { from: 3, to: 9 },
          { from: 12, to: 12 },
        ],
      },
      { path: "gone.ts", kind: "modify/delete", lines: [] },
      { path: "both.ts", kind: "add/add", lines: [{ from: 1, to: 5 }] },
      { path: "plain.ts", kind: "content", lines: [] },
    ];
    expect(handedBackIn(conflictText({ path: "/tree" }, conflicts, [], "Done.\n\nAll of it."))).toEqual({
      files: [
        {
          path: "/tree/a b (old): lines.txt",
          places: [
            { from: 3, to: 9 },
            { from: 12, to: 12 },
          ],
          kind: undefined,
        },
        { path: "/tree/gone.ts", places: [], kind: "modify/delete" },
        { path: "/tree/both.ts", places: [{ from: 1, to: 5 }], kind: "add/add" },
        { path: "/tree/plain.ts", places: [], kind: undefined },
      ],
      report: "Done.\n\nAll of it.",
    });
  });

  test("another text that quotes it is none", () => {
    const words = conflictText({ path: "/t" }, [{ path: "f", kind: "content", lines: [] }], [], "");
    expect(handedBackIn(`Where is this said: ${words}`)).toBeUndefined();
    expect(handedBackIn("Your edits do not fit to what the checkout has become.")).toBeUndefined();
  });
});
