import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "../../worktrees/git.ts";
import { counted } from "../figures.ts";
import { type CheckoutState, differing } from "./checkout-state.ts";
import type { AgentRole, Roles } from "./roles.ts";

/** A statement about the checkout, and whether it was found to be true. */
export interface Check {
  readonly says: string;
  readonly ok: boolean;
  /** What was found instead. */
  readonly found?: string;
}

/** Bytes of the files that agents have to do with; null: not there. Each byte is one character. */
export type Contents = ReadonlyMap<string, string | null>;

export async function contentsOf(git: Git, { agents }: Roles): Promise<Contents> {
  const paths = new Set(agents.flatMap(pathsOf));
  const contents = new Map<string, string | null>();
  for (const path of paths)
    contents.set(path, await readFile(join(git.folder, path), "latin1").catch(() => null));
  return contents;
}

export function pathsOf({ adds, creates }: AgentRole): string[] {
  return [...adds, ...creates].map(({ path }) => path);
}

/** A checkout at one time. */
export interface Seen {
  readonly state: CheckoutState;
  readonly contents: Contents;
}

/** HEAD, the index, and every file that these agents had nothing to do with. */
export function untouched(before: Seen, after: Seen, agents: readonly AgentRole[]): Check[] {
  const theirs = new Set(agents.flatMap(pathsOf));
  const others = differing(before.state, after.state, theirs);
  const count = [...before.state.files.keys()].filter((path) => !theirs.has(path)).length;
  const [commit = "", branch = ""] = before.state.head.split(" ");
  const name = branch === "" ? "detached" : branch.replace(/^refs\/heads\//, "");
  return [
    { says: `HEAD is still ${commit.slice(0, 10)} (${name})`, ok: before.state.head === after.state.head },
    {
      says: `what is staged is what it was: ${counted(before.state.entries, "entry", "entries")} of the index`,
      ok: before.state.staged === after.state.staged,
    },
    {
      says: `${counted(count, "file")} that no agent was sent to, your new one among them: byte for byte as before`,
      ok: others.length === 0,
      ...(others.length === 0 ? {} : { found: `changed: ${others.slice(0, 5).join(", ")}` }),
    },
  ];
}

/** Each file has its agents' edits once, and without them it is what it was, byte for byte. */
export function editsStandAlone(before: Seen, after: Seen, agents: readonly AgentRole[]): Check[] {
  const paths = [...new Set(agents.flatMap(pathsOf))];
  return paths.map((path) => {
    const rest = agents.reduce(
      (content: string | null | undefined, agent) => withoutEdits(content, path, agent),
      after.contents.get(path),
    );
    const was = before.contents.get(path) ?? null;
    const lines = agents.flatMap(({ adds }) => adds.filter((one) => one.path === path)).length;
    return {
      says:
        was === null
          ? `${path} is there, as its agent wrote it`
          : `${path} has ${counted(lines, "line")} of agents, and is otherwise what it was, byte for byte`,
      ok: rest === was,
    };
  });
}

/** Undefined: what the agent was to write is not there, or not just once. */
function withoutEdits(
  content: string | null | undefined,
  path: string,
  { adds, creates }: AgentRole,
): string | null | undefined {
  const created = creates.find((one) => one.path === path);
  if (created !== undefined) return content === created.text ? null : undefined;
  let rest = content;
  for (const { line } of adds.filter((one) => one.path === path)) {
    if (typeof rest !== "string") return undefined;
    const whole = [`${line}\r\n`, `${line}\n`].find((one) => rest?.includes(one));
    if (whole === undefined || rest.indexOf(line) !== rest.lastIndexOf(line)) return undefined;
    rest = rest.replace(whole, "");
  }
  return rest;
}

/** After an undo: this agent's edits are gone, and nothing else is. */
export function onlyGone(before: Seen, after: Seen, agent: AgentRole): Check {
  const paths = pathsOf(agent);
  const others = differing(before.state, after.state, new Set(paths));
  const wrong = paths.filter((path) => {
    const expected = withoutEdits(before.contents.get(path), path, agent);
    return expected === undefined || (after.contents.get(path) ?? null) !== expected;
  });
  const ok =
    others.length === 0 &&
    wrong.length === 0 &&
    before.state.head === after.state.head &&
    before.state.staged === after.state.staged;
  const found = [...others, ...wrong];
  return {
    says: "its edits are gone, and nothing else is",
    ok,
    ...(found.length === 0 ? {} : { found: `not as expected: ${found.slice(0, 5).join(", ")}` }),
  };
}

export function sameAsBefore(before: Seen, after: Seen): Check {
  const others = differing(before.state, after.state);
  const ok =
    others.length === 0 &&
    before.state.head === after.state.head &&
    before.state.staged === after.state.staged;
  return {
    says: `all ${counted(before.state.files.size, "file")}, HEAD and what is staged are what they were before the agents`,
    ok,
    ...(others.length === 0 ? {} : { found: `changed: ${others.slice(0, 5).join(", ")}` }),
  };
}
