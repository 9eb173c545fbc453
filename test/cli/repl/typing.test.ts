import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHistory } from "../../../src/cli/repl/history-file.ts";
import { createQuietKeys } from "../../../src/cli/repl/key-timing.ts";
import { readOwnKeys } from "../../../src/cli/repl/own-keys.ts";
import { createReplies } from "../../../src/cli/repl/reply-text.ts";
import { createScreen } from "../../../src/cli/repl/screen.ts";
import { isSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { inColour, plain } from "../../../src/terminal/colour.ts";
import { wrapRow, wrapText } from "../../../src/terminal/wrap.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { FakeIO } from "../fake-io.ts";

const ESC = "\u001b";

describe("what is typed", () => {
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

describe("a row of columns", () => {
  test.each([
    [79, "/help     show this", ["/help     show this"]],
    [30, "/config [KEY]  the settings in force", ["/config [KEY]  the settings in", "               force"]],
    [20, "/config [KEY]  the settings in force", ["/config [KEY]", "  the settings in", "  force"]],
    [19, "* opus    claude-opus-5-5    1.0M", ["* opus", "  claude-opus-5-5", "  1.0M"]],
    [16, "a sentence without columns", ["a sentence", "without columns"]],
  ])("keeps its columns if there is room: %i of %j", (columns, row, rows) => {
    expect(wrapRow(row, columns)).toEqual(rows);
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

test("the user's own keys follow their file; one that cannot be used leaves them as they are", async () => {
  const homedir = temporaryFolder();
  const path = join(homedir, ".claude", "keybindings.json");
  const write = (text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const binding = (action: string | null) =>
    JSON.stringify({ bindings: [{ context: "Chat", bindings: { f5: action } }] });
  const keys = readOwnKeys(join(homedir, ".claude"));
  const told: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  keys.follow((sentence) => void told.push(sentence), systemClock, stop.signal);
  const pressed = () => keys.keymap.translate({ type: "key", text: "\u001b[15~" });
  const says = (what: RegExp) => expect.poll(() => told.at(-1)).toMatch(what);
  write(binding("chat:stash"));
  await says(/^The keys of .*keybindings\.json apply from now on\.$/);
  expect(pressed()).toEqual([{ type: "key", text: "\u0013" }]);
  write("{");
  await says(
    /^.*keybindings\.json: it is not of the form .* no key of it counts\. Until then the keys stay as they were\.$/,
  );
  expect(pressed()).toEqual([{ type: "key", text: "\u0013" }]);
  write(binding(null));
  await says(/apply from now on/);
  expect(pressed()).toEqual([]);
  rmSync(path);
  await expect.poll(pressed).toEqual([{ type: "key", text: "\u001b[15~" }]);
});
