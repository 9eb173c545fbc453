import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { decide, type Mode, type PermissionRules } from "../../../src/policy/index.ts";
import { type Claim, differences, type ReadDeny, startsCanary } from "./difference.ts";
import type { Line } from "./read-lines.ts";
import { CANARY, type Copies, type Ground } from "./repository.ts";
import { type Box, observeLines, type Run } from "./run-lines.ts";
import type { Observed } from "./trace.ts";

export interface Judged {
  readonly line: Line;
  readonly claim: Claim;
  /** Lines that may write get a copy of the fixture of their own. */
  readonly ground: Ground;
}

export interface Found {
  readonly line: Line;
  readonly claim: Claim;
  readonly what: readonly string[];
}

/** What a line is made for: the mode it is decided in, and what its decision claims. */
export type Purpose = "read" | "edit" | "deny" | "confined";

/** Returns what the policy claims of a line, or null if it asks or denies, so that there is nothing to run. */
export function claimOf(
  { text }: Line,
  purpose: Purpose,
  deny: ReadDeny,
  { ws, home }: Ground,
  programs: ReadonlySet<string>,
): Claim | null {
  const decision = (rules: PermissionRules, mode: Mode, enforced = false) =>
    decide(
      rules,
      mode,
      ws,
      "Bash",
      { command: text },
      { home, platform: "linux", projectRoot: ws, enforced },
    );
  switch (purpose) {
    case "deny": {
      const rules = { allow: ["Bash"], deny: [`Bash(${CANARY}:*)`] };
      return { kind: "starts", denied: decision(rules, "default") === "deny" };
    }
    case "confined":
      return decision({}, "default", true) === "allow" ? { kind: "confined" } : null;
    case "read":
    case "edit": {
      const mode = purpose === "edit" ? "acceptEdits" : "default";
      const kind = purpose === "edit" ? "edits" : "reads";
      if (decision({ deny: [deny.rule] }, mode) === "allow") return { kind, deny, programs };
      return decision({}, mode) === "allow" ? { kind, deny: null, programs } : null;
    }
  }
  purpose satisfies never;
}

export interface Checked {
  readonly found: readonly Found[];
  /** The lines of deny rules whose canary really started: only these prove something. */
  readonly started: readonly Line[];
}

export interface Check extends Omit<Run, "bin" | "lines" | "box"> {
  readonly copies: Copies;
  readonly judged: readonly Judged[];
  /** Builds the box for lines in this workspace. */
  readonly box?: (ground: Ground) => Promise<(io: string) => Box>;
}

/** Runs the lines, and those that differ a second time each in a fresh copy; returns what differed both times. */
export async function checkLines(check: Check): Promise<Checked> {
  const { found: first, started } = await compare(check);
  if (first.length === 0) return { found: [], started };
  const { copies, box } = check;
  const name = `${check.name}-again`;
  const grounds = copies.make(name, box ? 1 : first.length);
  try {
    const judged = first.map(({ line, claim }, at) => ({
      line,
      claim,
      ground: (grounds[at] ?? grounds[0]) as Ground,
    }));
    return { found: (await compare({ ...check, name, judged })).found, started };
  } finally {
    copies.remove(grounds);
  }
}

async function compare({ root, name, copies, judged, box }: Check): Promise<Checked> {
  const lines = judged.map(({ line, ground }) => ({ text: line.text, ws: ground.ws }));
  const [first] = judged;
  const boxed = box && first ? { box: await box(first.ground) } : {};
  const observed = await observeLines({ root, name, bin: copies.bin, lines, ...boxed });
  const started = judged.flatMap(({ line, claim }, at) => {
    const seen = observed[at];
    return claim.kind === "starts" && seen && startsCanary(seen) ? [line] : [];
  });
  const found = judged.flatMap(({ line, claim, ground }, at): Found[] => {
    const seen = observed[at];
    if (!seen) return [];
    const what = differences(line.text, resolved(seen), claim, ground);
    return what.length === 0
      ? []
      : [{ line, claim, what: what.map((one) => one.replaceAll(dirname(ground.ws), "")) }];
  });
  return { found, started };
}

/** With the links on the way to what was written resolved, as far as they still exist. */
function resolved(observed: Observed): Observed {
  const writes = observed.writes.map((write) => ({ ...write, path: followParents(write.path) }));
  const refused = observed.refused.map((write) => ({ ...write, path: realPath(write.path) }));
  return { ...observed, writes, refused };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return followParents(path);
  }
}

function followParents(path: string): string {
  const parent = dirname(path);
  if (parent === path) return path;
  try {
    return join(realpathSync(parent), path.slice(parent.length));
  } catch {
    return resolve(followParents(parent), path.slice(parent.length + 1));
  }
}
