import { expect, test } from "vitest";
import { conflictText } from "../../../src/features/isolation/conflict-text.ts";

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

test("the owner of edits that do not fit hears where, what the others meant, and what it had said itself (issue 6, 5)", () => {
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

test("where nobody of this session came before, it was the person or somebody else", () => {
  expect(conflictText({ path: "/t" }, conflicts, [], "x")).toMatch(/by the person or by somebody outside/);
});
