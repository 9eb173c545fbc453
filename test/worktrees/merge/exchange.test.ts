import { fork } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../../src/worktrees/merge/disk.ts";
import { exchange } from "../../../src/worktrees/merge/exchange.ts";
import { type FileExchange, type FileMove, stateOf } from "../../../src/worktrees/merge/file-state.ts";
import { revertExchange } from "../../../src/worktrees/merge/revert-exchange.ts";
import { long } from "../../support/long.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { Died, dyingDisk } from "./dying-disk.ts";

type Content = string | { link: string } | null;

function put(file: string, content: Content): void {
  if (content === null) return;
  mkdirSync(dirname(file), { recursive: true });
  if (typeof content === "string") writeFileSync(file, content);
  else symlinkSync(content.link, file);
}

/** All that a folder holds, with rights and times: what is to be the same after. */
function picture(folder: string, at = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, at))) {
    const path = join(at, name);
    const { mode, mtimeMs } = lstatSync(join(folder, path));
    if (lstatSync(join(folder, path)).isDirectory()) {
      found[`${path}/`] = mode.toString(8);
      Object.assign(found, picture(folder, path));
    } else if (lstatSync(join(folder, path)).isSymbolicLink())
      found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else found[path] = `${mode.toString(8)} ${mtimeMs} ${readFileSync(join(folder, path), "utf8")}`;
  }
  return found;
}

/** Before and after of each path; the exchange, ready. */
function prepared(
  files: Readonly<Record<string, readonly [Content, Content]>>,
  more: Partial<FileExchange> = {},
) {
  const folder = temporaryFolder();
  const [root, bytes] = [join(folder, "root"), join(folder, "bytes")];
  for (const name of ["root", "bytes/stage", "bytes/aside"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const [path, [before]] of Object.entries(files)) {
    put(join(root, path), before);
    if (typeof before === "string") utimesSync(join(root, path), 1_000, 1_000);
  }
  const moves: FileMove[] = [];
  for (const [path, [before, after]] of Object.entries(files)) {
    const name = String(moves.length);
    if (after !== null) put(join(bytes, "stage", name), after);
    moves.push({
      path,
      before: before === null ? null : stateOf(join(root, path)),
      after: after === null ? null : stateOf(join(bytes, "stage", name)),
      incoming: after === null ? null : `stage/${name}`,
    });
  }
  moves.sort((one, other) => Number(one.after !== null) - Number(other.after !== null));
  const work: FileExchange = { root, bytes, aside: "aside", moves, made: [], emptied: [], ...more };
  return { root, bytes, work };
}

const ALL = {
  "gone/deep/a": ["old a\n", null],
  "gone/b": ["old b\n", null],
  changed: ["old\n", "new\n"],
  "folder/file": ["was a file in a folder\n", null],
  folder: [null, "is a file\n"],
  linked: [{ link: "changed" }, { link: "elsewhere" }],
  "to-link": ["a file\n", { link: "x" }],
  "new/deep/c": [null, "c\n"],
} as const;
function all() {
  const made = prepared({ ...ALL, folder: [null, null] });
  const { bytes, work } = made;
  put(join(bytes, "stage", "f"), "is a file\n");
  const moves = work.moves.filter(({ path }) => path !== "folder");
  const emptied = ["gone/deep", "gone", "folder"].map((path) => ({ path, mode: 0o750 }));
  for (const { path } of emptied) chmodSync(join(work.root, path), 0o750);
  moves.push({
    path: "folder",
    before: null,
    after: stateOf(join(bytes, "stage", "f")),
    incoming: "stage/f",
  });
  return {
    ...made,
    work: { ...work, moves, made: ["new", "new/deep"].map((path) => ({ path, mode: null })), emptied },
  };
}

describe("an exchange of files", () => {
  it("changes, adds and deletes, and folders come and go with their files", () => {
    const { root, work } = all();
    expect(exchange(work, realDisk)).toEqual({ type: "done" });
    expect(Object.keys(picture(root)).sort()).toEqual(
      ["changed", "folder", "linked", "new/", "new/deep/", "new/deep/c", "to-link"].sort(),
    );
    expect(readFileSync(join(root, "changed"), "utf8")).toBe("new\n");
    expect(readlinkSync(join(root, "linked"))).toBe("elsewhere");
  });

  it("is rolled back to the last byte, mode and time after a crash at any step, also one in the roll-back", {
    tags: ["long"],
  }, () => {
    const counted = dyingDisk(Number.POSITIVE_INFINITY);
    exchange(all().work, counted.disk);
    const steps = counted.steps();
    expect(steps).toBeGreaterThan(15);
    for (let at = 0; at < steps; at += 1) {
      const { root, work } = all();
      const before = picture(root);
      const dying = dyingDisk(at);
      expect(() => exchange(work, dying.disk), `step ${at}`).toThrow(Died);
      const again = dyingDisk(at % 5);
      try {
        revertExchange(work, again.disk);
      } catch (error) {
        expect(error).toBeInstanceOf(Died);
      }
      expect(revertExchange(work, realDisk), `step ${at}`).toEqual([]);
      expect(picture(root), `step ${at}`).toEqual(before);
    }
  });

  it.each(["EACCES", "ENOSPC"])("is rolled back if the disk refuses any step: %s", (code) => {
    let failed = 0;
    for (let at = 0; at < 12; at += 1) {
      const { root, work } = all();
      const before = picture(root);
      let steps = 0;
      const disk: Disk = {
        ...realDisk,
        rename: (from, to) => {
          if (steps++ === at) throw Object.assign(new Error("no"), { code });
          realDisk.rename(from, to);
        },
      };
      const done = exchange(work, disk);
      if (steps <= at) break;
      failed += 1;
      expect(done).toMatchObject({ type: "failed", left: [] });
      expect(picture(root)).toEqual(before);
    }
    expect(failed).toBeGreaterThan(4);
  });

  it("works on a disk without hard links", () => {
    const disk: Disk = {
      ...realDisk,
      place(from, to) {
        if (lstatSync(from).isSymbolicLink()) return realDisk.place(from, to);
        if (existsSync(to)) throw Object.assign(new Error("there"), { code: "EEXIST" });
        writeFileSync(to, readFileSync(from));
        const { mode, atime, mtime } = lstatSync(from);
        chmodSync(to, mode & 0o777);
        utimesSync(to, atime, mtime);
        return { shared: false };
      },
    };
    const { root, work } = all();
    const before = picture(root);
    expect(exchange(work, disk)).toEqual({ type: "done" });
    expect(readFileSync(join(root, "changed"), "utf8")).toBe("new\n");
    expect(revertExchange(work, disk)).toEqual([]);
    expect(picture(root)).toEqual(before);
  });
});

// Each one is what an editor does between two steps of ours.
const SAVES: Record<string, (file: string) => void> = {
  "written in place": (file) => writeFileSync(file, "saved\n"),
  "renamed over": (file) => {
    writeFileSync(`${file}.tmp`, "saved\n");
    renameSync(`${file}.tmp`, file);
  },
  "made anew": (file) => {
    rmSync(file, { force: true });
    writeFileSync(file, "saved\n");
  },
};

describe("a save at any moment of an exchange", () => {
  it.each(Object.entries(SAVES))("is in its place at the end: %s", (_, save) => {
    for (const path of ["m", "empty"]) {
      let finished = false;
      for (let at = 0; !finished; at += 1) {
        const files = { gone: ["1\n", null], m: ["2\n", "3\n"], empty: ["", "full\n"] } as const;
        const { root, bytes, work } = prepared(files);
        let steps = 0;
        const saving = <T>(act: () => T): T => {
          if (steps++ === at) save(join(root, path));
          return act();
        };
        const disk: Disk = {
          ...realDisk,
          rename: (from, to) => saving(() => realDisk.rename(from, to)),
          place: (from, to) => saving(() => realDisk.place(from, to)),
          unlink: (file) => saving(() => realDisk.unlink(file)),
        };
        const done = exchange(work, disk);
        finished = steps <= at;
        if (finished) break;
        expect(readFileSync(join(root, path), "utf8"), `${path} step ${at}`).toBe("saved\n");
        expect(done.type).toBe("changed");
        // What was there before the save is there or aside; nothing else is changed.
        expect(readFileSync(join(root, "gone"), "utf8")).toBe("1\n");
        for (const { kept } of done.type === "done" ? [] : done.left) expect(existsSync(kept)).toBe(true);
        expect(existsSync(bytes)).toBe(true);
      }
    }
  });

  it("through a file that was opened before is in its place, or aside and told", () => {
    const { root, work } = prepared({ m: ["2\n", "3\n"], n: ["4\n", "5\n"] });
    let steps = 0;
    const disk: Disk = {
      ...realDisk,
      rename(from, to) {
        realDisk.rename(from, to);
        // The editor had it open: its words go where the file went.
        if (steps++ === 1) writeFileSync(join(work.bytes, "aside", "0"), "saved\n");
      },
    };
    expect(exchange(work, disk)).toMatchObject({ type: "changed", path: "m" });
    expect(readFileSync(join(root, "m"), "utf8")).toBe("saved\n");
    expect(readFileSync(join(root, "n"), "utf8")).toBe("4\n");
  });

  it("never goes through a link that replaces a directory between two steps (W5)", () => {
    const files = { first: ["1\n", "2\n"], "dir/new": [null, "new\n"], "dir/old": ["3\n", null] } as const;
    for (let at = 0; at <= 4; at += 1) {
      const { root, work } = prepared(files);
      const elsewhere = temporaryFolder();
      writeFileSync(join(elsewhere, "old"), "3\n");
      let steps = 0;
      const replaceAt = (step: number) => {
        if (step !== at) return;
        renameSync(join(root, "dir"), join(root, "moved"));
        symlinkSync(elsewhere, join(root, "dir"));
      };
      const thenReplaced = <T>(result: T): T => {
        replaceAt(++steps);
        return result;
      };
      const disk: Disk = {
        ...realDisk,
        rename: (from, to) => thenReplaced(realDisk.rename(from, to)),
        place: (from, to) => thenReplaced(realDisk.place(from, to)),
      };
      replaceAt(0);
      expect(exchange(work, disk).type, `step ${at}`).toBe("changed");
      expect(readdirSync(elsewhere), `step ${at}`).toEqual(["old"]);
      expect(readFileSync(join(root, "first"), "utf8"), `step ${at}`).toBe("1\n");
    }
  });

  it("is never lost in a race with another process", { tags: ["long"], timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const child = fork(join(import.meta.dirname, "saving-process.ts"), { stdio: "inherit" });
    const seen = { done: 0, changed: 0, failed: 0 };
    const met = () => Math.min(seen.done, seen.changed);
    // Whoever came first has less of a start the next time, so that both orders are met on any machine.
    let start = 600;
    try {
      for (let race = 0; race < long(2_000, 120) || (met() < 10 && race < 5_000); race += 1) {
        const [root, bytes] = [join(folder, `r${race}`), join(folder, `b${race}`)];
        for (const at of [root, join(bytes, "stage"), join(bytes, "aside")])
          mkdirSync(at, { recursive: true });
        const names = ["a", "b", "c", "d", "e"];
        for (const name of names) writeFileSync(join(root, name), race % 7 === 0 ? "" : `old ${name}\n`);
        for (const name of names) writeFileSync(join(bytes, "stage", name), `new ${name}\n`);
        const moves = names.map((path) => ({
          ...{ path, before: stateOf(join(root, path)), after: stateOf(join(bytes, "stage", path)) },
          incoming: `stage/${path}`,
        }));
        const work: FileExchange = { root, bytes, aside: "aside", moves, made: [], emptied: [] };
        const target = names[race % names.length] ?? "a";
        const how = ["in place", "rename", "anew"][race % 3];
        const began = once(child, "message");
        child.send({
          file: join(root, target),
          how,
          text: `saved ${race}\n`,
          spin: Math.floor((race * 7919) % (2 * start)),
        });
        await began;
        const saved = once(child, "message");
        const done = exchange(work, realDisk);
        await saved;
        seen[done.type] += 1;
        start = Math.min(20_000, Math.max(5, start * (done.type === "done" ? 0.8 : 1.25)));
        const now = readFileSync(join(root, target), "utf8");
        const aside = done.type === "done" ? [] : done.left.map(({ kept }) => readFileSync(kept, "utf8"));
        expect([now, ...aside], `race ${race}, ${how}, ${done.type}`).toContain(`saved ${race}\n`);
        for (const name of names.filter((other) => other !== target && done.type !== "done"))
          expect(readFileSync(join(root, name), "utf8")).toBe(race % 7 === 0 ? "" : `old ${name}\n`);
        rmSync(root, { recursive: true });
        rmSync(bytes, { recursive: true });
      }
    } finally {
      child.kill();
    }
    // Both orders have been met, or it was no race.
    expect(met()).toBeGreaterThanOrEqual(10);
    expect(seen.failed).toBe(0);
  });
});
