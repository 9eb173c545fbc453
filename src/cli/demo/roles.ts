import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Git, parts } from "../../worktrees/git.ts";
import { must } from "./scratch.ts";
import { textFiles } from "./text-files.ts";

/** What an agent is told, word for word, and what is there when it has done it. */
export interface AgentRole {
  readonly task: string;
  /** Lines that it puts at the end of files. */
  readonly adds: readonly { readonly path: string; readonly line: string }[];
  readonly creates: readonly { readonly path: string; readonly text: string }[];
}

export interface Roles {
  readonly agents: readonly AgentRole[];
  /** Two of them write at the same place of this file. */
  readonly contested: string;
  /** What the person does before, uncommitted. */
  readonly person: readonly PersonsChange[];
}

export type PersonsChange =
  /** A line after the first one; staged, where it says so. */
  | { readonly type: "line"; readonly path: string; readonly line: string; readonly staged: boolean }
  | { readonly type: "new"; readonly path: string; readonly text: string };

/** For a folder without a repository. */
export const OWN_FILES = {
  "README.md": "# A demo\n\nThree agents edit this folder side by side.\n",
  "CHANGELOG.md": "# Changes\n\n- The beginning.\n",
} as const;

const THIRD = "By the third agent.";

/** Null: the repository has not the files for them. */
export async function rolesFor(git: Git): Promise<Roles | null> {
  const [contested, other] = await textFiles(git, 2);
  if (contested === undefined || other === undefined) return null;
  const known = new Set(parts((await git.run(["ls-files", "-z"])).out));
  const fresh = free("third-agent", known);
  const notes = free("your-notes", known);
  return {
    contested,
    agents: [
      adding("By the first agent.", contested),
      adding("By the second agent.", contested),
      {
        task: `append "${THIRD}" to ${other} then create ${fresh} with "${THIRD}\\n"`,
        adds: [{ path: other, line: THIRD }],
        creates: [{ path: fresh, text: `${THIRD}\n` }],
      },
    ],
    person: [
      { type: "line", path: contested, line: "A line of yours, not committed.", staged: false },
      { type: "line", path: other, line: "A line of yours, staged.", staged: true },
      { type: "line", path: other, line: "A line of yours, later than what is staged.", staged: false },
      { type: "new", path: notes, text: "A file of yours that git does not know.\n" },
    ],
  };
}

function adding(line: string, path: string): AgentRole {
  return { task: `append "${line}" to ${path}`, adds: [{ path, line }], creates: [] };
}

function free(name: string, known: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const path = `${name}${number === 1 ? "" : `-${number}`}.md`;
    if (!known.has(path)) return path;
  }
}

/** The checkout is as somebody leaves it in the middle of their work. */
export async function playPerson({ person }: Roles, git: Git): Promise<void> {
  for (const change of person) {
    const file = join(git.folder, change.path);
    if (change.type === "new") {
      await writeFile(file, change.text);
      continue;
    }
    // Byte for byte: a file may hold what is no text to us.
    const text = await readFile(file, "latin1");
    const end = text.indexOf("\n") + 1;
    const eol = text.slice(0, end).endsWith("\r\n") ? "\r\n" : "\n";
    await writeFile(file, `${text.slice(0, end)}${change.line}${eol}${text.slice(end)}`, "latin1");
    if (change.staged) await must(git, ["add", "--", change.path]);
  }
}
