import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkpointsFeature } from "../../../src/features/checkpoints/index.ts";
import {
  carryCopies,
  findFilesSince,
  restoreFiles,
} from "../../../src/features/checkpoints/restore-files.ts";
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
  const put = (name: string, text: string) => {
    mkdirSync(join(path(name), ".."), { recursive: true });
    // Written beside it and renamed, as tools do.
    rmSync(path(name), { force: true });
    writeFileSync(path(name), text);
  };
  const since = (...ids: string[]) => findFilesSince(folder, new Set(ids));
  const textOf = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : null);
  return {
    ...{ folder, path, write, put, since, textOf, warnings },
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
  expect(findFilesSince(copy, new Set([call, other])).files).toMatchObject([{ isChanged: true }]);
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
