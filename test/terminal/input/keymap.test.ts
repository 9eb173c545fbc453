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
    expect(keymap.translate(key(typed))).toEqual(does === null ? null : key(does));
  });

  test("leave what is pasted alone", () => {
    const { keymap } = readKeymap(file({ a: null }));
    expect(keymap.translate({ type: "paste", text: "a" })).toEqual({ type: "paste", text: "a" });
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
    ["two keys", file({ "ctrl+x ctrl+e": "chat:stash" }), /one after the other are not supported/],
    ["no key", file({ "": "chat:stash" }), /names no key/],
    ["a name of an object's own", file({ "ctrl+e": "constructor" }), /there is no action "constructor"/],
  ])("say what is wrong with %s, and the other keys count", (_, text, problem) => {
    const { keymap, problems } = readKeymap(text);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(keymap.translate(key("\u0005"))).toEqual(key("\u0005"));
  });
});
