import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { journalFile } from "../../../src/journal/paths.ts";
import type { Summary } from "../../../src/mailbox/messages.ts";
import { operations } from "../../../src/worktrees/operations.ts";
import { bundledProgram } from "../../support/bundled-entries.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { isLong } from "../../support/long.ts";
import { groundOf } from "../../support/worktree-ground.ts";
import type { ToKill } from "./session-to-kill.ts";

const PROGRAM = new URL("./session-to-kill.ts", import.meta.url).pathname;
const FILES = { "a.txt": "a\n", "b.txt": "b\n" };
const LIMIT = 120_000;

interface Run {
  readonly signal: NodeJS.Signals | null;
  readonly agents: readonly (Summary | null)[];
}

/** A process of its own. */
async function run(repository: TestRepository, more: Partial<ToKill> = {}): Promise<Run> {
  const { folder: cwd, env } = repository;
  const home = join(dirname(cwd), "troupe-home");
  mkdirSync(home, { recursive: true });
  const request: ToKill = { home, cwd, env, diesAt: null, check: null, ...more };
  const child = spawn(process.execPath, [await bundledProgram(PROGRAM), JSON.stringify(request)], {
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal)),
  );
  const [out, complaints, signal] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (signal === null && out === "") throw new Error(complaints);
  return { signal, agents: out === "" ? [] : JSON.parse(out).agents };
}

/** The last session of this repository, as its journal has it: records of one type. */
function recordsOf(repository: TestRepository): { readonly type: string }[] {
  const lines = readFileSync(theJournal(repository), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line).event);
}

function theJournal({ folder }: TestRepository): string {
  const home = join(dirname(folder), "troupe-home");
  const found = readdirSync(home, { recursive: true, encoding: "utf8" }).map((path) =>
    dirname(join(home, path)),
  );
  const journal = found.map((place) => journalFile(place)).find((file) => existsSync(file));
  if (journal === undefined) throw new Error("There is no journal.");
  return journal;
}

const onDisk = ({ folder }: TestRepository, path: string) => readFileSync(join(folder, path), "utf8");

/** Its edits are there once, it has one summary, and nothing of its tree stays. */
async function expectMergedOnce(repository: TestRepository, { signal, agents }: Run): Promise<void> {
  expect(signal).toBe(null);
  expect(agents).toMatchObject([
    { status: "done", text: "Both are written.", worktree: { outcome: "merged", files: 2 } },
  ]);
  expect(onDisk(repository, "one.txt")).toBe("one, of the agent\n");
  expect(onDisk(repository, "a.txt")).toBe("a, of the agent\n");
  const summaries = recordsOf(repository).filter((event) => event.type === "summary" && !isMain(event));
  expect(summaries.length).toBe(1);
  expect((await repository.must(["worktree", "list"])).trim().split("\n").length).toBe(1);
  expect(await repository.must(["branch", "--list", "worktree-*"])).toBe("");
  expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
}

const isMain = (event: object) => Reflect.get(event, "actor") === "main";

/** What the summary says how to undo, undoes it: to the files of before. */
async function expectUndone(repository: TestRepository, { agents }: Run): Promise<void> {
  const which = agents[0]?.worktree?.merge ?? "";
  const undone = await operations.undo(
    { folder: repository.folder, which, force: false },
    groundOf(repository),
  );
  expect(undone).toMatchObject({ type: "undone" });
  expect(existsSync(join(repository.folder, "one.txt"))).toBe(false);
  expect(onDisk(repository, "a.txt")).toBe("a\n");
}

test.each(isLong ? [0, 1, 2] : [0])(
  "killed in the middle of an agent's work, at its reply %i: resumed, its edits are merged once (C10)",
  { tags: ["long"], timeout: LIMIT },
  async (diesAt) => {
    const repository = await repositoryWith(FILES);
    expect((await run(repository, { diesAt })).signal).toBe("SIGKILL");
    expect(existsSync(join(repository.folder, "one.txt"))).toBe(false);
    const again = await run(repository);
    await expectMergedOnce(repository, again);
    await expectUndone(repository, again);
  },
);

test("merges the edits once if killed during the check, after the reply (C10)", {
  tags: ["long"],
  timeout: LIMIT,
}, async () => {
  const repository = await repositoryWith(FILES);
  const once = join(dirname(repository.folder), "killed-once");
  const check = `test -e ${once} || { touch ${once}; ${killingTheSession(repository)} exit 1; }`;
  expect((await run(repository, { check })).signal).toBe("SIGKILL");
  expect(existsSync(join(repository.folder, "one.txt"))).toBe(false);
  const again = await run(repository, { check });
  await expectMergedOnce(repository, again);
  await expectUndone(repository, again);
});

test("killed during the check that was stated of its work: it is checked again, accepted and merged once", {
  tags: ["long"],
  timeout: LIMIT,
}, async () => {
  const repository = await repositoryWith(FILES);
  const once = join(dirname(repository.folder), "killed-once");
  const accept = `test -e ${once} || { touch ${once}; ${killingTheSession(repository)} exit 1; }; grep -q agent one.txt`;
  expect((await run(repository, { accept })).signal).toBe("SIGKILL");
  expect(existsSync(join(repository.folder, "one.txt"))).toBe(false);
  const again = await run(repository, { accept });
  await expectMergedOnce(repository, again);
  expect(again.agents).toMatchObject([{ acceptance: { verdict: "accepted", checks: 1 } }]);
});

test("killed after accepted edits were merged, before the summary: it is not checked again, and the summary says accepted", {
  tags: ["long"],
  timeout: LIMIT,
}, async () => {
  const repository = await repositoryWith(FILES);
  const ran = join(dirname(repository.folder), "ran");
  const accept = `echo once >> ${ran}; grep -q agent one.txt`;
  await run(repository, { accept });
  const lines = readFileSync(theJournal(repository), "utf8").trimEnd().split("\n");
  const end = recordsOf(repository).findIndex((event) => event.type === "summary" && !isMain(event));
  writeFileSync(theJournal(repository), `${lines.slice(0, end).join("\n")}\n`);
  const again = await run(repository, { accept });
  await expectMergedOnce(repository, again);
  expect(again.agents).toMatchObject([{ acceptance: { verdict: "accepted" } }]);
  expect(readFileSync(ran, "utf8")).toBe("once\n");
});

test("merges the edits once if killed with its git worker while it writes (C10)", {
  tags: ["long"],
  timeout: LIMIT,
}, async () => {
  const repository = await repositoryWith({ ...FILES, ".gitattributes": "one.txt filter=deadly\n" });
  const once = join(dirname(repository.folder), "killed-once");
  const script = join(dirname(repository.folder), "deadly.sh");
  writeFileSync(
    script,
    `test -e ${once} || { touch ${once}; ${killingTheSession(repository)} ${KILLING_THE_KEEPER} exit 1; }\ncat\n`,
  );
  await repository.must(["config", "filter.deadly.smudge", `sh ${script}`]);
  expect((await run(repository)).signal).toBe("SIGKILL");
  expect(existsSync(once)).toBe(true);
  const again = await run(repository);
  await expectMergedOnce(repository, again);
  await expectUndone(repository, again);
});

test.each(isLong ? ["", "the person's, since\n"] : ["the person's, since\n"])(
  "killed after its edits were merged and before its summary was written: they are not merged again, and the summary says merged (%j)",
  { tags: ["long"], timeout: LIMIT },
  async (since) => {
    const repository = await repositoryWith(FILES);
    await run(repository);
    // As if the program had died right before it wrote the summary of the agent.
    const lines = readFileSync(theJournal(repository), "utf8").trimEnd().split("\n");
    const end = recordsOf(repository).findIndex((event) => event.type === "summary" && !isMain(event));
    writeFileSync(theJournal(repository), `${lines.slice(0, end).join("\n")}\n`);
    if (since !== "") repository.write({ "a.txt": since });
    const again = await run(repository);
    if (since === "") {
      await expectMergedOnce(repository, again);
      await expectUndone(repository, again);
    } else {
      expect(again.agents).toMatchObject([{ worktree: { outcome: "merged", files: 2 } }]);
      expect(onDisk(repository, "a.txt")).toBe(since);
    }
  },
);

/** Shell words that kill the session that runs in this repository. */
function killingTheSession({ folder }: TestRepository): string {
  return `kill -9 $(cat ${join(dirname(folder), "session.pid")});`;
}

/** Shell words, for a script in a file, that kill the keeper of this repository. */
const KILLING_THE_KEEPER =
  'for one in /proc/[0-9]*; do if grep -qs -e keeper-process -e worktree-keeper $one/cmdline && grep -qs "HOME=$HOME" $one/environ; then kill -9 $(basename $one); fi; done;';
