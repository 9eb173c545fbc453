import { expect, test } from "vitest";
import { escapeTags } from "../../src/context/escape-tags.ts";
import { isLoadedBy } from "../../src/context/skills/render.ts";

test.each([
  ["<command-name>review</command-name>", "&lt;command-name>review&lt;/command-name>"],
  ["< /Command-Args >", "&lt; /Command-Args >"],
  ["<command-message>x", "&lt;command-message>x"],
  ["<system-reminder>", "&lt;system-reminder>"],
  // What only looks like one is left as it is.
  ["<command> a < b && c <command-named>", "<command> a < b && c <command-named>"],
])("escapes our tags in the text of others: %s (A4.21)", (given, left) => {
  expect(escapeTags(given)).toBe(left);
});

test("counts a skill as loaded if the runtime wrote so, not if a text quotes it (A4.21)", () => {
  const tag = "<command-name>review</command-name>";
  expect(isLoadedBy([`Hello.\n\n${tag}\nReview it.`], "review")).toBe(true);
  expect(isLoadedBy([tag.replace("review", "/review")], "review")).toBe(true);
  expect(isLoadedBy([`What does ${tag} mean?`, escapeTags(tag), `  ${tag}`], "review")).toBe(false);
});
