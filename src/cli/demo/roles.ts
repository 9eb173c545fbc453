import { isUtf8 } from "node:buffer";
import { lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Git, parts } from "../../worktrees/git.ts";

/** An agent's task, and what its edits are. */
export interface AgentRole {
  readonly task: string;
  /** Lines that it appends to files. */
  readonly adds: readonly { readonly path: string; readonly line: string }[];
  readonly creates: readonly { readonly path: string; readonly text: string }[];
}

export interface Roles {
  readonly agents: readonly AgentRole[];
  /** Two agents append to this file. */
  readonly contested: string;
  readonly other: string;
  /** A file of the user's that git does not know. */
  readonly notes: string;
}

const THIRD = "By the third agent.";

/** Returns null if the repository has not two text files to edit. */
export async function planRoles(git: Git): Promise<Roles | null> {
  const tracked = parts((await git.run(["ls-files", "-z"])).out);
  const [contested, other] = await findTextFiles(git, tracked);
  if (contested === undefined || other === undefined) return null;
  const created = freeName("third-agent", tracked);
  const appending = (line: string): AgentRole => ({
    task: `append "${line}" to ${contested}`,
    adds: [{ path: contested, line }],
    creates: [],
  });
  return {
    ...{ contested, other, notes: freeName("your-notes", tracked) },
    agents: [
      appending("By the first agent."),
      appending("By the second agent."),
      {
        task: `append "${THIRD}" to ${other} then create ${created} with "${THIRD}\\n"`,
        adds: [{ path: other, line: THIRD }],
        creates: [{ path: created, text: `${THIRD}\n` }],
      },
    ],
  };
}

function freeName(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const path = `${name}${number === 1 ? "" : `-${number}`}.md`;
    if (!taken.includes(path)) return path;
  }
}

/** Leaves uncommitted work in the checkout: a line that is not staged, one that is, one after that, and a new file. */
export async function addUncommittedWork({ contested, other, notes }: Roles, git: Git): Promise<void> {
  await insertLine(join(git.folder, contested), "A line of yours, not committed.");
  await insertLine(join(git.folder, other), "A line of yours, staged.");
  await git.run(["add", "--", other]);
  await insertLine(join(git.folder, other), "A line of yours, later than what is staged.");
  await writeFile(join(git.folder, notes), "A file of yours that git does not know.\n");
}

/** Inserts it after the first line, byte for byte: a file may not be text in our encoding. */
async function insertLine(file: string, line: string): Promise<void> {
  const text = await readFile(file, "latin1");
  const end = text.indexOf("\n") + 1;
  const newline = text.slice(0, end).endsWith("\r\n") ? "\r\n" : "\n";
  await writeFile(file, `${text.slice(0, end)}${line}${newline}${text.slice(end)}`, "latin1");
}

/** Files that are looked into. */
const MOST_CANDIDATES = 50;
const MOST_BYTES = 200_000;

/** Returns two committed text files, the likeliest first. */
async function findTextFiles(git: Git, tracked: readonly string[]): Promise<readonly string[]> {
  const candidates = tracked
    // A name that needs no quotes in a task, and no hidden file.
    .filter((path) => /^[\w-]+(?:[./][\w-]+)*$/.test(path) && !/(?:^|[-.])lock\b/.test(path))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .slice(0, MOST_CANDIDATES);
  const found: string[] = [];
  for (const path of candidates) {
    if (found.length === 2) break;
    if (await hasLines(join(git.folder, path))) found.push(path);
  }
  return found;
}

function rank(path: string): number {
  const depth = path.split("/").length;
  if (/^readme\.md$/i.test(path)) return 0;
  if (/^(?:changelog|contributing|history)\.md$/i.test(path)) return 1;
  return /\.(?:md|txt|rst)$/i.test(path) ? 10 + depth : 100 + depth;
}

async function hasLines(file: string): Promise<boolean> {
  const stats = await lstat(file).catch(() => null);
  if (!stats?.isFile() || stats.size > MOST_BYTES) return false;
  const bytes = await readFile(file);
  const text = bytes.toString("latin1");
  if (!isUtf8(bytes) || text.includes("\0") || !text.endsWith("\n")) return false;
  return text.indexOf("\n") < text.length - 1 && !/^[<=>|]{7}/m.test(text);
}
