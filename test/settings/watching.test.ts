import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ReadSettings } from "../../src/settings/read-settings.ts";
import { watchSettings } from "../../src/settings/watch-settings.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type Files, type Folders, foldersWith, put, readAll } from "./folders.ts";

/** Time passes as soon as something waits for it, so that a change of a file is all a test waits for. */
class EagerClock extends FakeClock {
  waits = 0;
  override after(ms: number, call: () => void): () => void {
    this.waits++;
    const withdraw = super.after(ms, call);
    void this.advance(ms);
    return withdraw;
  }
}

async function watched(files: Files) {
  const folders = foldersWith(files);
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const seen: ReadSettings[] = [];
  const problems: string[] = [];
  let tell = () => {};
  const clock = new EagerClock();
  let reads = 0;
  watchSettings({
    known: await readAll(folders, true),
    read() {
      reads++;
      return readAll(folders, true);
    },
    onChange(fresh) {
      seen.push(fresh);
      tell();
    },
    onProblem: (sentence) => problems.push(sentence),
    clock,
    signal: abort.signal,
  });
  /** Resolves once the settings say this. */
  const until = (isSo: (read: ReadSettings) => boolean) =>
    new Promise<void>((resolve) => {
      tell = () => {
        const now = seen.at(-1);
        if (now && isSo(now)) resolve();
      };
      tell();
    });
  return { folders, seen, problems, abort, until, clock, reads: () => reads };
}

const isModel = (model: string) => (read: ReadSettings) => read.settings.model === model;

describe("a change of settings while they are watched (issue 4, point 1)", () => {
  test.each<[what: string, change: (folders: Folders) => void]>([
    ["is written over", (folders) => put(folders.fileOf("user"), { model: "new" })],
    [
      "is put in the file's place, as editors do",
      (folders) => {
        const file = folders.fileOf("user");
        writeFileSync(`${file}.tmp`, '{"model": "new"}');
        renameSync(`${file}.tmp`, file);
      },
    ],
    ["makes a file that was not there", (folders) => put(folders.fileOf("project"), { model: "new" })],
    [
      "puts a whole folder in place",
      (folders) => {
        const folder = dirname(folders.fileOf("project"));
        put(`${folder}.new/settings.json`, { model: "new" });
        renameSync(`${folder}.new`, folder);
      },
    ],
  ])("that %s is noticed", async (_, change) => {
    const { folders, until, problems } = await watched({ user: { model: "old" } });
    change(folders);
    await until(isModel("new"));
    expect(problems).toEqual([]);
  });

  test("is noticed again in a directory that replaced another", async () => {
    const { folders, until } = await watched({ user: { model: "a" }, project: { model: "old" } });
    rmSync(dirname(folders.fileOf("project")), { recursive: true });
    await until(isModel("a"));
    put(folders.fileOf("project"), { model: "new" });
    await until(isModel("new"));
    put(folders.fileOf("project"), { model: "newer" });
    await until(isModel("newer"));
  });

  test("that says nothing new is not told", async () => {
    const { folders, until, seen } = await watched({ user: { model: "a" } });
    put(folders.fileOf("user"), '{ "model":   "a" }');
    mkdirSync(`${folders.root}/src`);
    put(folders.fileOf("user"), { model: "b" });
    await until(isModel("b"));
    expect(seen.map(({ settings }) => settings.model)).toEqual(["b"]);
  });

  test("is not looked for: without an event nothing waits and nothing is read", async () => {
    const { clock, reads } = await watched({ user: { model: "a" } });
    await clock.advance(3_600_000);
    expect({ waits: clock.waits, pending: clock.pending, reads: reads() }).toEqual({
      waits: 0,
      pending: 0,
      reads: 0,
    });
  });

  test("is noticed though another program never stops making files in the same folder, and lets all else run", async () => {
    const { folders, until, clock } = await watched({ user: { model: "a" } });
    const flood = `
      const { writeFileSync, rmSync } = require("node:fs");
      process.stdout.write("begun");
      for (let n = 0; ; n = (n + 1) % 1000) {
        writeFileSync(process.argv[1] + "/" + n, "");
        rmSync(process.argv[1] + "/" + n);
      }`;
    const child = spawn(process.execPath, ["-e", flood, dirname(folders.fileOf("user"))]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    // It was looked for, as there was too much to listen to.
    await expect.poll(() => clock.waits).toBeGreaterThan(0);
    put(folders.fileOf("user"), { model: "b" });
    await until(isModel("b"));
    expect(child.exitCode).toBeNull();
  });

  test("a directory that is a link to itself ends nothing", async () => {
    const folders = foldersWith({});
    symlinkSync(".claude", dirname(folders.fileOf("project")));
    const known = await readAll(folders, true);
    const nothing = { onChange() {}, onProblem() {}, read: async () => known, clock: new FakeClock() };
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    expect(() => watchSettings({ known, ...nothing, signal: abort.signal })).not.toThrow();
  });

  test("is no longer reported once the watch is aborted", async () => {
    const { folders, abort, seen, until } = await watched({ user: { model: "a" } });
    put(folders.fileOf("user"), { model: "b" });
    await until(isModel("b"));
    abort.abort();
    put(folders.fileOf("user"), { model: "c" });
    const other = await watched({ user: {} });
    put(other.folders.fileOf("user"), { model: "d" });
    await other.until(isModel("d"));
    expect(seen).toHaveLength(1);
  });
});
