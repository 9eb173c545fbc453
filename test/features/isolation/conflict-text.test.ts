import { expect, test } from "vitest";
import { conflictText } from "../../../src/features/isolation/conflicts.ts";

const conflicts = [
  {
    path: "src/a.ts",
    kind: "content",
    lines: [
      { from: 3, to: 9 },
      { from: 12, to: 12 },
    ],
  },
  { path: "logo.png", kind: "binary", lines: [] },
];

test("tells the owner of conflicting edits where they conflict, and both intents (issue 6, 5)", () => {
  const earlier = [
    { title: "Fix the parser", paths: ["src/a.ts"], intent: "Quotes are read first." },
    { title: "Elsewhere", paths: ["src/z.ts"], intent: "Nothing of this." },
  ];
  const words = conflictText({ path: "/t" }, conflicts, earlier, "I renamed the rule.");
  expect(words).toContain("- /t/src/a.ts: lines 3-9, 12");
  expect(words).toContain("- /t/logo.png (binary)");
  expect(words).toContain("- Fix the parser: Quotes are read first.");
  expect(words).not.toContain("Elsewhere");
  expect(words).toContain("I renamed the rule.");
});

test("names the user or another process if no agent of this session merged before", () => {
  expect(conflictText({ path: "/t" }, conflicts, [], "x")).toMatch(/by the user or by a program outside/);
});
