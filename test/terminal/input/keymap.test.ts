import { describe, expect, test } from "vitest";
import { readKeymap } from "../../../src/terminal/input/keymap.ts";
import type { Key } from "../../../src/terminal/input/keys.ts";

const ESC = "\u001b";
const key = (text: string): Key => ({ type: "key", text });
const file = (bindings: object, context = "Chat") => JSON.stringify({ bindings: [{ context, bindings }] });

describe("the user's own keys", () => {
  test.each<[string, object, string, string | null]>([
    ["does what the other key does", { "ctrl+e": "chat:externalEditor" }, "\u0005", "\u0007"],
    ["leaves the other key as it is", { "ctrl+e": "chat:externalEditor" }, "\u0007", "\u0007"],
    ["does nothing if it is null", { "ctrl+s": null }, "\u0013", null],
    ["may be named as users know it", { "Meta+P": "history:search" }, `${ESC}p`, "\u0012"],
    ["may be a function key", { f5: "app:redraw" }, `${ESC}[15~`, "\u000c"],
    ["is not another key", { "ctrl+e": "chat:externalEditor" }, "e", "e"],
    ["counts as the last one says", { "ctrl+k": null, "CTRL+K": "chat:stash" }, "\u000b", "\u0013"],
  ])("a key %s", (_, bindings, typed, does) => {
    const { keymap, problems } = readKeymap(file(bindings));
    expect(problems).toEqual([]);
    expect(keymap.translate(key(typed))).toEqual(does === null ? [] : [key(does)]);
  });

  test.each<[string, string, readonly string[]]>([
    ["do it together", "\u000b\u0013", ["\u0013"]],
    ["do it in any encoding", `${ESC}[107;5u|${ESC}[115;5u`, ["\u0013"]],
    ["take it away", "\u000bx", []],
    ["may be three", "\u000b\u000b\u000b", ["\u0012"]],
    ["are themselves if another follows", "\u000by\u0013", ["\u000b", "y", "\u0013"]],
    ["keep what the second does alone", "\u000b\u0005", ["\u000b", "\u0007"]],
    ["are given up with Escape", `\u000b|${ESC}|\u0013`, ["\u0013"]],
    ["begin again", "\u000by\u000b\u0013", ["\u000b", "y", "\u0013"]],
  ])("keys one after the other %s", (_, typed, does) => {
    const { keymap, problems } = readKeymap(
      file({
        "ctrl+k ctrl+s": "chat:stash",
        "ctrl+k x": null,
        "Ctrl+K ctrl+k ctrl+k": "history:search",
        "ctrl+e": "chat:externalEditor",
      }),
    );
    expect(problems).toEqual([]);
    const keys = typed.includes("|") ? typed.split("|") : [...typed];
    expect(keys.flatMap((one) => keymap.translate(key(one)))).toEqual(does.map(key));
  });

  test("leave what is pasted alone", () => {
    const { keymap } = readKeymap(file({ a: null }));
    expect(keymap.translate({ type: "paste", text: "a" })).toEqual([{ type: "paste", text: "a" }]);
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "{", /is not of the form .* no key of it counts/],
    ["an array", "[]", /is not of the form/],
    ["an action that is a number", file({ "ctrl+e": 7 }), /is not of the form/],
    [
      "a place that does not exist",
      file({ "ctrl+e": "chat:stash" }, "Tabs"),
      /context "Tabs" is not used here/,
    ],
    [
      "an action that does not exist",
      file({ "ctrl+e": "chat:stahs" }),
      /"ctrl\+e" stays as it is: .*did you mean chat:stash\?/,
    ],
    ["a way out", file({ "ctrl+c": null }), /a way out/],
    [
      "keys that begin with a letter",
      file({ "g g": "chat:stash" }),
      /begin with one such as ctrl\+k, not with g/,
    ],
    ["keys that begin with Escape", file({ "escape a": "chat:stash" }), /not with escape/],
    ["keys with a way out", file({ "ctrl+x ctrl+c": "chat:stash" }), /a way out/],
    [
      "a key that begins others",
      file({ "ctrl+x": null, "ctrl+x a": "chat:undo" }),
      /"ctrl\+x" alone does nothing/,
    ],
    ["no key", file({ "": "chat:stash" }), /names no key/],
    ["a name of an object's own", file({ "ctrl+e": "constructor" }), /there is no action "constructor"/],
  ])("say what is wrong with %s, and the other keys count", (_, text, problem) => {
    const { keymap, problems } = readKeymap(text);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(keymap.translate(key("\u0005"))).toEqual([key("\u0005")]);
  });
});
