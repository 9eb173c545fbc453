import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { globby } from "globby";

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

export type PlayTool = (input: Readonly<Record<string, unknown>>, cwd: string) => Promise<ToolAnswer>;

/** The tools as their contracts say: real ripgrep, real files, a real shell. */
export const playedTools: Readonly<Record<string, PlayTool>> = {
  async Grep(input, cwd) {
    const args = ["--line-number", "--ignore-case", "--no-heading", "--with-filename", "--sort", "path"];
    const { code, stdout, stderr } = await run(rgPath, [...args, "-e", text(input, "pattern"), "."], cwd);
    if (code === 1) return answer("No matches found.");
    if (code !== 0) return wrong(stderr);
    const lines = stdout.trimEnd().split("\n");
    return answer(
      lines
        .slice(0, number(input, "head_limit", 250))
        .join("\n")
        .replace(/^\.\//gm, ""),
    );
  },
  async Glob(input, cwd) {
    const found = await globby(text(input, "pattern"), { cwd, absolute: true, gitignore: true });
    return answer(found.slice(0, 100).join("\n") || "No files found.");
  },
  async Read(input) {
    const path = text(input, "file_path");
    const content = await readFile(path, "utf8").catch(() => undefined);
    if (content === undefined) return wrong(`${path} does not exist. Check the path with Glob.`);
    const lines = content === "" ? [] : content.replace(/\n$/, "").split("\n");
    const from = number(input, "offset", 1);
    const shown = lines.slice(from - 1, from - 1 + number(input, "limit", 2_000));
    return answer(shown.map((line, at) => `${from + at}\t${line}`).join("\n"));
  },
  async Edit(input) {
    const path = text(input, "file_path");
    const content = await readFile(path, "utf8");
    const count = content.split(text(input, "old_string")).length - 1;
    if (count === 0) return wrong("old_string is not in the file.");
    if (count > 1 && input["replace_all"] !== true)
      return wrong(`old_string occurs ${count} times in the file.`);
    await writeFile(
      path,
      content.replaceAll(text(input, "old_string"), () => text(input, "new_string")),
    );
    return answer(`${path} was changed.`);
  },
  async Write(input) {
    const path = text(input, "file_path");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text(input, "content"));
    return answer(`${path} was written.`);
  },
  async Bash(input, cwd) {
    const { code, stdout, stderr } = await run("bash", ["-c", text(input, "command")], cwd);
    const output = `${stdout}${stderr}`;
    return code === 0 ? answer(output) : wrong(`${output}Exit code ${code}`);
  },
};

function answer(words: string): ToolAnswer {
  return { text: words, isError: false };
}

function wrong(words: string): ToolAnswer {
  return { text: words, isError: true };
}

function text(input: Readonly<Record<string, unknown>>, field: string): string {
  const value = input[field];
  if (typeof value !== "string") throw new Error(`${field} is not a text`);
  return value;
}

function number(input: Readonly<Record<string, unknown>>, field: string, otherwise: number): number {
  const value = input[field];
  return typeof value === "number" ? value : otherwise;
}

function run(
  file: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (data) => {
      stdout += String(data);
    });
    child.stderr.on("data", (data) => {
      stderr += String(data);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
