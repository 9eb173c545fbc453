import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createKeyProtocol } from "../../../src/terminal/canvas/modes.ts";
import { plain } from "../../../src/terminal/colour.ts";
import { displayWidth } from "../../../src/terminal/display-width.ts";
import { createEditor, type EditorOptions } from "../../../src/terminal/input/editor.ts";
import { createHistorySearch } from "../../../src/terminal/input/history-search.ts";
import { createKeyReader, isKey, type Key, usualKey } from "../../../src/terminal/input/keys.ts";

const ESC = "\u001b";
const UP = `${ESC}[A`;
const paste = (text: string) => `${ESC}[200~${text}${ESC}[201~`;

/** Reads pieces of bytes, as they come from a terminal, and resolves when nothing is waited for. */
async function keysOf(...pieces: readonly (Buffer | string)[]): Promise<Key[]> {
  const keys: Key[] = [];
  const ended = Promise.withResolvers<void>();
  const reader = createKeyReader(
    (key) => (isKey(key, "f12") ? ended.resolve() : void keys.push(key)),
    createKeyProtocol({ write: async () => {} }).takeAnswer,
  );
  for (const piece of pieces) reader.take(piece);
  reader.take(`${ESC}[24~`);
  await ended.promise;
  reader.close();
  return keys;
}

const joined = (keys: readonly Key[], type: Key["type"]) =>
  keys.flatMap((each) => (each.type === type ? [each.text] : [])).join("");

describe("keys", () => {
  test("are distinguished from pasted text, wherever the bytes are cut", async () => {
    const bytes = Buffer.from(`é${UP}${paste(`two\r\nlines${ESC}[31m!\tend\n`)}日x`);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const keys = await keysOf(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(joined(keys, "paste")).toBe("two\nlines[31m!\tend");
      expect(joined(keys, "key")).toBe(`é${UP}日x`);
    }
  });

  test("of several pastes, and what is typed between them, stay in order in pieces of any size", async () => {
    const bytes = Buffer.from(
      `a${paste("one\r\n1")}${paste(`${ESC}[20`)}b${paste("日 3")}${UP}${paste("")}c`,
    );
    for (let size = 1; size <= 20; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect((await keysOf(...pieces)).map(({ type, text }) => [type, text])).toEqual([
        ["key", "a"],
        ["paste", "one\n1"],
        ["paste", "[20"],
        ["key", "b"],
        ["paste", "日 3"],
        ["key", UP],
        ["paste", ""],
        ["key", "c"],
      ]);
    }
  });

  test.each([
    ["of kitty", `a${ESC}[98;1:3u${ESC}[99;1:2u${ESC}[57400u${ESC}[57400;1:3u`, ["a", "c", "1"]],
    ["with NumLock and CapsLock", `${ESC}[57401;129u${ESC}[57402;193u`, ["2", "3"]],
    ["of a Cyrillic layout with NumLock", `${ESC}[1089::99;133u`, ["ctrl+c"]],
    ["with locks", `${ESC}[1;129A${ESC}[1;129:3A${ESC}[3;65~${ESC}[27;129u`, ["up", "delete", "escape"]],
    ["of modifyOtherKeys", `${ESC}[27;2;65~${ESC}[27;2;33~${ESC}[27;5;99~`, ["A", "!", "ctrl+c"]],
    [
      "that one byte meant before",
      `${ESC}[105;5u\t${ESC}[13;2u${ESC}[27;2;13~\r`,
      ["ctrl+i", "tab", "shift+enter", "shift+enter", "enter"],
    ],
    ["of two units", "👍x", ["👍", "x"]],
    ["between answers of the terminal", `x${ESC}[?5u${ESC}[?62;4cy`, ["x", "y"]],
  ] as const)("%s are read once, not when they are released", async (_, bytes, names) => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const keys = await keysOf(bytes.slice(0, cut), bytes.slice(cut));
      expect(keys.map((key, at) => key.text === names[at] || isKey(key, names[at] as "tab"))).toEqual(
        names.map(() => true),
      );
    }
  });

  test.each([
    [`${ESC}[13;3u`, "alt+enter"],
    [`${ESC}[13;5u`, "enter"],
    [`${ESC}[91;5u`, "escape"],
    [`${ESC}[104;5u`, "backspace"],
    [`${ESC}[47;5u`, "ctrl+-"],
    [`${ESC}[45:95;6u`, "ctrl+-"],
    [`${ESC}[27;6;95~`, "ctrl+-"],
    [`${ESC}[105;5u`, "ctrl+i"],
    ["\b", "backspace"],
    ["a", "a"],
  ] as const)("%j is used as %s", async (bytes, name) => {
    const [key] = await keysOf(bytes);
    expect(key && isKey(usualKey(key), name)).toBe(true);
  });

  test("two Escapes that come together are two keys, before a sequence too", async () => {
    const keys = await keysOf(`${ESC}${ESC}`, "a", `${ESC}${UP}`);
    expect(keys.map(({ text }) => text)).toEqual([ESC, ESC, "a", ESC, UP]);
  });

  test("a lone Escape is a key a moment later, and is not part of what is typed after it", async () => {
    const keys: Key[] = [];
    const escaped = Promise.withResolvers<void>();
    const reader = createKeyReader((key) => {
      keys.push(key);
      escaped.resolve();
    });
    onTestFinished(() => reader.close());
    reader.take(ESC);
    expect(keys).toEqual([]);
    await escaped.promise;
    reader.take("no");
    expect(keys.map(({ text }) => text)).toEqual([ESC, "n", "o"]);
  });
});

/** An editor that is typed into, and what it sends. */
function editing(options: Partial<EditorOptions> = {}) {
  const sent: { text: string; shown: string }[] = [];
  let changes = 0;
  const editor = createEditor({
    history: ["older\nof two lines", "oldest"],
    paint: plain,
    onLine: (text, shown) => sent.push({ text, shown }),
    onChange: () => {
      changes += 1;
    },
    ...options,
  });
  const reader = createKeyReader((key) => editor.type(key));
  onTestFinished(() => {
    reader.close();
    editor.close();
  });
  const rows = (columns = 30, most = 10) => editor.rows("› ", { columns, most });
  return { editor, sent, type: (text: string) => reader.take(text), rows, changes: () => changes };
}

describe("a prompt that is typed", () => {
  test.each([
    ["one\\\rtwo\r", "one\ntwo"],
    ["one\ntwo\r", "one\ntwo"],
    [`one${ESC}\rtwo\r`, "one\ntwo"],
    ["abc\u0001\u0004\r", "bc"],
    ["日本👍🏽x\u007f\u007f\r", "日本"],
    ["one two\u0017\u001f\r", "one two"],
    [`${paste("a\tb  c")}\r`, "a\tb  c"],
  ])("%j is sent as %j", (typed, text) => {
    const { sent, type } = editing();
    type(typed);
    expect(sent.map((one) => one.text)).toEqual([text]);
  });

  test("a paste of 10,000 lines is one mark that is sent whole, its tabs and its indentation too", () => {
    const { editor, sent, type, rows } = editing();
    const text = `\tfirst\n${"  more\n".repeat(10_000)}last`;
    type(`look: ${paste(text)}`);
    expect(rows(60).rows).toEqual(["› look: [paste #1 +10002 lines]"]);
    expect(editor.text).toBe(`look: ${text}`);
    type("\r");
    expect(sent).toEqual([{ text: `look: ${text}`, shown: "look: [paste #1 +10002 lines]" }]);
  });

  test("a long line is one mark, sent as it was pasted even if it begins like a path, and undone with one key", () => {
    const { editor, sent, type, rows } = editing();
    const text = `/${"x".repeat(2000)}`;
    type(`look${paste(text)}${paste(text)}\u001f`);
    expect(rows(60).rows).toEqual(["› look[paste #1 2001 chars]"]);
    expect(editor.text).toBe(`look${text}`);
    type("\r");
    expect(sent).toEqual([{ text: `look${text}`, shown: "look[paste #1 2001 chars]" }]);
  });

  test("indentation at the beginning is sent", () => {
    const { sent, type } = editing();
    type(`${paste("  a:\n    b")}\r`);
    expect(sent[0]?.text).toBe("  a:\n    b");
  });

  test("a line that looks like a border is text", () => {
    const { type, rows } = editing();
    type("a\n────\nb");
    expect(rows().rows).toEqual(["› a", "  ────", "  b"]);
  });

  test("what was sent is the newest of the history", () => {
    const { editor, type } = editing();
    type(`one\\\rtwo\r${UP}`);
    expect(editor.text).toBe("one\ntwo");
    type(UP);
    expect(editor.text).toBe("older\nof two lines");
    type(`${UP} X`);
    expect(editor.text).toBe("oldest X");
  });

  test("is shown with the cursor where the next character will stand, whatever it holds", () => {
    const piece = fc.constantFrom("a", "b", " ", "日", "👍", "\n", paste("\t"), "\u202e");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 6, max: 20 }), (pieces, columns) => {
        const { type, rows } = editing();
        type(pieces.join(""));
        const shown = rows(columns, 1_000);
        expect(shown.rows.every((row) => displayWidth(row) <= columns)).toBe(true);
        expect(shown.cursor.row).toBe(shown.rows.length - 1);
        expect(shown.cursor.column).toBeGreaterThanOrEqual(
          Math.max(2, displayWidth(shown.rows.at(-1)?.trimEnd() ?? "")),
        );
        expect(shown.cursor.column).toBeLessThanOrEqual(columns);
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  test("is in the row after a question that would take most of the columns", () => {
    const { editor, type } = editing();
    type("no, wait");
    const { rows, cursor } = editor.rows("to general-purpose · part 2 › ", { columns: 19, most: 5 });
    expect(rows).toEqual(["to general-purpose", "· part 2", "› no, wait"]);
    expect(cursor).toEqual({ row: 2, column: 10 });
  });

  test("shows the rows around the cursor if there is no room for all", () => {
    const { type, rows } = editing();
    type(Array.from({ length: 20 }, (_, index) => `${index}`).join("\n"));
    expect(rows(20, 3)).toEqual({ rows: ["  17", "  18", "  19"], cursor: { row: 2, column: 4 } });
  });
});

describe("the menus", () => {
  const completer = {
    commands: () => [
      { value: "/clear", description: "start over" },
      { value: "/compact", description: "shorter" },
      { value: "/mcp" },
    ],
    arguments: (command: string) => (command === "/mcp" ? [{ value: "sonnet" }, { value: "haiku" }] : []),
    files: async () => ["src/parse.ts", "src/a file.ts", "docs/parse.md"],
  };

  test.each([
    ["/co", ["→ /compact shorter"], "/compact"],
    ["/lear", ["→ /clear start over"], "/clear"],
    ["/cmpct", ["→ /compact shorter"], "/compact"],
  ])("%s offers %j, and Enter sends it", async (typed, offered, sent) => {
    const ground = editing({ completer });
    ground.type(typed);
    await expect.poll(() => ground.editor.isMenuOpen).toBe(true);
    expect(
      ground
        .rows(60)
        .rows.slice(1)
        .map((row) => row.trim().replace(/\s+/g, " ")),
    ).toEqual(offered);
    ground.type("\r");
    expect(ground.sent.map(({ text }) => text.trim())).toEqual([sent]);
  });

  test.each([
    ["/mcp ha", "/mcp haiku "],
    ["see @parse", "see @src/parse.ts "],
    ["see @afile", 'see @"src/a file.ts" '],
  ])("%s: Tab puts the best one in", async (typed, text) => {
    const { editor, type, rows } = editing({ completer });
    type(typed);
    await expect.poll(() => editor.isMenuOpen).toBe(true);
    expect(rows().rows.length).toBeGreaterThan(1);
    type("\t");
    expect([editor.text, editor.isMenuOpen]).toEqual([text, false]);
  });

  test("Tab completes the only command that begins like this, before a menu is open", () => {
    const { editor, type } = editing({ completer });
    type("/m\t");
    expect(editor.text).toBe("/mcp ");
    type("\u0015/c\t");
    expect(editor.text).toBe("/c");
  });

  test.each(["me@example.org", "a / b", "@nothing-like-it"])("%s opens none", async (typed) => {
    const asked: string[] = [];
    const { editor, type } = editing({
      completer: {
        ...completer,
        files: async () => {
          asked.push(typed);
          return [];
        },
      },
    });
    type(typed);
    await new Promise((resolve) => setImmediate(resolve));
    expect(editor.isMenuOpen).toBe(false);
  });

  test("a list of files that fails opens none, and typing goes on", async () => {
    const { editor, type, changes } = editing({
      completer: { ...completer, files: () => Promise.reject(new Error("no ripgrep")) },
    });
    type("@a");
    await expect.poll(changes).toBeGreaterThan(0);
    expect(editor.isMenuOpen).toBe(false);
    type("b");
    expect(editor.text).toBe("@ab");
  });
});

describe("the search in the history", () => {
  const history = ["fix the parser", "run the tests", "Fix the lexer\nand more"];
  const searching = () => {
    const found: string[] = [];
    const search = createHistorySearch(history, { set: (text) => void found.push(text) });
    const reader = createKeyReader((key) => search.take(key));
    onTestFinished(() => reader.close());
    const row = () => search.rows("", { columns: 40, most: 3 }).rows[0];
    return { search, found, row, type: (text: string) => reader.take(text) };
  };

  test("finds the newest that has the words, then older ones; Enter takes it", () => {
    const { search, found, row, type } = searching();
    type("fix");
    expect(row()).toBe("history, with fix: fix the parser");
    type("\u0012");
    expect(row()).toBe("history, with fix: Fix the lexer");
    type("\u0012");
    expect(row()).toBe("history, with fix: Fix the lexer");
    type("\r");
    expect([found, search.isOpen]).toEqual([["Fix the lexer\nand more"], false]);
  });

  test("shows on a narrow terminal what it has found in a row of its own", () => {
    const { search, type } = searching();
    type("fix");
    const { rows, cursor } = search.rows("", { columns: 19, most: 3 });
    expect(rows).toEqual(["history, with fix:", "  fix the parser"]);
    expect(cursor).toEqual({ row: 0, column: 17 });
  });

  test.each(["\u0003", "\u0007", `${ESC}[27u`])("%j leaves the prompt as it was", (key) => {
    const { search, found, row, type } = searching();
    type("zzz");
    expect(row()).toBe("history, with zzz: nothing");
    type(key);
    expect([found, search.isOpen]).toEqual([[], false]);
  });
});
