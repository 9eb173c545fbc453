import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { plain } from "../../../src/terminal/colour.ts";
import { createEditor } from "../../../src/terminal/input/editor.ts";
import { createKeyReader, isKey } from "../../../src/terminal/input/keys.ts";
import { createVimKeys } from "../../../src/terminal/input/vim/vim-keys.ts";

const ESC = "\u001b[27u";
const BACK = "\u0012";

/** A prompt with vim's keys: `|` in a text is the cursor. */
function vim(given = "", isOn = () => true) {
  const sent: string[] = [];
  const passed: string[] = [];
  const editor = createEditor({
    history: ["earlier", "oldest"],
    ...{ paint: plain, onChange() {} },
    onLine(text) {
      sent.push(text);
      keys.restart();
    },
  });
  const keys = createVimKeys(editor, isOn);
  const reader = createKeyReader((key) => {
    if (isKey(key, "escape")) return void (keys.escape() || passed.push("escape"));
    const meant = keys.translate(key);
    if (meant?.text === BACK) passed.push("search");
    else if (meant !== null) editor.type(meant);
  });
  onTestFinished(() => {
    reader.close();
    editor.close();
  });
  const type = (text: string) => reader.take(text);
  const shown = () => `${editor.shown.slice(0, editor.cursor)}|${editor.shown.slice(editor.cursor)}`;
  const cursor = Math.max(0, given.indexOf("|"));
  editor.place(given.replace("|", ""), cursor);
  keys.translate({ type: "key", text: "" });
  return { editor, keys, sent, passed, type, shown };
}

/** The text in normal mode, after these keys. */
function after(given: string, typed: string): string {
  const { editor, type, shown } = vim(given);
  const { cursor } = editor;
  type(ESC);
  editor.place(editor.shown, cursor);
  type(typed);
  return shown();
}

describe("vim's motions", () => {
  test.each([
    ["one t|wo", "h", "one |two"],
    ["|one", "h", "|one"],
    ["o|ne", "5l", "on|e"],
    ["one\n|two", "h", "one\n|two"],
    ["|one two-three", "w", "one |two-three"],
    ["one |two-three", "w", "one two|-three"],
    ["one |two-three", "W", "one two-thre|e"],
    ["|one\n\nx", "w", "one\n|\nx"],
    ["one two-thre|e", "b", "one two-|three"],
    ["one two-thre|e", "2b", "one two|-three"],
    ["one two-thre|e", "B", "one |two-three"],
    ["|one two", "e", "on|e two"],
    ["on|e two", "e", "one tw|o"],
    ["|日本 go", "w", "日本 |go"],
    ["|👍🏽x", "l", "👍🏽|x"],
    ["  on|e", "0", "|  one"],
    ["  on|e", "^", "  |one"],
    ["|one\ntwo", "$", "on|e\ntwo"],
    ["|one\ntwo", "2$", "one\ntw|o"],
    ["|a, b, c", "f,", "a|, b, c"],
    ["|a, b, c", "2f,", "a, b|, c"],
    ["|a, b, c", "t,", "|a, b, c"],
    ["|a, b, c", "t,;", "a, |b, c"],
    ["a, b, |c", "F,", "a, b|, c"],
    ["a, b, |c", "T,", "a, b,| c"],
    ["|a, b, c", "f,;", "a, b|, c"],
    ["|a, b, c", "f,;,", "a|, b, c"],
    ["|abc", "fz", "|abc"],
    ["abc\nd\ne|fg", "gg", "|abc\nd\nefg"],
    ["|abc\nd\n  efg", "G", "abc\nd\n  |efg"],
    ["|abc\nd\nefg", "2G", "abc\n|d\nefg"],
    ["ab|c\nd\nefg", "j", "abc\n|d\nefg"],
    ["ab|c\nd\nefg", "jj", "abc\nd\nef|g"],
    ["a|bc\nd\nefg", "2j", "abc\nd\ne|fg"],
    ["abc\nd\nef|g", "kk", "ab|c\nd\nefg"],
    ["|abc\nd\nefg", "$jj", "abc\nd\nef|g"],
    ["|abc def", "\u001b[C\u001b[F", "abc de|f"],
  ])("%j, %j: %j", (given, typed, expected) => {
    expect(after(given, typed)).toBe(expected);
  });
});

describe("vim's changes", () => {
  test.each([
    ["on|e", "x", "o|n"],
    ["|one", "2x", "|e"],
    ["|", "x", "|"],
    ["on|e", "X", "o|e"],
    ["one |two", "dw", "one| "],
    ["|one two three", "2dw", "|three"],
    ["|one two three", "d2w", "|three"],
    ["|one\ntwo", "dw", "|\ntwo"],
    ["one |two", "db", "|two"],
    ["|one two", "de", "| two"],
    ["one t|wo\nx", "D", "one |t\nx"],
    ["one t|wo", "d0", "|wo"],
    ["a\n|b\nc", "dd", "a\n|c"],
    ["a\nb\n|c", "dd", "a\n|b"],
    ["|a\nb\nc", "2dd", "|c"],
    ["|a\nb\nc", "dj", "|c"],
    ["a\nb\n|c", "dj", "a\nb\n|c"],
    ["a\n|b\nc", "dgg", "|c"],
    ["|a\nb", "dG", "|"],
    ["|f(a, b)", "df,", "| b)"],
    ["|f(a, b)", "dt,", "|, b)"],
    ["f(a, |b)", "diw", "f(a, |)"],
    ["a o|ne b", "daw", "a |b"],
    ["a b o|ne", "daw", "a |b"],
    ["a o-|n b", "diW", "a | b"],
    [`say "h|i you" now`, `di"`, `say "|" now`],
    [`|say "hi"  now`, `da"`, "say |now"],
    ["f(a, g(|b), c)", "di(", "f(a, g(|), c)"],
    ["f(a, g(|b), c)", "2dib", "f(|)"],
    ["f(a|, b)", "da)", "|f"],
    ["{\n a|\n}", "di{", "{|}"],
    ["a|b", "di(", "a|b"],
    ["|one two", "cwnew", "new| two"],
    [`|one two`, `cwnew${ESC}`, "ne|w two"],
    [`o|ne two`, `ciwnew${ESC}`, "ne|w two"],
    [`|a b`, `cwx${ESC}`, "|x b"],
    [`a\n|b\nc`, `ccx${ESC}`, "a\n|x\nc"],
    [`a\n|b\nc`, `Sx${ESC}`, "a\n|x\nc"],
    [`on|e two`, `Cx${ESC}`, "on|x"],
    [`on|e`, `sx${ESC}`, "on|x"],
    [`|`, `sx${ESC}`, "|x"],
    ["|one two", "ywP", "one| one two"],
    ["|one two", "yw$p", "one twoone| "],
    ["|a\nb", "yyjp", "a\nb\n|a"],
    ["|a\nb", "Yp", "a\n|a\nb"],
    ["a\n|b", "yyP", "a\n|b\nb"],
    ["|ab", "xp", "b|a"],
    ["|a", "x3p", "aa|a"],
    ["a\n|b\nc", "ddp", "a\nc\n|b"],
    [`|a\nb`, `ox${ESC}`, "a\n|x\nb"],
    [`|a\nb`, `Ox${ESC}`, "|x\na\nb"],
    [`one t|wo`, `Ix${ESC}`, "|xone two"],
    [`|one`, `Ax${ESC}`, "one|x"],
    [`|one`, `ax${ESC}`, "o|xne"],
    ["|abc", "rx", "|xbc"],
    ["|abc", "2rx", "x|xc"],
    ["ab|c", "2rx", "ab|c"],
    ["|a b", "fbr ", "a | "],
    ["|aBc", "3~", "Ab|C"],
    ["|a\n  b\nc", "J", "a| b\nc"],
    ["|a\nb\nc", "3J", "a b| c"],
    ["|a b c d", "dw..", "|d"],
    ["|a b c d", "dw2.", "|d"],
    [`|a b`, `cwx${ESC}w.`, "x |x"],
    [`|a\nb`, `A;${ESC}j.`, "a;\nb|;"],
    [`|a`, `ox${ESC}.`, "a\nx\n|x"],
    ["|a b c", "dwdwu", "|b c"],
    ["|a b c", "dwdwuu", "|a b c"],
    ["|a b c", `dwdwuu${BACK}`, "|b c"],
    ["|a b c", `dwdw2u2${BACK}`, "|c"],
    [`|a`, `ib${ESC}u`, "|a"],
    ["|a b", `d${ESC}w`, "a |b"],
    ["|a b", "d:w", "a |b"],
    ["|a b", "v:q", "|a b"],
    ["|[paste #1 +12 lines] b", "x", "| b"],
  ])("%j, %j: %j", (given, typed, expected) => {
    expect(after(given, typed)).toBe(expected);
  });

  test("keep what a folded paste holds", () => {
    const { editor, type, sent } = vim();
    const text = Array.from({ length: 12 }, (_, n) => `line ${n}`).join("\n");
    type(`see \u001b[200~${text}\u001b[201~${ESC}bxu\r`);
    expect(sent).toEqual([`see ${text}`]);
    expect(editor.shown).toBe("");
  });
});

describe("vim's modes", () => {
  test("begins to insert, also after each prompt that was sent", () => {
    const { keys, type, sent, passed } = vim();
    expect(keys.mode).toBe("INSERT");
    type(`dw${ESC}`);
    expect(keys.mode).toBe("NORMAL");
    type("zzqq\r");
    expect([sent, keys.mode]).toEqual([["dw"], "INSERT"]);
    type(`${ESC}d${ESC}`);
    expect(passed).toEqual([]);
    type(`${ESC}/`);
    expect(passed).toEqual(["escape", "search"]);
  });

  test("k on the first line finds earlier prompts, j later ones, and undo returns to what was typed", () => {
    const { editor, type } = vim();
    type(`new${ESC}k`);
    expect(editor.text).toBe("earlier");
    type("k");
    expect(editor.text).toBe("oldest");
    type("jj");
    expect(editor.text).toBe("new");
    type("j");
    expect(editor.text).toBe("new");
    type("kxu");
    expect(editor.text).toBe("earlier");
    type("u");
    expect(editor.text).toBe("new");
  });

  test("are switched off and on while a prompt is typed", () => {
    let isOn = false;
    const { keys, type, shown } = vim("", () => isOn);
    type("ab");
    expect([keys.mode, keys.escape()]).toEqual([null, false]);
    isOn = true;
    type(`c${ESC}0x`);
    expect([keys.mode, shown()]).toEqual(["NORMAL", "|bc"]);
    isOn = false;
    type("x");
    expect([keys.mode, shown()]).toEqual([null, "x|bc"]);
  });
});

test("whatever is typed, the cursor stays on a character of the text, and undo gives the text back", () => {
  const key = fc.oneof(
    fc.constantFrom(..."hjklwbeWBE0^$fFtTg;,Gdcyiaxsop XSDCYPOArJ~u.()\"'{}[]3579", BACK, "日", "👍🏽", "\n"),
    fc.constantFrom(ESC, "\u007f", "\u0017", "\u001b[A", "\u001b[D", "\u001b[200~a\nb\u001b[201~", "\u0001"),
  );
  const text = 'one (two) "three"\n\n  日本 👍🏽 four.five\nlast';
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), fc.nat(text.length), (keys, at) => {
      const { editor, keys: prompt, type } = vim(`${text.slice(0, at)}|${text.slice(at)}`);
      type(ESC);
      for (const each of keys) type(each);
      type(ESC);
      const { shown, cursor } = editor;
      expect(cursor).toBeGreaterThanOrEqual(0);
      expect(cursor).toBeLessThanOrEqual(shown.length);
      expect(prompt.mode).toBe("NORMAL");
      type("hl");
      expect(
        editor.cursor === 0 ||
          editor.shown[editor.cursor - 1] === "\n" ||
          editor.cursor < editor.shown.length,
      ).toBe(true);
      type("999u");
      expect(editor.shown).toBe(text);
    }),
    { seed: 21, numRuns: 400 },
  );
});
