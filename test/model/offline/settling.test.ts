import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conflictText } from "../../../src/features/isolation/conflict-text.ts";
import type { Conflict } from "../../../src/mailbox/worktree.ts";
import { conflictNoticeIn } from "../../../src/model/offline/resolve-conflict.ts";
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
      "“mine” was appended: README.md:2\n\nMy edits conflicted with changes in the checkout. Both sides were kept in README.md.\n\nWhether both sides make sense together is not checked.",
    );
    expect(existsSync(join(both.repository.folder, "owned"))).toBe(false);

    both.repository.write({ "README.md": "one\n<<<<<<< a\ntheirs\n=======\nmine\n>>>>>>> b\n" });
    const lines = [{ from: 2, to: 6 }];
    const conflicts = [{ path: "README.md", kind: "content", lines }];
    const again = await settling({ ...both, conflicts, worked: settled });
    expect(again.text.match(/Both sides were kept/g)).toHaveLength(2);
    expect(again.text.match(/is not checked/g)).toHaveLength(1);
  });

  test("a line that both replaced stays the checkout's, and that is said", { tags: ["long"] }, async () => {
    const gap = Array.from({ length: 9 }, (_, at) => `line ${at}\n`).join("");
    const was = `a\n${gap}a\n${gap}end\n`;
    const both = await clash(
      { "src/a.ts": was, "b.txt": "b\n" },
      'in src/a.ts replace all "a\\n" with "mine\\nmine too\\n" then append "B" to b.txt',
      { "src/a.ts": was.replaceAll("a\n", "theirs\n"), "b.txt": "b\nc\n" },
    );
    expect(both.conflicts.map(({ lines }) => lines.length)).toEqual([1, 2]);
    const settled = await settling(both);
    expect(text(both, "src/a.ts")).toBe(`theirs\n${gap}theirs\n${gap}end\n`);
    expect(text(both, "b.txt")).toBe("b\nc\nB\n");
    expect(settled.text).toContain(
      "Both sides were kept in b.txt. In src/a.ts the checkout's side was kept, and mine was not: both changed the same lines.",
    );
  });

  test.each([
    ["CRLF stays", "one\r\n", "one\r\ntheirs\r\n", "one\r\ntheirs\r\nmine\r\n", []],
    ["git's marks end the last line", "one", "one\ntheirs", "one\ntheirs\nmine\n", []],
    ["what the checkout removed stays removed", "one\ntwo\n", "", "mine\n", []],
    ["what the checkout replaced does not come back", "one\ntwo\n", "one\n2\n", "one\n2\nmine\n", []],
    [
      "git shows what both began from",
      "one\ntwo\n",
      "one\ntheirs\n",
      "one\ntheirs\nmine\n",
      ["-c", "merge.conflictStyle=diff3"],
    ],
  ] as const)("%s", { tags: ["long"] }, async (_, was, theirs, becomes, config) => {
    const both = await clash({ f: was }, 'append "mine" to f', { f: theirs }, config);
    expect(text(both, "f")).toContain("<<<<<<<");
    await settling(both);
    expect(text(both, "f")).toBe(becomes);
  });

  test("leaves a conflict that is not about lines as it is, and says so", async () => {
    const both = await clash({ f: "one\n", g: "g\n" }, 'append "mine" to f', { f: null });
    const settled = await settling(both);
    expect(text(both, "f")).toBe("one\nmine\n");
    expect(names(settled)).toEqual([]);
    expect(settled.text).toContain(
      "f (modify/delete) was left as it is: there are no two sides of lines to put together.",
    );
    expect(settled.text).not.toContain("make sense together");
  });

  test("what cannot be settled is named, and the rest is settled", async () => {
    const both = await clash({ a: "one\n", b: "one\n" }, 'append "mine" to a then append "mine" to b', {
      a: "one\ntheirs\n",
      b: "one\ntheirs\n",
    });
    both.repository.write({ a: "one\n" });
    const gone = { path: "gone", kind: "content", lines: [{ from: 1, to: 3 }] };
    const settled = await settling({ ...both, conflicts: [...both.conflicts, gone] });
    expect(text(both, "a")).toBe("one\n");
    expect(text(both, "b")).toBe("one\ntheirs\nmine\n");
    expect(settled.text).toContain("a is not resolved: there are no marks in it.");
    expect(settled.text).toMatch(/gone was left as it is: .*does not exist/);
    expect(settled.text).toContain("Both sides were kept in b.");
  });

  test("a refused Edit, and no Edit at all", async () => {
    const both = await clash({ f: "one\n" }, 'append "mine" to f', { f: "one\ntheirs\n" });
    const refuse = async () => ({ text: "The user said no.", isError: true });
    expect((await settling(both, { play: { Edit: refuse } })).text).toContain(
      "f is not resolved: The user said no.",
    );
    expect((await settling(both, { tools: ["Read"] })).text).toContain(
      "f is not resolved: the Edit tool is not offered here.",
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
    expect(settled.text).toMatch(/Both sides were kept in f\.[\s\S]*“last” was appended: f:4$/);
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
    expect(conflictNoticeIn(conflictText({ path: "/tree" }, conflicts, [], "Done.\n\nAll of it."))).toEqual({
      files: [
        { path: "/tree/a b (old): lines.txt", kind: "", hasMarks: true },
        { path: "/tree/gone.ts", kind: "modify/delete", hasMarks: false },
        { path: "/tree/both.ts", kind: "add/add", hasMarks: true },
        { path: "/tree/plain.ts", kind: "", hasMarks: false },
      ],
      report: "Done.\n\nAll of it.",
    });
  });

  test("ignores another text that quotes it", () => {
    const words = conflictText({ path: "/t" }, [{ path: "f", kind: "content", lines: [] }], [], "");
    expect(conflictNoticeIn(`Where is this said: ${words}`)).toBeUndefined();
    expect(conflictNoticeIn("Your edits conflict with changes of the checkout.")).toBeUndefined();
  });
});
