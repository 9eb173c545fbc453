// @module-tag long
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conflictText } from "../../../src/features/isolation/conflicts.ts";
import type { MessageParam } from "../../../src/mailbox/conversation.ts";
import type { Conflict } from "../../../src/mailbox/worktree.ts";
import { conflictNoticeIn } from "../../../src/model/offline/conversation.ts";
import { resolveConflict } from "../../../src/model/offline/resolve-conflict.ts";
import { offeredTools } from "../../../src/model/offline/tools.ts";
import { markedLines } from "../../../src/worktrees/merge/merge-tree.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import {
  AGENT,
  type Conversation,
  converse,
  EVERYTHING,
  request,
  type Setting,
  withTools,
} from "./conversing.ts";

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

/** A number below `end`; the same seed gives the same numbers. */
function randomFrom(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % end;
  };
}

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>, result: string];

function asMessages(calls: readonly Call[]): MessageParam[] {
  return calls.flatMap(([name, input, content], at): MessageParam[] => [
    { role: "assistant", content: [{ type: "tool_use", id: `${at}`, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `${at}`, content }] },
  ]);
}

const numbered = (content: string) =>
  content
    .split("\n")
    .slice(0, -1)
    .map((line, at) => `${at + 1}\t${line}`)
    .join("\n");

/** Random edits of an agent: it inserts, replaces and deletes lines, or writes the file anew. */
function edited(base: string, random: (end: number) => number): { own: string; calls: Call[] } {
  let own = base;
  const calls: Call[] = random(8) === 0 ? [] : [["Read", { file_path: "/f" }, numbered(base)]];
  for (let left = 1 + random(2); left > 0; left--) {
    const lines = own.split("\n").slice(0, -1);
    const at = random(lines.length + 1);
    const old = lines.slice(at, at + 1 + random(2)).join("\n");
    const line = () => "abcdefghijklmnop".charAt(random(16));
    const text = [`${old}\n${line()}`, `${line()}\n${old}`, line(), `${line()}\n${line()}`][random(4)] ?? "";
    if (old === "" || random(6) === 0) {
      own = lines
        .toSpliced(at, random(2), line())
        .map((one) => `${one}\n`)
        .join("");
      calls.push(["Write", { file_path: "/f", content: own }, "Written."]);
    } else {
      own = own.replace(old, () => text);
      calls.push(["Edit", { file_path: "/f", old_string: old, new_string: text }, "Edited."]);
    }
  }
  return { own, calls };
}

/** Directories, each named by its seed and the style of the marks. */
const CASES = Array.from({ length: 150 }, (_, at) => `${at + 1}_${at % 4 === 0 ? "--diff3" : ""}`);
/** Merges the files of each directory, as git does it for the checkout. */
const MERGE_ALL =
  'for d in *; do IFS=_; set -- $d; git merge-file -p $2 "$d/theirs" "$d/base" "$d/own" > "$d/file"; done; true';

test("a resolution never restores a line that the checkout replaced, whatever both did", {
  tags: ["long"],
}, () => {
  const dir = temporaryFolder();
  const cases = CASES.map((name) => {
    const random = randomFrom(Number.parseInt(name, 10));
    const some = (most: number) => Array.from({ length: random(most) }, () => "abcdefgh".charAt(random(8)));
    const whole = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
    const lines = some(7);
    const theirs = whole(lines.toSpliced(random(lines.length + 1), random(3), ...some(3)));
    const files = { base: whole(lines), theirs, ...edited(whole(lines), random) };
    mkdirSync(join(dir, name));
    for (const file of ["base", "theirs", "own"] as const) writeFileSync(join(dir, name, file), files[file]);
    return { name, ...files };
  });
  execFileSync("sh", ["-c", MERGE_ALL], { cwd: dir });
  let merged = 0;
  for (const one of cases) {
    let file = readFileSync(join(dir, one.name, "file"), "utf8");
    if (!file.includes("<<<<<<<")) continue;
    const kept = file
      .replace(/^<{7}.*\n((?:.\n)*)(?:\|{7}.*\n(?:.\n)*)?={7}\n(?:.\n)*>{7}.*\n/gm, "$1")
      .split("\n");
    const notice = { files: [{ path: "/f", kind: "", hasMarks: true }], report: "" };
    const tools = offeredTools(request({ tools: ["Read", "Edit"] }), false);
    const plan = resolveConflict(notice, asMessages(one.calls), tools);
    let step = plan.next();
    while (!step.done) {
      const [call] = step.value;
      const { old_string: old, new_string: now } = { ...call?.input };
      if (call?.tool === "Edit") file = file.replaceAll(String(old), () => String(now));
      const text = call?.tool === "Edit" ? "Edited." : numbered(file);
      step = plan.next([{ ok: true, text }]);
    }
    const extra = file.split("\n").filter((line) => {
      if (line !== kept[0]) return true;
      kept.shift();
      return false;
    });
    const what = JSON.stringify({ ...one, file });
    expect(kept, what).toEqual([]);
    expect(
      extra.filter((line) => one.base.split("\n").includes(line)),
      what,
    ).toEqual([]);
    expect(extra.length > 0, what).toBe(step.value.ok);
    if (step.value.ok) merged += 1;
  }
  expect(merged).toBeGreaterThan(3);
});
