import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { troupe } from "../support/cli-process.ts";

/** A checkout as a stranger has it: what is committed, nothing else. Nobody here writes to it. */
const base = mkdtempSync(join(tmpdir(), "troupe-test-"));
const cwd = join(base, "clone");
beforeAll(() => {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", join(import.meta.dirname, "../.."), cwd]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Citation {
  readonly path: string;
  readonly line: number;
}

/** Every `path:line` in a text. */
function citations(text: string): Citation[] {
  return [...text.matchAll(/([\w./-]+\.\w+):(\d+)/g)].map(([, path = "", line]) => ({
    path,
    line: Number(line),
  }));
}

/** The numbered lines that stand below a citation, as `number  text`. */
function quotedLines(text: string): { path: string; line: number; text: string }[] {
  let path = "";
  return text.split("\n").flatMap((row) => {
    const heading = /^([\w./-]+\.\w+):\d+$/.exec(row);
    if (heading) path = heading[1] ?? "";
    const quoted = /^ +(\d+) {2}(.*)$/.exec(row);
    return quoted ? [{ path, line: Number(quoted[1]), text: quoted[2] ?? "" }] : [];
  });
}

describe("the main job, without a key", { timeout: 60_000 }, () => {
  test("two questions about this repository: two summaries whose citations are right", {
    tags: ["long"],
  }, async () => {
    const questions = ["where is the wire format of messages decided?", "how does an agent end?"];
    const ended = await troupe(["start", ...questions], { cwd });
    expect(ended.code).toBe(0);
    expect(ended.err).toContain("No ANTHROPIC_API_KEY is set, so Troupe uses its embedded offline model");
    expect(ended.err + ended.out).toMatch(/2 agents · \d+ turns · [\d.]+k? tokens · [\d.]+ s/);

    const [first = "", second = ""] = ended.out.split(/^## /m).slice(1);
    expect(citations(first).map(({ path }) => path)).toContain("src/mailbox/messages.ts");
    const aboutTheEnd = ["src/mailbox/messages.ts", "src/supervisor/lifecycle.ts", "src/actors/ending.ts"];
    expect(citations(second).some(({ path }) => aboutTheEnd.includes(path))).toBe(true);

    const lines = (path: string) => readFileSync(join(cwd, path), "utf8").split("\n");
    const cited = citations(ended.out);
    expect(cited.length).toBeGreaterThan(1);
    for (const { path, line } of cited) expect(lines(path)[line - 1], `${path}:${line}`).toMatch(/\S/);
    const quoted = quotedLines(ended.out);
    expect(quoted.length).toBeGreaterThan(4);
    for (const { path, line, text } of quoted) {
      // A long line is cut in the quotation.
      const whole = lines(path)[line - 1] ?? "";
      expect(
        text.endsWith("…") ? whole.startsWith(text.slice(0, -1).trimEnd()) : whole === text,
        `${path}:${line}`,
      ).toBe(true);
    }
  });

  test("npm start: agents in the background finish and wake the conversation, which tells what they found (A11.5)", {
    tags: ["long"],
  }, async () => {
    const ended = await troupe(["start"], { cwd });
    expect(ended.code).toBe(0);
    const told = ended.err.trim().split("\n");
    const places = (what: RegExp) => told.flatMap((line, at) => (what.test(line) ? [at] : []));
    const started = places(/^◌ Explore · .* started$/);
    const finished = places(/^✓ Explore · .* done$/);
    const woken = places(/^“Explore · .*” ha(s|ve) finished and woken the conversation\.$/);
    const [answered = -1] = places(
      /^The conversation has answered; \d agents? in the background will wake it\.$/,
    );
    expect(started).toHaveLength(3);
    expect(finished).toHaveLength(3);
    // It had answered, and had no thread any more, when the first of them finished.
    expect(answered).toBeGreaterThan(Math.max(...started));
    expect(woken.length).toBeGreaterThan(0);
    expect(answered).toBeLessThan(woken[0] ?? -1);

    expect(ended.out.match(/^Started in the background: /gm)).toHaveLength(3);
    expect(ended.out.match(/^Agent ".*": done after \d+ turns and \d+ tool calls/gm)).toHaveLength(3);
    expect(ended.out).toMatch(/^3 agents · \d+ turns · [\d.]+k? tokens · [\d.]+ s$/m);
    const cited = citations(ended.out);
    expect(cited.map(({ path }) => path)).toContain("src/mailbox/messages.ts");
    const lines = (path: string) => readFileSync(join(cwd, path), "utf8").split("\n");
    for (const { path, line } of cited) expect(lines(path)[line - 1], `${path}:${line}`).toMatch(/\S/);
    const quoted = quotedLines(ended.out);
    expect(quoted.length).toBeGreaterThan(4);
    for (const { path, line, text } of quoted) {
      const whole = lines(path)[line - 1] ?? "";
      expect(text.endsWith("…") ? whole.startsWith(text.slice(0, -1).trimEnd()) : whole === text).toBe(true);
    }
  });

  test("the main conversation of the offline model asks one Explore agent for each question", {
    tags: ["long"],
  }, async () => {
    const ended = await troupe(
      ["-p", "Where is Slots defined? What does GroupCommit do?", "--output-format", "json"],
      { cwd },
    );
    expect(ended.code).toBe(0);
    const { agents, result } = ended.json() as { agents: { type: string; status: string }[]; result: string };
    expect(agents.map(({ type, status }) => [type, status])).toEqual([
      ["Explore", "done"],
      ["Explore", "done"],
    ]);
    expect(result).toContain("src/supervisor/slots.ts");
    expect(result).toContain("src/journal/group-commit.ts");
  });
});
