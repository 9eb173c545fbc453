import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkpointsFeature } from "../../../src/features/checkpoints/index.ts";
import {
  carryCopies,
  findFilesSince,
  restoreFiles,
} from "../../../src/features/checkpoints/restore-files.ts";
import { readEntries } from "../../../src/features/checkpoints/saved-files.ts";
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import type { Joints } from "../../../src/supervisor/joints.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** A session in which the main conversation writes files. */
function session() {
  const [folder, cwd] = [temporaryFolder(), temporaryFolder()];
  const warnings: string[] = [];
  let run = 1;
  let isApart = false;
  const open = (): Joints =>
    checkpointsFeature({
      folder,
      actors: { find: () => ({ run }) as never },
      trees: { at: () => (isApart ? {} : null) },
      onWarning: (message) => void warnings.push(message),
    });
  let joints = open();
  let calls = 0;
  const path = (name: string) => join(cwd, name);
  /** A call that writes this; null removes the file. */
  const write = async (name: string, text: string | null): Promise<string> => {
    calls += 1;
    const id = callId(MAIN, calls, 0);
    const accesses = [{ kind: "write", target: path(name) }];
    await joints.prepareCall?.({ actor: { id: MAIN, root: cwd }, id, accesses } as never);
    if (text === null) rmSync(path(name));
    else put(name, text);
    await joints.afterCall?.({ id } as never);
    return id;
  };
  const writeAtOnce = (name: string, texts: readonly string[]) =>
    Promise.all(texts.map((text) => write(name, text)));
  const put = (name: string, text: string) => {
    mkdirSync(join(path(name), ".."), { recursive: true });
    // Written beside it and renamed, as tools do.
    rmSync(path(name), { force: true });
    writeFileSync(path(name), text);
  };
  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const copies = () => readdirSync(join(folder, "files")).filter((name) => name !== "index.jsonl");
  const since = (...ids: string[]) => findFilesSince(folder, readEntries(folder), new Set(ids));
  const textOf = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : null);
  return {
    ...{ folder, path, write, writeAtOnce, put, since, textOf, modeOf, copies, warnings },
    nextPrompt: () => {
      run += 1;
    },
    restart: () => {
      joints = open();
    },
    worksApart: () => {
      isApart = true;
    },
  };
}

test("files are what they were before the first of the calls: changed, made and removed ones (issue 21, 8)", async () => {
  const { write, put, since, textOf, folder, nextPrompt } = session();
  put("a", "1");
  put("c", "x");
  const first = await write("a", "2");
  nextPrompt();
  const calls = [
    await write("a", "3"),
    await write("a", "4"),
    await write("new/b", "b"),
    await write("c", null),
  ];
  const { files, lost } = since(...calls);
  expect(files.map(({ isChanged }) => isChanged)).toEqual([false, false, false]);
  expect([lost, restoreFiles(folder, files)]).toEqual([[], []]);
  expect([textOf("a"), textOf("new/b"), textOf("c")]).toEqual(["2", null, "x"]);
  expect(since(calls[2] ?? "").files).toEqual([]);
  // What was restored is no change of the user's.
  expect(since(first).files).toMatchObject([{ isChanged: false }]);
});

test("what the user changed afterwards or in between is named, and kept when it is replaced", async () => {
  const { write, put, since, textOf, folder, path } = session();
  put("a", "1");
  put("b", "1");
  const calls = [await write("a", "2"), await write("b", "2")];
  put("a", "mine");
  put("b", "mine, for a while");
  calls.push(await write("b", "3"));
  const { files } = since(...calls);
  expect(files.map(({ isChanged }) => isChanged)).toEqual([true, true]);
  const [note = ""] = restoreFiles(folder, files);
  expect(textOf("a")).toBe("1");
  const [, kept = ""] = new RegExp(`^What was in ${path("a")} is kept as (\\S+)\\.$`).exec(note) ?? [];
  expect(readFileSync(kept, "utf8")).toBe("mine");
});

test("a later process knows what an earlier one copied and left, and a copied session has its copies", async () => {
  const { write, put, since, textOf, folder, restart } = session();
  put("a", "1");
  const call = await write("a", "2");
  restart();
  const other = await write("a", "3");
  const copy = temporaryFolder();
  carryCopies(folder, copy, new Set([call]));
  expect(findFilesSince(copy, readEntries(copy), new Set([call, other])).files).toMatchObject([
    { isChanged: true },
  ]);
  const { files } = since(call, other);
  expect(files).toMatchObject([{ isChanged: false }]);
  restoreFiles(copy, files);
  expect(textOf("a")).toBe("1");
});

test("files of agents that work apart are not copied, and what is not writable is no reason to refuse an edit", async () => {
  const { write, put, since, worksApart, folder, warnings } = session();
  writeFileSync(join(folder, "files"), "in the way");
  put("a", "1");
  await write("a", "2");
  expect(warnings).toHaveLength(1);
  rmSync(join(folder, "files"));
  worksApart();
  expect(since(await write("a", "3"))).toEqual({ files: [], lost: [] });
});

test("a file keeps its mode, and only its owner reaches the copies", async () => {
  const { write, put, since, folder, path, modeOf, copies } = session();
  put("secret", "1");
  chmodSync(path("secret"), 0o600);
  put("script", "1");
  chmodSync(path("script"), 0o755);
  const calls = [await write("secret", "2"), await write("script", "2")];
  expect(modeOf(join(folder, "files"))).toBe(0o700);
  expect(copies().map((name) => modeOf(join(folder, "files", name)))).toEqual([0o600, 0o755]);
  restoreFiles(folder, since(...calls).files);
  expect([modeOf(path("secret")), modeOf(path("script"))]).toEqual([0o600, 0o755]);
});

test("a file is copied once in a run, however often it is written, also if something else changes it in between", async () => {
  const { write, put, since, textOf, folder, copies } = session();
  put("a", "1");
  const calls = [await write("a", "2"), await write("a", "3")];
  put("a", "formatted");
  calls.push(await write("a", "4"));
  expect(copies()).toHaveLength(1);
  const { files } = since(...calls);
  expect(files).toMatchObject([{ isChanged: true }]);
  restoreFiles(folder, files);
  expect(textOf("a")).toBe("1");
});

test("two calls of one reply that write the same file leave it as it was before both", async () => {
  const { put, since, textOf, folder, writeAtOnce } = session();
  put("a", "1");
  const calls = await writeAtOnce("a", ["2", "3"]);
  restoreFiles(folder, since(...calls).files);
  expect(textOf("a")).toBe("1");
});

test("what was restored while the conversation continues is no change of the user's later", async () => {
  const { write, put, since, folder, nextPrompt } = session();
  put("a", "1");
  const first = await write("a", "2");
  nextPrompt();
  restoreFiles(folder, since(await write("a", "3")).files);
  nextPrompt();
  expect(since(first, await write("a", "4")).files).toMatchObject([{ isChanged: false }]);
});

test("a file whose copy failed is named as one without a copy", async () => {
  const { write, put, since, folder, path, warnings } = session();
  put("a", "1");
  mkdirSync(join(folder, "files", `${callId(MAIN, 1, 0)}.0`), { recursive: true });
  const calls = [await write("a", "2"), await write("a", "3")];
  expect(since(...calls)).toEqual({ files: [], lost: [path("a")] });
  expect(warnings).toHaveLength(1);
});

test("nothing is written or removed through a link that was made since then", async () => {
  const { write, put, since, textOf, folder, path } = session();
  put("old/a", "1");
  put("gone/deep/c", "1");
  const calls = [await write("old/a", "2"), await write("new/b", "b"), await write("gone/deep/c", "2")];
  for (const name of ["old", "new", "gone"]) {
    renameSync(path(name), path(`${name}.moved`));
    put(`elsewhere/${name}/file`, "");
    symlinkSync(path(`elsewhere/${name}`), path(name));
  }
  put("elsewhere/new/b", "of the user");
  const told = restoreFiles(folder, since(...calls).files);
  expect(told.map((one) => one.replace(/^.* was/, "it was"))).toEqual(
    Array(3).fill("it was not restored: a directory above it is a link now."),
  );
  expect(textOf("elsewhere/new/b")).toBe("of the user");
  expect([existsSync(path("elsewhere/old/a")), existsSync(path("elsewhere/gone/deep"))]).toEqual([
    false,
    false,
  ]);
});

test("a pipe is neither copied nor kept: nothing waits for what it may never give", async () => {
  const { write, put, since, folder, path } = session();
  execFileSync("mkfifo", [path("pipe")]);
  symlinkSync(path("pipe"), path("link"));
  put("a", "1");
  const calls = [await write("link", null), await write("a", "2")];
  rmSync(path("a"));
  execFileSync("mkfifo", [path("a")]);
  const { files } = since(...calls);
  expect(files).toMatchObject([{ path: path("a"), isChanged: true }]);
  expect(restoreFiles(folder, files)).toEqual([`${path("a")} was not restored: it is no longer a file.`]);
});

test("what a kill left of a restore is removed by the next one", async () => {
  const { write, put, since, textOf, folder } = session();
  put("a", "1");
  const call = await write("a", "2");
  put(".troupe-rewind.tmp", "half");
  expect(restoreFiles(folder, since(call).files)).toEqual([]);
  expect([textOf("a"), textOf(".troupe-rewind.tmp")]).toEqual(["1", null]);
});
