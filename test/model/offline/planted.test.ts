import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { citedLines, untrueCitations } from "./citations.ts";
import { converse, withTools } from "./conversing.ts";
import { plantRepository } from "./planted-repository.ts";

withTools();

const roots: string[] = [];

async function freshRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "troupe-planted-"));
  roots.push(root);
  return root;
}

afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

describe("on a generated repository", () => {
  test.each([11, 22, 33, 44, 55])(
    "at least 8 of 10 questions cite the planted definition, and every citation is true (seed %i)",
    { tags: ["long"] },
    async (seed) => {
      const root = await freshRoot();
      const missed: string[] = [];
      for (const { question, path, line } of await plantRepository(root, seed)) {
        const { text, turns } = await converse({ cwd: root, prompt: question });
        expect(await untrueCitations(root, text), question).toEqual([]);
        expect(turns, question).toBeLessThanOrEqual(5);
        expect(text.split("\n").length, question).toBeLessThanOrEqual(45);
        if (!citedLines(text).some((cited) => cited.path === path && cited.line === line))
          missed.push(`${question} wanted ${path}:${line}\n${text}`);
      }
      expect(missed.length, missed.join("\n\n")).toBeLessThanOrEqual(2);
    },
  );

  test("an empty repository is said to have nothing, with no citation and what was searched for", async () => {
    const root = await freshRoot();
    const { text } = await converse({ cwd: root, prompt: "where is the frobnicator wired to the gateway?" });
    expect(text).toMatch(/^Nothing was found for frobnicator, wired, gateway/);
    expect(citedLines(text)).toEqual([]);
  });

  test.each([
    ["what is this project?", "A small bookkeeping tool."],
    ["how do I run the tests?", "This does it: `python3 -m unittest`."],
  ])("without a README, a memory file answers: %s", async (prompt, expected) => {
    const root = await freshRoot();
    const told = "# Ledger\nA small bookkeeping tool. Run tests with `python3 -m unittest`.\n";
    await writeFile(join(root, "CLAUDE.md"), told);
    const { text } = await converse({ cwd: root, prompt });
    expect(text).toContain(expected);
    expect(text).toContain("CLAUDE.md:2");
  });

  test("a word that stands nowhere is named as not found, not answered", async () => {
    const root = await freshRoot();
    await plantRepository(root, 7);
    const { text } = await converse({ cwd: root, prompt: "what does qqxyzzyqq do?" });
    expect(text).toMatch(/^Nothing was found for qqxyzzyqq/);
  });
});
