import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namedCommands } from "../../src/cli/commands/index.ts";
import { main } from "../../src/cli/main.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";

async function script(shell: string): Promise<{ code: number; out: string; err: string }> {
  const io = new FakeIO({});
  const code = await main(["completion", shell], io);
  return { code, out: io.out.text, err: io.err.text };
}

/** What bash offers for a line. */
function offered(file: string, line: string): readonly string[] {
  const words = line.split(" ").map((word) => `"${word}"`);
  const run = `source "${file}"; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _troupe; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", run], { encoding: "utf8", cwd: temporaryFolder() })
    .trim()
    .split("\n");
}

test("bash completes what the table of help has: commands, subcommands, flags and values", async () => {
  const { code, out } = await script("bash");
  expect(code).toBe(0);
  const file = join(temporaryFolder(), "troupe");
  writeFileSync(file, out);
  const top = offered(file, "troupe ");
  for (const { name } of namedCommands) if (!name.includes(" ")) expect(top).toContain(name);
  for (const [line, words] of [
    ["troupe sess", ["sessions"]],
    ["troupe sessions ", ["list", "show", "resume", "--json"]],
    ["troupe mcp ", ["serve", "add"]],
    ["troupe mcp serve --con", ["--concurrency"]],
    ["troupe completion ", ["bash", "zsh", "fish"]],
    ["troupe -p --permission-mode a", ["acceptEdits"]],
    ["troupe -p --output-f", ["--output-format"]],
  ] as const)
    expect(offered(file, line), line).toEqual(expect.arrayContaining([...words]));
});

test.each(["zsh", "fish"])("%s gets every command with its summary", async (shell) => {
  const { out } = await script(shell);
  for (const { name, summary } of namedCommands) {
    expect(out).toContain(name);
    expect(out).toContain(summary.slice(0, 12));
  }
});

test("another shell is refused with the names of those that there are", async () => {
  const { code, err } = await script("tcsh");
  expect(code).toBe(2);
  expect(err).toContain("bash, zsh, fish");
});
