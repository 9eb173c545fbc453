import { describe, expect, test } from "vitest";
import { troupe } from "../support/cli-process.ts";

const acting = ["--permission-mode", "bypassPermissions"];

describe("commands from the program, without a key", { timeout: 60_000 }, () => {
  test("-p runs one, runs one in the background, and ends after its notice", {
    tags: ["long"],
  }, async () => {
    const ended = await troupe([
      "-p",
      'run "echo now; pwd" then in background: run "sleep 0.1; echo later"',
      ...acting,
    ]);
    expect(ended.code, ended.err).toBe(0);
    expect(ended.out).toMatch(/ran:\n\n {4}now\n {4}\//);
    expect(ended.out).toContain("Started in the background: `sleep 0.1; echo later`");
    expect(ended.out).toMatch(/ended with exit code 0.*:\n\nlater/);
  });

  test("fanout runs them in agents, one after the other or side by side", { tags: ["long"] }, async () => {
    const tasks = ['run "echo one"', 'run "echo two; exit 2"', 'in background: run "echo three"'];
    const ended = await troupe(["fanout", ...tasks, "--agent", "general-purpose", "--json", ...acting]);
    expect(ended.code, ended.err).toBe(1);
    const { results } = ended.json() as { results: { summary: string; receipts: { commands: unknown[] } }[] };
    expect(results.map(({ summary }) => summary)).toEqual([
      expect.stringContaining("    one"),
      expect.stringContaining("failed with exit code 2"),
      expect.stringMatching(/Started in the background[\s\S]*three/),
    ]);
    expect(results[1]?.receipts.commands).toEqual([{ command: "echo two; exit 2", exitCode: 2 }]);
  });

  test("without a mode for it only what reads is run; the rest is refused, and said with what would allow it", {
    tags: ["long"],
  }, async () => {
    const reads = await troupe(["-p", 'run "echo now; pwd"']);
    expect(reads.code, reads.err).toBe(0);
    expect(reads.out).toMatch(/ran:\n\n {4}now\n {4}\//);
    const acts = await troupe(["-p", 'run "touch made"', "--output-format", "json"]);
    const answer = acts.json();
    expect(answer["result"]).toMatch(/touch made/);
    expect(answer["permission_denials"]).toEqual([
      expect.objectContaining({
        tool_name: "Bash",
        tool_input: expect.objectContaining({ command: "touch made" }),
      }),
    ]);
  });

  test("stops what still ran at the end, and says so next to the answer", {
    tags: ["long"],
  }, async () => {
    const ended = await troupe(["-p", 'in background: run "exec sleep 1000"', ...acting], {
      settings: { backgroundMs: 0 },
    });
    expect(ended.code, `${ended.signal} ${ended.err}`).toBe(0);
    expect(ended.err).toContain("1 command in the background still ran at its end and was stopped: ");
  });
});
