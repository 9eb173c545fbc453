// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { atomicWrite } from "../../src/tools/atomic-write.ts";
import { MAX_SYNC_BYTES } from "../../src/tools/regular-file.ts";
import { type WritePlace, writePlace } from "../../src/tools/write-place.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

const { signal } = new AbortController();
const by = { signal, call: callId(MAIN, 1, 0) };
const writeForEver = fileURLToPath(new URL("./atomic/write-for-ever.ts", import.meta.url));
const writeOnce = fileURLToPath(new URL("./atomic/write-once.ts", import.meta.url));

function placeIn(root: string, path: string): WritePlace {
  const place = writePlace(path, { root, additionalDirs: [] });
  if (place.type === "unusable") throw new Error(place.reason);
  return place;
}

test("a process killed at any moment leaves the old file or the new one, whole, with its mode (fault 40)", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a");
  const size = 1_500_000;
  const contents = [Buffer.alloc(size, "a"), Buffer.alloc(size, "b")];
  const isWhole = (bytes: Buffer) => contents.some((content) => content.equals(bytes));
  writeFileSync(path, Buffer.alloc(size, "a"));
  chmodSync(path, 0o640);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 60 }), async (looks) => {
      const child = spawn(process.execPath, [writeForEver, path, folder, String(size)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      // Looks at the file as often as asked before it kills: no clock decides the moment.
      for (let n = 0; n < looks; n += 1) expect(isWhole(readFileSync(path))).toBe(true);
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(isWhole(readFileSync(path))).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o640);
    }),
    { numRuns: 4, seed: 5, endOnFailure: true },
  );
});

describe("what was swapped between the look and the write is not written through (fault 48)", () => {
  test("the file, by a link to another", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "old");
    writeFileSync(join(folder, "secret"), "secret");
    const place = placeIn(folder, join(folder, "a"));
    rmSync(join(folder, "a"));
    symlinkSync(join(folder, "secret"), join(folder, "a"));
    const written = await atomicWrite(place, Buffer.from("new"), by);
    expect(written).toMatchObject({
      type: "unusable",
      reason: expect.stringContaining("changed or replaced"),
    });
    expect(readFileSync(join(folder, "secret"), "utf8")).toBe("secret");
    expect(readdirSync(folder).sort()).toEqual(["a", "secret"]);
  });

  test("the file, by another version of it, or by nothing; and a new file, by one that came", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    writeFileSync(path, "old");
    const changed = placeIn(folder, path);
    writeFileSync(path, "newer");
    expect(await atomicWrite(changed, Buffer.from("x"), by)).toMatchObject({ type: "unusable" });
    expect(readFileSync(path, "utf8")).toBe("newer");

    const gone = placeIn(folder, path);
    rmSync(path);
    expect(await atomicWrite(gone, Buffer.from("x"), by)).toMatchObject({ type: "unusable" });
    expect(readdirSync(folder)).toEqual([]);

    const fresh = placeIn(folder, path);
    writeFileSync(path, "theirs");
    expect(await atomicWrite(fresh, Buffer.from("x"), by)).toMatchObject({ type: "unusable" });
    expect(readFileSync(path, "utf8")).toBe("theirs");
  });

  test("the directory, or one above it, by a link that leads out", async () => {
    for (const swapped of ["work/sub", "work"]) {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "work/sub"), { recursive: true });
      mkdirSync(join(folder, "outside/sub"), { recursive: true });
      const place = placeIn(join(folder, "work"), join(folder, "work/sub/a"));
      renameSync(join(folder, swapped), join(folder, "aside"));
      symlinkSync(join(folder, "outside"), join(folder, swapped));
      const written = await atomicWrite(place, Buffer.from("x"), by);
      expect(written).toMatchObject({
        type: "unusable",
        reason: expect.stringContaining("replaced or moved"),
      });
      expect(readdirSync(join(folder, "outside"))).toEqual(["sub"]);
      expect(readdirSync(join(folder, "outside/sub"))).toEqual([]);
    }
  });

  // Above this size the thread waits for the disk, so what stands after the call happens before the rename.
  const large = Buffer.alloc(MAX_SYNC_BYTES + 1, "x");

  test("the directory, moved aside or replaced by a link during the write (T3)", async () => {
    for (const replaced of [false, true]) {
      const folder = temporaryFolder();
      const [sub, aside] = [join(folder, "work/sub"), join(folder, "aside")];
      mkdirSync(sub, { recursive: true });
      const place = placeIn(join(folder, "work"), join(sub, "a"));
      const writing = atomicWrite(place, large, by);
      renameSync(sub, aside);
      if (replaced) symlinkSync(aside, sub);
      expect(await writing).toMatchObject({
        type: "unusable",
        reason: expect.stringContaining("replaced or moved"),
      });
      expect(readdirSync(aside)).toEqual([]);
    }
  });

  test("the file, written or made during the write", async () => {
    for (const before of ["old", null]) {
      const folder = temporaryFolder();
      const path = join(folder, "a");
      if (before !== null) writeFileSync(path, before);
      const writing = atomicWrite(placeIn(folder, path), large, by);
      writeFileSync(path, "theirs");
      expect(await writing).toMatchObject({
        type: "unusable",
        reason: expect.stringContaining("changed or replaced"),
      });
      expect(readFileSync(path, "utf8")).toBe("theirs");
      expect(readdirSync(folder)).toEqual(["a"]);
    }
  });

  test("a directory that had to be made, by a link", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "work"));
    mkdirSync(join(folder, "outside"));
    const place = placeIn(join(folder, "work"), join(folder, "work/new/deep/a"));
    symlinkSync(join(folder, "outside"), join(folder, "work/new"));
    expect(await atomicWrite(place, Buffer.from("x"), by)).toMatchObject({ type: "unusable" });
    expect(readdirSync(join(folder, "outside"))).toEqual([]);
  });

  test("at any moment: nothing is ever written outside", { tags: ["long"] }, async () => {
    const folder = temporaryFolder();
    const [sub, aside, outside] = [join(folder, "work/sub"), join(folder, "aside"), join(folder, "outside")];
    for (const made of [sub, aside, outside]) mkdirSync(made, { recursive: true });
    // Puts the directory aside, a link to the outside in its place, and then another folder, as fast as it can.
    const swap =
      'echo on; until [ -e "$3" ]; do n=$((n+1)); mv -T "$0" "$1/$n"; ln -s "$2" "$0"; rm "$0"; mkdir "$0"; done';
    const stop = join(folder, "stop");
    const args = ["-c", swap, sub, aside, outside, stop];
    const swapper = spawn("bash", args, { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void swapper.kill("SIGKILL"));
    const exited = once(swapper, "exit");
    await once(swapper.stdout, "data");
    const results = { written: 0, unusable: 0 };
    for (let n = 0; n < 100; n += 1) {
      const place = writePlace(join(sub, `a${n}`), { root: join(folder, "work"), additionalDirs: [] });
      const { type } = place.type === "unusable" ? place : await atomicWrite(place, Buffer.from("x"), by);
      results[type] += 1;
      expect(readdirSync(outside)).toEqual([]);
    }
    writeFileSync(stop, "");
    await exited;
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => basename(path));
    expect(names.filter((name) => /^a\d+$/.test(name))).toHaveLength(results.written);
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

test("keeps the old bytes if the disk is full, and leaves nothing next to them (fault 43)", {
  ...unless(process.platform === "win32" ? "Windows has no limit on the size of files" : null),
  tags: ["long"],
}, () => {
  const folder = temporaryFolder();
  const path = join(folder, "a");
  writeFileSync(path, "old");
  const limited = `ulimit -f 64; exec "$0" "$@"`;
  const args = ["-c", limited, process.execPath, writeOnce, path, folder, "1000000"];
  const written: unknown = JSON.parse(execFileSync("bash", args, { encoding: "utf8" }));
  expect(written).toEqual({
    type: "unusable",
    reason: `${path} was not written: it would be larger than a file may be here. Write less.`,
  });
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("changes nothing if the write is cancelled", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a"), "old");
  const place = placeIn(folder, join(folder, "a"));
  const stop = new AbortController();
  const writing = atomicWrite(place, Buffer.alloc(8_000_000), { ...by, signal: stop.signal });
  stop.abort(new Error("stop now"));
  await expect(writing).rejects.toThrow("stop now");
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["a"]);
});
