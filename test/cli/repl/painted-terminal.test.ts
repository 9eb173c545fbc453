import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPaintedTerminal } from "../../../src/cli/repl/painted-terminal.ts";
import type { Terminal } from "../../../src/cli/repl/terminal.ts";
import type { CallEndEvent } from "../../../src/events/call.ts";
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import { readKeymap } from "../../../src/terminal/input/keymap.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { settled } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { screenOf, terminalScreen } from "../../support/terminal-screen.ts";
import { FakeIO } from "../fake-io.ts";
import { summary } from "../fake-session.ts";
import { noAgents } from "./fake-terminal.ts";

/** A terminal whose keys a test types, and what the conversation hears of them. */
function painted({ edit = async (text: string) => text, agents = noAgents, rows = 24 } = {}) {
  const stdin = new PassThrough();
  const io = new FakeIO({ stdin, stdoutIsTTY: true, stdinIsTTY: true, rows });
  const heard: string[] = [];
  const paged: string[] = [];
  const terminal = createPaintedTerminal(io, {
    ...{ history: ["from yesterday"], editOutside: edit },
    pageOutside: async (text) => void paged.push(text),
    completer: { commands: () => [], files: async () => [] },
    images: {
      dropped: (pasted) => (pasted === "/a.png" ? "[image 123abc]" : null),
      fromClipboard: async () => "[image 456def]",
      of: () => [],
    },
    keymap: readKeymap('{"bindings":[{"context":"Chat","bindings":{"ctrl+x":"chat:stash","ctrl+n":null}}]}')
      .keymap,
    onLine: (text) => heard.push(text),
    onInterrupt: () => heard.push("(interrupt)"),
    onEscape: () => heard.push("(escape)") < 1,
    onNextMode: () => heard.push("(mode)"),
    agents,
    onEnd: (how) => heard.push(`(${how})`),
    suspend: async () => void heard.push("(suspended)"),
  });
  onTestFinished(() => terminal.close());
  const type = async (keys: string) => {
    stdin.write(keys);
    await settled();
  };
  return { io, terminal, heard, paged, type };
}

test.each([
  ["one\r", ["one"]],
  // Typed before the keys were taken.
  ["one\ntwo\n", ["one", "two"]],
  ["   \r", []],
  ["\u0003", ["(interrupt)"]],
  ["half\u0003\r", []],
  ["\u0004", ["(left)"]],
  ["x\u0004\r", ["x"]],
  ["\u001b[Z", ["(mode)"]],
  ["\u001b[27u", ["(escape)"]],
  ["\u001b[27u\u001b[27u\u001b[27u", ["(escape)", "(escape)", "/rewind", "(escape)"]],
  ["x\u001b[27u\u001b[27u", ["(escape)", "(escape)"]],
  ["away\u0013now\r\u0013\r", ["now", "away"]],
  ["away\u0018now\u000e\r\u0018\r", ["now", "away"]],
  ["see \u001b[200~/a.png\u001b[201~\r", ["see [image 123abc]"]],
  ["see \u001b[200~/b.png\u001b[201~\r", ["see /b.png"]],
  ["\u001a", ["(suspended)"]],
  ["\u0012yester\r\r", ["from yesterday"]],
] as const)("%j means %j", async (keys, expected) => {
  const { heard, type } = painted();
  await type(keys);
  expect(heard).toEqual(expected);
});

const modes = (text: string) => text.match(/\p{Cc}\[(?:[<>?=][\d;]*u|>4;\d+m|c)/gu) ?? [];

test.each([
  ["knows kitty's protocol", "\u001b[?0u\u001b[?62;4c", ["\u001b[>5u"], ["\u001b[<u"]],
  ["only has attributes", "\u001b[?1;2c", ["\u001b[>4;2m"], ["\u001b[>4;0m"]],
  ["does not answer", "", [], []],
])(
  "a terminal that %s has all its modes back whenever another program has it",
  async (_, answer, on, off) => {
    const inEditor: string[] = [];
    const { io, terminal, heard, type } = painted({
      edit: async (text) => {
        inEditor.push(...modes(io.out.text));
        return text;
      },
    });
    const asked = ["\u001b[?u", "\u001b[c"];
    expect(modes(io.out.text)).toEqual(asked);
    await type(`ab${answer}c\u001b[13;2ud\u001b[13;1:3u`);
    expect(modes(io.out.text)).toEqual([...asked, ...on]);
    await type("\u0007");
    expect(inEditor).toEqual([...asked, ...on, ...off]);
    await type("\u001b[13u\u001b[122;5u");
    expect(heard).toEqual(["abc\nd", "(suspended)"]);
    terminal.close();
    const taken = [...on, ...off];
    expect(modes(io.out.text)).toEqual([...asked, ...taken, ...taken, ...taken]);
  },
);

const VIM = "\u001b[27u";

test.each([
  ["usual keys\r", ["usual keys"]],
  [`one two${VIM}bdwa2\r`, ["one 2"]],
  [`${VIM}${VIM}`, ["(escape)"]],
  [`x${VIM}d${VIM}${VIM}`, ["(escape)"]],
  [`x${VIM}u\u0012\r`, ["x"]],
  [`${VIM}k\r`, ["from yesterday"]],
  [`${VIM}/yester\r\r`, ["from yesterday"]],
  [`${VIM}\u001b[Z\u0003`, ["(mode)", "(interrupt)"]],
  [`away${VIM}\u0013inow\r\u0013\r`, ["now", "away"]],
])("with vim's keys %j means %j", async (keys, expected) => {
  const { terminal, heard, type } = painted();
  terminal.workIn("/w", { editorMode: "vim" });
  await type(keys);
  expect(heard).toEqual(expected);
  terminal.workIn("/w", {});
  await type("\u0005\u0015plain dw\r");
  expect(heard.at(-1)).toBe("plain dw");
});

test("the user's own editor gets the prompt, and its failure is shown and changes nothing", async () => {
  const outside = [async (text: string) => `${text} and more`, () => Promise.reject(new Error("no editor"))];
  const { io, heard, type } = painted({ edit: (text) => (outside.shift() ?? (async () => ""))(text) });
  await type("some\u0007");
  await type("\u0007");
  await type("\r");
  expect(heard).toEqual(["some and more"]);
  await io.clock.advance(1_000);
  expect(io.out.text).toContain("no editor");
});

test("Ctrl-B in an empty prompt moves what runs to the background, Ctrl-T shows the todos (issue 21, 6)", async () => {
  let running = 2;
  const { io, type } = painted({
    agents: {
      ...noAgents,
      toBackground: () => running,
      todos: () => [{ content: "Test it", status: "in_progress", activeForm: "Testing it" }],
    },
  });
  await type("\u0002");
  await io.clock.advance(1_000);
  expect(io.out.text).toContain("Moved to the background: 2 commands and agents.");
  running = 0;
  await type("x\u0002\u007f\u0005\u007f\u0002");
  await io.clock.advance(1_000);
  expect(io.out.text.match(/Nothing runs in the foreground/g)).toHaveLength(1);
  await type("\u0014");
  expect(io.out.text).toContain("● Testing it");
});

test.each([24, 10, 6])(
  "the todos leave room for the prompt and what happens on a terminal of %d rows, and have the current step",
  async (rows) => {
    const todos = Array.from({ length: 20 }, (_, n) => {
      const status = n < 17 ? "completed" : n === 17 ? "in_progress" : "pending";
      return { content: `Step ${n}`, status, activeForm: `Doing ${n}` } as const;
    });
    const { io, terminal, type } = painted({ rows, agents: { ...noAgents, todos: () => todos } });
    terminal.showBelow(() => ["the status"]);
    terminal.working();
    terminal.onEvent({ type: "thinking", actor: MAIN, turn: 1, text: "Hm." });
    await type("\u0014");
    await io.clock.advance(1_000);
    const shown = await screenOf(io.out.text, 80, rows);
    expect(shown.slice(-rows).join("\n")).toMatch(/∴ Hm\.\n[\s\S]*Todos: 17 of 20[\s\S]*● Doing 17\n/);
    expect(shown.slice(-2)).toEqual(["›", "the status"]);
  },
);

test("lines that are given back come before what is typed", async () => {
  const { terminal, heard, type } = painted();
  await type("three");
  terminal.giveBack(["one", "two\n2"]);
  await type("\r");
  expect(heard).toEqual(["one\ntwo\n2\nthree"]);
});

test("a question rings if no key was pressed for a while, and not while the user types", async () => {
  const { io, terminal, type } = painted();
  const bells = () => io.out.text.split("\u0007").length - 1;
  const asked = () => terminal.dialog(async () => {});
  await type("a");
  await asked();
  expect(bells()).toBe(0);
  await io.clock.advance(11_000);
  await asked();
  expect(bells()).toBe(1);
});

test("the newest line of what it thinks is shown until it answers", async () => {
  const { io, terminal } = painted();
  const shown = async () => {
    await io.clock.advance(100);
    return (await screenOf(io.out.text)).join("\n");
  };
  terminal.working();
  const of = { actor: MAIN, turn: 1 };
  terminal.onEvent({ type: "thinking", ...of, text: "First this.\nThen\u001b[2J that" });
  expect(await shown()).toContain("∴ Then that");
  terminal.onEvent({ type: "text", ...of, text: "Yes." });
  expect(await shown()).not.toContain("∴");
});

test("what it thinks for the user is part of the conversation, apart from calls and from its answer", async () => {
  const { io, terminal } = painted();
  terminal.working();
  const of = { actor: MAIN, turn: 1 };
  const tell = (text: string) => terminal.onEvent({ type: "thinking", ...of, text, forUser: true });
  for (const text of ["The token is ", "never refreshed.", "\n\n"]) tell(text);
  terminal.onEvent({ type: "text", ...of, text: "I edit it." });
  const call = { actor: MAIN, call: callId(MAIN, 1, 0), toolUse: "t", tool: "Bash" };
  const none = { outcome: "ok", head: "", lines: 0, characters: 0, durationMs: 1 } as const;
  terminal.onEvent({ type: "call-begin", ...call, turn: 1, input: { command: "make" }, title: "make" });
  terminal.onEvent({ type: "call-end", ...call, ...none, exitCode: 0 });
  terminal.onEvent({ type: "thinking", actor: MAIN, turn: 2, text: "It builds.", forUser: true });
  await io.clock.advance(1_000);
  const shown = (await screenOf(io.out.text)).map((row) => row.trimEnd()).join("\n");
  expect(shown).toContain("The token is never refreshed.\n\nI edit it.\n\n✓ $ make");
  expect(shown).toMatch(/✓ \$ make.*\n(?: .*\n)*\nIt builds\./);
  expect(shown).not.toContain("∴");
});

test("Ctrl-O opens all that the last call printed or changed, without its control characters (issue 21, 3)", async () => {
  const { io, terminal, paged, type } = painted();
  await type("\u000f");
  await io.clock.advance(1_000);
  expect(io.out.text).toContain("No call has ended yet, and no thoughts have come.");
  const outputs = temporaryFolder();
  const call = (index: number, tool: string, command: string, end: Partial<CallEndEvent>, result = "") => {
    const of = { actor: MAIN, call: callId(MAIN, 1, index), toolUse: `t${index}`, tool };
    const none = { outcome: "ok", head: "", lines: 0, characters: 0, durationMs: 1 } as const;
    terminal.onEvent({ type: "call-begin", ...of, turn: 1, input: { command }, title: command });
    terminal.onEvent({ type: "call-end", ...of, ...none, ...end });
    const content = [{ type: "tool_result" as const, tool_use_id: `t${index}`, content: result }];
    terminal.onEvent({ type: "message", actor: MAIN, turn: 1, role: "user", content });
  };
  call(0, "Bash", "make", { head: "one" }, "one\n\u001b[2Jtwo");
  await type("\u000f");
  writeFileSync(join(outputs, "long"), "line\n".repeat(5_000));
  call(1, "Bash", "npm test", { outputPath: join(outputs, "long") }, "cut");
  await type("\u000f");
  const hunks = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 100, lines: Array(100).fill("+new") }];
  const sums = { isNew: true, added: 100, removed: 0, omitted: 0, isBinary: false };
  call(2, "Write", "a.ts", { diff: { path: "/p/a.ts", ...sums, hunks } });
  await type("\u000f");
  for (const text of ["Is it\u001b[2J ", "new?\n"])
    terminal.onEvent({ type: "thinking", actor: MAIN, turn: 1, text });
  await type("\u000f");
  terminal.onEvent({ type: "thinking", actor: MAIN, turn: 2, text: "Next." });
  await type("\u000f");
  expect(paged[3]?.split("\n").slice(0, 5)).toEqual(["Thinking", "", "Is it new?", "", "Write a.ts  +100"]);
  expect(paged[4]).toBe("Thinking\n\nNext.\n");
  expect(paged[0]).toBe("$ make\n\none\ntwo\n");
  expect(paged[1]?.split("\n")).toHaveLength(5_003);
  expect(paged[2]?.split("\n").slice(0, 3)).toEqual(["Write a.ts  +100", "", "    1 + new"]);
  expect(paged[2]?.split("\n")).toHaveLength(103);
});

const ALL = { type: "text", actor: MAIN } as const;
const DOWN = "\u001b[B";
const ESCAPE = "\u001b[27u";

describe("a reply that is being written", () => {
  const ended = agentView({ id: actor(7), parent: MAIN, state: "ended", summary: summary("done", "") });
  const TABLE = "Before.\n\n| one | two |\n|--|--|\n| a | b |\n";
  const CODE = "Before.\n\n```\nfirst\n\n";

  test.each<[what: string, start: string, rest: string, tell: (terminal: Terminal) => void, shown: RegExp]>([
    [
      "shows the end of an agent before the open block",
      TABLE,
      "| c | d |\n\nAfter.\n\n",
      ({ onEvent }) => onEvent({ type: "agent", view: ended }),
      /Before\.\n\n✓ .*\n\n[^|\n]*one[\s\S]*\n[^|\n]*c .*d[\s\S]*\n\nAfter\./,
    ],
    [
      "shows how a background command ended before the open block",
      TABLE,
      "| c | d |\n\nAfter.\n\n",
      ({ onEvent }) => {
        const task = { type: "command", actor: MAIN, task: "b1", outputPath: "/o", title: "make" } as const;
        onEvent({ ...task, state: "running" });
        onEvent({ ...task, state: "failed", ending: "It ended with exit code 3." });
      },
      /Before\.\n\n✗ make {2}It ended with exit code 3\.\n\n[^|\n]*one[\s\S]*\n[^|\n]*c .*d[\s\S]*\n\nAfter\./,
    ],
    [
      "shows the output of a command before the open block",
      TABLE,
      "| c | d |\n\nAfter.\n\n",
      ({ gap, print }) => {
        gap();
        print("› /cost");
        gap();
        print("nothing yet");
        gap();
      },
      /Before\.\n\n› \/cost\n\nnothing yet\n\n[^|\n]*one[\s\S]*\n[^|\n]*c .*d[\s\S]*\n\nAfter\./,
    ],
    [
      "shows a warning before the rest of a code block",
      CODE,
      "\nlast\n```\nAfter.",
      ({ onEvent }) => onEvent({ type: "warning", message: "Take care." }),
      /Before\.\n\n *first\n\nTake care\.\n\n+ *last\nAfter\./,
    ],
    [
      "ends the open block if the reply is written again",
      "Before.\n\n**half",
      "Again.",
      ({ onEvent }) => onEvent({ type: "waiting", actor: MAIN, reason: "cut off", attempt: 2, ms: 1 }),
      /Before\.\n\n(?:\*\*)?half\n\nAgain\./,
    ],
  ])("%s", async (_, start, rest, tell, shown) => {
    const { io, terminal } = painted();
    terminal.working();
    await terminal.ready("");
    const say = (text: string) => terminal.onEvent({ type: "text", actor: MAIN, turn: 1, text });
    say(start);
    await io.clock.advance(1_000);
    tell(terminal);
    await io.clock.advance(1_000);
    say(rest);
    terminal.rest();
    await io.clock.advance(1_000);
    expect((await screenOf(io.out.text)).join("\n")).toMatch(shown);
  });
});

describe("a question", () => {
  const answers = ["a", "b", "c"].map((key) => ({ key, words: `the ${key}` }));

  /** Asks with these answers, types these keys, and returns what came of it. */
  async function asked(keys: readonly string[], several = false) {
    const { io, terminal, type } = painted();
    const never = new AbortController().signal;
    const choices = { answers, several, escape: "c" };
    const line = terminal.dialog(({ question }) => question("answer › ", never, choices));
    await io.clock.advance(1_000);
    for (const key of keys) await type(key);
    await io.clock.advance(1_000);
    return { line: await line, io };
  }

  test.each<[keys: readonly string[], line: string]>([
    [["b", "\r"], "b"],
    [["n o\r"], "n o"],
    [["\r"], ""],
    [[DOWN, "\r"], "a"],
    [[DOWN, DOWN, DOWN, DOWN, "\r"], "a"],
    [["\u001b[A", "\r"], "c"],
    [[DOWN, ESCAPE, "x\r"], "x"],
    [[DOWN, "x\r"], "x"],
    [["x", ESCAPE, "y\r"], "y"],
    [[ESCAPE], "c"],
  ])("is answered by keys, arrows and Enter, or Escape: %j is %j", async (keys, line) => {
    expect((await asked(keys)).line).toBe(line);
  });

  test.each<[keys: readonly string[], line: string]>([
    [[DOWN, "\r"], "a"],
    [[DOWN, " ", DOWN, DOWN, " ", "\r"], "a,c"],
    [[DOWN, " ", " ", DOWN, " ", "\r"], "b"],
    [["1,2\r"], "1,2"],
  ])("takes several answers if they are marked: %j is %j", async (keys, line) => {
    expect((await asked(keys, true)).line).toBe(line);
  });

  test("is not answered by what was typed before it was shown: that stays in the prompt, line by line", async () => {
    const { io, terminal, heard, type } = painted();
    const never = new AbortController().signal;
    const line = terminal.dialog(({ question }) => question("answer › ", never, { answers }));
    await type("b\rone\n\r");
    await io.clock.advance(1_000);
    await type("c\r");
    expect(await line).toBe("c");
    expect(heard).toEqual([]);
    await type("two\r");
    expect(heard).toEqual(["b\none\ntwo"]);
  });

  test("waits until the one before it is answered", async () => {
    const { io, terminal, type } = painted();
    const never = new AbortController().signal;
    const lines = ["first", "second"].map((name) =>
      terminal.dialog(({ print, question }) => {
        print(name);
        return question("answer › ", never);
      }),
    );
    await io.clock.advance(1_000);
    expect(io.out.text).toContain("first");
    expect(io.out.text).not.toContain("second");
    await type("1\r");
    await io.clock.advance(1_000);
    await type("2\r");
    expect(await Promise.all(lines)).toEqual(["1", "2"]);
  });

  test("leaves in the transcript what was chosen", async () => {
    const { io } = await asked([DOWN, "\r"]);
    expect(io.out.text).toContain("answer › a  the a");
  });

  test("does not tear a reply that is being written: its open block follows it whole", async () => {
    const { io, terminal, type } = painted();
    terminal.working();
    await terminal.ready("```");
    terminal.onEvent({ ...ALL, turn: 1, text: "Before.\n\n| one | two |\n|--|--|\n| a | b |\n" });
    const answer = terminal.dialog(async ({ print, question }) => {
      print("Allow this?");
      return question("answer › ", new AbortController().signal, { answers });
    }, true);
    await io.clock.advance(1_000);
    terminal.onEvent({ ...ALL, turn: 1, text: "| c | d |\n\nAfter.\n\n" });
    await type("a\r");
    await io.clock.advance(1_000);
    expect(await answer).toBe("a");
    terminal.rest();
    await io.clock.advance(1_000);
    const screen = terminalScreen(80, 24);
    const written = Promise.withResolvers<void>();
    screen.write(io.out.text, written.resolve);
    await written.promise;
    expect(screen.lines().join("\n")).toMatch(
      /Before\.\n\nAllow this\?\n[\s\S]*the a\n[^|]*one[\s\S]*\n[\s\S]*c[\s\S]*d[\s\S]*\nAfter\./,
    );
    expect(screen.lines().join("\n")).not.toContain("|--|");
  });
});
