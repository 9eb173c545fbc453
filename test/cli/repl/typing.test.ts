import { chmodSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openHistory } from "../../../src/cli/repl/history-file.ts";
import { inputRows } from "../../../src/cli/repl/input-rows.ts";
import { BREAK, createKeyParser, type Key } from "../../../src/cli/repl/key-parser.ts";
import { createLineEditor } from "../../../src/cli/repl/line-editor.ts";
import { createQuietKeys } from "../../../src/cli/repl/quiet-keys.ts";
import { createReplies } from "../../../src/cli/repl/reply-text.ts";
import { createScreen } from "../../../src/cli/repl/screen.ts";
import { isSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import { inColour, plain } from "../../../src/terminal/colour.ts";
import { displayWidth } from "../../../src/terminal/display-width.ts";
import { wrapText } from "../../../src/terminal/wrap.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { FakeIO } from "../fake-io.ts";

const ESC = "\u001b";

describe("what is typed", () => {
  test("is distinguished from pasted text, wherever the bytes are cut", () => {
    const bytes = Buffer.from(`é${ESC}[A${ESC}[200~two\r\nlines${ESC}[31m!\n${ESC}[201~x${ESC}\r`);
    const joined = (typed: readonly Key[]) => {
      const text = (type: Key["type"]) =>
        typed.flatMap((each) => (each.type === type ? [each.text] : [])).join("");
      return { keys: text("keys"), paste: text("paste") };
    };
    for (let cut = 0; cut <= bytes.length; cut++) {
      // A terminal writes its marker at once; an Escape at the end of what came is the key.
      if (cut === bytes.indexOf(`${ESC}[200~`) + 1) continue;
      const read = createKeyParser();
      const typed = [...read(bytes.subarray(0, cut)), ...read(bytes.subarray(cut))];
      expect(joined(typed).paste).toBe(`two${BREAK}lines[31m!`);
      expect(joined(typed).keys.startsWith(`é${ESC}[Ax`)).toBe(true);
    }
  });

  test("a lone Escape is not waited for", () => {
    expect(createKeyParser()(ESC)).toEqual([{ type: "keys", text: ESC }]);
  });

  const edited = async (...typed: readonly Key[]) => {
    const lines: string[] = [];
    const events: string[] = [];
    const editor = createLineEditor({
      history: ["older"],
      onLine: (line) => lines.push(line),
      onInterrupt: () => events.push("interrupt"),
      onEnd: () => events.push("end"),
    });
    // A stream begins to flow a moment after somebody reads it.
    await setImmediate();
    for (const each of typed) editor.type(each);
    const { text } = editor;
    editor.close();
    return { lines, events, text };
  };
  const keys = (text: string): Key => ({ type: "keys", text });

  test("a backslash before Enter breaks the line; two are a backslash", async () => {
    expect((await edited(keys("one\\\rtwo\r"))).lines).toEqual(["one\ntwo"]);
    expect((await edited(keys("path\\\\\r"))).lines).toEqual(["path\\\\"]);
  });

  test("a line that went on is one entry of the history", async () => {
    expect((await edited(keys(`one\\\rtwo\r${ESC}[A`))).text).toBe(`one${BREAK}two`);
    expect((await edited(keys(`one\\\rtwo\r${ESC}[A${ESC}[A`))).text).toBe("older");
  });

  test("reports Ctrl-C and Ctrl-D; Ctrl-D in a line deletes", async () => {
    expect((await edited(keys("\u0003"))).events).toEqual(["interrupt"]);
    expect((await edited(keys("\u0004"))).events).toEqual(["end"]);
    expect(await edited(keys("ab\u0001\u0004"))).toMatchObject({ events: [], text: "b" });
  });

  test.each([
    ["/help", true],
    ["/mode plan", true],
    ["/", true],
    ["/etc/hosts is wrong", false],
    ["what is /help?", false],
  ])("%j is a slash command: %j", (line, is) => {
    expect(isSlashCommand(line)).toBe(is);
  });
});

describe("the line that is typed", () => {
  test("has its cursor where the next character will stand, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "日", "👍", BREAK, "\t"), maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        (text, columns) => {
          const { rows, cursor } = inputRows("› ", { text, cursor: text.length }, { columns, most: 1000 });
          expect(rows.every((row) => displayWidth(row) <= columns)).toBe(true);
          expect(cursor.row).toBe(rows.length - 1);
          expect(cursor.column).toBe(Math.max(2, displayWidth(rows.at(-1) ?? "")));
        },
      ),
      { seed: 4, numRuns: 500 },
    );
  });

  test("shows the rows around the cursor if there is no room for all", () => {
    const text = Array.from({ length: 20 }, (_, index) => `${index}`).join(BREAK);
    const { rows, cursor } = inputRows("› ", { text, cursor: 0 }, { columns: 20, most: 3 });
    expect(rows).toEqual(["› 0", "  1", "  2"]);
    expect(cursor).toEqual({ row: 0, column: 2 });
  });
});

describe("the reply", () => {
  test("is shown as it is until Markdown is loaded, and then as Markdown", async () => {
    const replies = createReplies({ paint: plain, cwd: () => "/w" });
    expect(replies.add("- **one", 12)).toEqual([]);
    expect(replies.tail).toEqual(["- **one"]);
    await replies.ready("");
    expect(replies.add("**\n- two", 12)).toEqual([]);
    expect(replies.tail).toEqual(["• one", "• two"]);
    expect(replies.end()).toEqual(["• one", "• two"]);
    expect(replies.rows("# *a*", 12)).toEqual(["# a"]);
  });

  test("has links of the directory that the conversation is about", async () => {
    const screen = createScreen(new FakeIO({ stdoutIsTTY: true, cwd: "/started/in" }), inColour);
    screen.workIn("/work");
    await screen.ready("");
    expect(screen.replyRows("[the parser](src/parse.ts)").join("")).toContain("file:///work/src/parse.ts");
  });

  test("that ends before Markdown is loaded is shown as it is, harmless for a terminal", () => {
    const replies = createReplies({ paint: plain, cwd: () => "/w" });
    replies.add(`**one** ${ESC}[2Jtwo\n`, 12);
    expect(replies.end()).toEqual(["**one** two"]);
    expect(replies.end()).toEqual([]);
  });

  test("is broken between words, later rows behind the bullet", () => {
    expect(wrapText("- one two three\nfour", 9)).toEqual(["- one two", "  three", "four"]);
  });
});

describe("keys count as an answer after the user has stopped typing", () => {
  test("a moment after the question, and a moment after each key", async () => {
    const clock = new FakeClock();
    const keys = createQuietKeys(clock);
    let open = false;
    const quiet = keys.quiet(new AbortController().signal).then(() => {
      open = true;
    });
    await clock.advance(200);
    keys.typed();
    await clock.advance(200);
    expect(open).toBe(false);
    await clock.advance(200);
    await quiet;
    expect(open).toBe(true);
  });
});

describe("the history file", () => {
  test("keeps lines in order, newest first, each once, for this user only", async () => {
    const home = temporaryFolder();
    const first = await openHistory(home);
    await Promise.all(["one", "two\nlines", "one"].map((line) => first.add(line)));
    expect((await openHistory(home)).lines).toEqual(["one", "two\nlines"]);
    chmodSync(join(home, "history"), 0o644);
    await openHistory(home);
    expect(statSync(join(home, "history")).mode & 0o777).toBe(0o600);
  });

  test("is bounded, and a torn line is left out", async () => {
    const home = temporaryFolder();
    const file = join(home, "history");
    const line = `${JSON.stringify("x".repeat(990))}\n`;
    writeFileSync(file, `${line.repeat(1500)}"last"\n"torn`);
    const { lines, add } = await openHistory(home);
    expect(lines[0]).toBe("last");
    expect(readFileSync(file).length).toBeLessThan(1_000_001);
    await add("y".repeat(20_000));
    expect((await openHistory(home)).lines[0]).toBe("last");
  });

  test("is not reached through a link: it is said, and nothing is kept", async () => {
    const home = temporaryFolder();
    const elsewhere = join(mkdtempSync(join(home, "x-")), "target");
    writeFileSync(elsewhere, "");
    symlinkSync(elsewhere, join(home, "history"));
    const { lines, problem, add } = await openHistory(home);
    await add("secret");
    expect({ lines, kept: readFileSync(elsewhere, "utf8") }).toEqual({ lines: [], kept: "" });
    expect(problem).toContain("What you type is not remembered");
  });
});
