import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { everyDayHosts, supervised } from "../support/supervised.ts";

const offline = {
  source: { provider: "offline" },
  permissionMode: "acceptEdits",
  allowedTools: ["Bash"],
} as const;

describe.each(everyDayHosts)("the offline model changes files with the real tools, %s", (host) => {
  test("replace, append and create, in the order they were asked for", async () => {
    const files = { "src/a.ts": 'const name = "A";\nconst other = "A";\n', "notes.md": "one\ntwo" };
    const { supervisor, cwd } = supervised(host, [], { ...offline, files });
    const text = (name: string) => readFileSync(join(cwd, name), "utf8");
    const { summary } = await supervisor.prompt(
      `in src/a.ts replace 'name = "A"' with 'name = "B"', then append "three" to notes.md, then create deep/new.txt with "hello"`,
    );
    expect(summary, summary.text).toMatchObject({ status: "done" });
    expect(text("src/a.ts")).toBe('const name = "B";\nconst other = "A";\n');
    expect(text("notes.md")).toBe("one\ntwo\nthree");
    expect(text("deep/new.txt")).toBe("hello");
    expect(summary.receipts.tools).toMatchObject({ Edit: 2, Write: 1 });
    expect(summary.text).toContain("deep/new.txt was created.");
  });

  test("what cannot be done is reported, and changes nothing", async () => {
    const { supervisor, cwd } = supervised(host, [], { ...offline, files: { "a.txt": "x x" } });
    const once = await supervisor.prompt('in a.txt replace "x" with "y"');
    expect(once.summary.text).toContain("2 times");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("x x");
    const all = await supervisor.prompt('in a.txt replace all "x" with "y"');
    expect(all.summary.text).toContain("was replaced");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("y y");
    const outside = await supervisor.prompt('create ../outside.txt with "x"');
    expect(outside.summary.text).toMatch(/outside the workspace/);
  });
});

test("without a mode for it no tool that writes is offered", async () => {
  const { supervisor, cwd } = supervised("in-thread", [], {
    source: offline.source,
    files: { "a.txt": "x" },
  });
  const { summary } = await supervisor.prompt('in a.txt replace "x" with "y"');
  expect(summary.text).toMatch(/Edit/);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("x");
});
