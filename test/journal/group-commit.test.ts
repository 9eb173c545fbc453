import { closeSync, openSync, writeSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Entry, GroupCommit } from "../../src/journal/group-commit.ts";
import type { JournalFile } from "../../src/journal/journal-file.ts";
import type { JournalEnd } from "../../src/journal/reader.ts";
import type { FromWriter } from "../../src/journal/writer-messages.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { lineOf } from "./samples.ts";

const append = (text: string): Entry => ({ awaited: true, text: `"at":"t","event":"${text}"` });
const note = (text: string): Entry => ({ ...append(text), awaited: false });
const line = (seq: number, text: string) => lineOf({ seq, at: "t", event: text });

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

interface Setup {
  readonly open?: () => void;
  readonly from?: JournalEnd;
  /** Default: what every system says of a disk that is broken. */
  readonly replace?: (keep: number, bytes: Uint8Array) => JournalFile;
}

function noReplacing(): never {
  throw failure("EIO");
}

/** A file in memory whose operations can be told to fail, and a clock that is wound by hand. */
function setup(
  over: Partial<JournalFile> = {},
  { open, from = { seq: 0, bytes: 0 }, replace = noReplacing }: Setup = {},
) {
  const seen = { content: Buffer.alloc(0), writes: 0, syncs: 0, replies: [] as FromWriter[] };
  const timers = new Set<() => void>();
  const file: JournalFile = {
    write(bytes) {
      seen.writes += 1;
      seen.content = Buffer.concat([seen.content, bytes]);
      return bytes.length;
    },
    sync() {
      seen.syncs += 1;
    },
    truncate(length) {
      seen.content = seen.content.subarray(0, length);
    },
    close() {},
    ...over,
  };
  const clock: Clock = {
    now: () => 0,
    date: () => "t",
    after(_ms, call) {
      timers.add(call);
      return () => timers.delete(call);
    },
  };
  const commits = new GroupCommit({
    path: "/h/journal.jsonl",
    clock,
    from,
    replace,
    open() {
      open?.();
      return file;
    },
    reply: (message) => seen.replies.push(message),
  });
  const group = (...entries: Entry[]) => {
    for (const entry of entries) commits.add(entry);
    commits.settle();
  };
  return { seen, timers, file, commits, group, text: () => seen.content.toString() };
}

test("a group is one write and one fsync, numbered in order", () => {
  const { seen, group, text } = setup();
  group(append("a"), note("b"), append("c"));
  expect([seen.writes, seen.syncs]).toEqual([1, 1]);
  expect(text()).toBe(line(1, "a") + line(2, "b") + line(3, "c"));
  const bytes = seen.content.length;
  expect(seen.replies).toEqual([{ type: "written", seqs: [1, 2, 3], end: { seq: 3, bytes } }]);
});

test("a note waits for other records, but not forever", () => {
  const { seen, timers, group } = setup();
  group(note("a"));
  expect(seen.writes).toBe(0);
  expect(timers.size).toBe(1);
  for (const call of timers) call();
  expect([seen.writes, seen.syncs]).toEqual([1, 1]);
  group(note("b"));
  group(append("c"));
  expect(timers.size).toBe(0);
  expect(seen.replies.at(-1)).toMatchObject({ type: "written", seqs: [2, 3] });
});

test("a group ends when it is large, though more is waiting", () => {
  const { commits } = setup();
  expect(commits.add(append("small"))).toBe(true);
  expect(commits.add(append("x".repeat(5_000_000)))).toBe(false);
});

test("bytes that the system takes piece by piece all arrive", () => {
  const pieces: Buffer[] = [];
  const { seen, group } = setup({
    write(bytes) {
      pieces.push(Buffer.from(bytes.subarray(0, 7)));
      return Math.min(7, bytes.length);
    },
  });
  group(append("abcdefgh"), append("ü"));
  expect(Buffer.concat(pieces).toString()).toBe(line(1, "abcdefgh") + line(2, "ü"));
  expect(seen.replies).toMatchObject([{ type: "written", seqs: [1, 2] }]);
});

test("a full disk rejects the group, leaves no torn line, and is got over (fault 42)", () => {
  let full = false;
  const { seen, group, text, file } = setup();
  const write = file.write;
  file.write = (bytes) => {
    if (!full) return write(bytes);
    write(bytes.subarray(0, 5));
    throw failure("ENOSPC");
  };
  group(append("a"));
  full = true;
  group(append("b"), note("kept"), append("c"));
  expect(text()).toBe(line(1, "a"));
  expect(seen.replies.at(-1)).toEqual({
    type: "failed",
    count: 3,
    failure: "unwritable",
    message:
      "The journal /h/journal.jsonl could not be written: the disk is full (ENOSPC); free some space, then try again.",
  });
  full = false;
  group(append("d"));
  expect(text()).toBe(line(1, "a") + line(2, "kept") + line(3, "d"));
  expect(seen.replies.at(-1)).toMatchObject({ type: "written", seqs: [3], end: { seq: 3 } });
});

test("the full device of the system itself says so", () => {
  const fd = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(fd));
  const { seen, group } = setup({ write: (bytes) => writeSync(fd, bytes) });
  group(append("a"));
  expect(seen.replies[0]).toMatchObject({
    type: "failed",
    count: 1,
    message: expect.stringContaining("ENOSPC"),
  });
});

test.each(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "EEXIST", "EMFILE"])(
  "%s while the file is made is one sentence with the file and what to do",
  (code) => {
    const { seen, commits, group } = setup(
      {},
      {
        open() {
          throw failure(code);
        },
      },
    );
    commits.begin();
    expect(seen.replies).toEqual([]);
    group(append("a"));
    const [reply] = seen.replies;
    expect(reply).toMatchObject({ type: "failed", count: 1 });
    expect(reply?.type === "failed" && reply.message).toMatch(
      new RegExp(`^The journal /h/journal.jsonl could not be written: .*${code}.*; .*\\.$`),
    );
  },
);

test("after a failed fsync the descriptor is never written or synced again (fault 45)", () => {
  let syncs = 0;
  const { seen, group, commits } = setup({
    sync() {
      syncs += 1;
      throw failure("EIO");
    },
  });
  group(append("a"), note("n"));
  group(append("b"));
  commits.close();
  expect([seen.writes, syncs]).toEqual([1, 1]);
  const message = expect.stringMatching(
    /^The journal \/h\/journal\.jsonl .*\(fsync: EIO\).*start a new session\.$/,
  );
  expect(seen.replies).toEqual([
    { type: "failed", count: 2, failure: "broken", message },
    { type: "failed", count: 1, failure: "broken", message },
    { type: "closed" },
  ]);
});

test("a torn line that cannot be removed ends the journal", () => {
  const { seen, group, file } = setup({
    truncate() {
      throw failure("EIO");
    },
  });
  const write = file.write;
  file.write = () => {
    throw failure("ENOSPC");
  };
  group(append("a"));
  file.write = write;
  group(append("b"));
  expect(seen.writes).toBe(0);
  expect(seen.replies.map((reply) => reply.type)).toEqual(["failed", "failed"]);
});

test("a record that cannot be written is refused in its turn, and concerns no other", () => {
  const { seen, commits, text } = setup();
  commits.add(append("a"));
  commits.refuse("no good.");
  commits.add(append("b"));
  commits.close();
  expect(text()).toBe(line(1, "a") + line(2, "b"));
  expect(seen.replies).toMatchObject([
    { type: "written", seqs: [1] },
    { type: "failed", count: 1, failure: "record", message: "no good." },
    { type: "written", seqs: [2] },
    { type: "closed" },
  ]);
});

test("close writes the notes that wait", () => {
  const { seen, group, commits, timers, text } = setup();
  group(note("a"));
  commits.close();
  expect(text()).toBe(line(1, "a"));
  expect(timers.size).toBe(0);
  expect(seen.replies.at(-1)).toEqual({ type: "closed" });
});

test("a journal that is there is numbered on, and a failed write is cut to where it was (fault 37)", () => {
  let full = true;
  const { seen, group, file, text } = setup({}, { from: { seq: 7, bytes: 5 } });
  seen.content = Buffer.from("old\n\n");
  const write = file.write;
  file.write = (bytes) => {
    if (!full) return write(bytes);
    write(bytes.subarray(0, 3));
    throw failure("ENOSPC");
  };
  group(append("a"));
  full = false;
  group(append("b"));
  expect(text()).toBe(`old\n\n${line(8, "b")}`);
  expect(seen.replies.at(-1)).toEqual({
    type: "written",
    seqs: [8],
    end: { seq: 8, bytes: seen.content.length },
  });
});

describe("after a failed fsync (fault 45)", () => {
  /** A disk whose first file's second fsync fails, and what was done to its files. */
  function failing(replacing: () => void = () => {}) {
    const old = { syncs: 0, writes: 0, closed: 0 };
    const replaced: { keep: number; text: string; file: { writes: string[]; syncs: number } }[] = [];
    const made = setup(
      {
        write: (bytes) => {
          old.writes += 1;
          return bytes.length;
        },
        sync() {
          old.syncs += 1;
          if (old.syncs === 2) throw failure("EIO");
        },
        close() {
          old.closed += 1;
        },
      },
      {
        replace(keep, bytes) {
          replacing();
          const file = { writes: [] as string[], syncs: 0 };
          replaced.push({ keep, text: Buffer.from(bytes).toString(), file });
          return {
            write: (more) => {
              file.writes.push(Buffer.from(more).toString());
              return more.length;
            },
            sync: () => {
              file.syncs += 1;
            },
            truncate() {},
            close() {},
          };
        },
      },
    );
    return { ...made, old, replaced };
  }
  const REPLACED = {
    type: "replaced",
    message: expect.stringMatching(
      /\(fsync: EIO\), so it was written again, with nothing lost; check the disk\.$/,
    ),
  };

  test("the group goes to a new file with all that was safe, and the old one is not touched again", () => {
    const { seen, group, commits, old, replaced } = failing();
    group(append("a"));
    group(append("b"), note("n"));
    group(append("c"));
    commits.close();
    expect(old).toEqual({ syncs: 2, writes: 2, closed: 1 });
    expect(replaced).toEqual([
      {
        keep: line(1, "a").length,
        text: line(2, "b") + line(3, "n"),
        file: { writes: [line(4, "c")], syncs: 1 },
      },
    ]);
    const whole = line(1, "a") + line(2, "b") + line(3, "n") + line(4, "c");
    expect(seen.replies).toMatchObject([
      { type: "written", seqs: [1] },
      REPLACED,
      { type: "written", seqs: [2, 3] },
      { type: "written", seqs: [4], end: { seq: 4, bytes: whole.length } },
      { type: "closed" },
    ]);
  });

  test("a full disk puts the new file off, and the old one is still not touched", () => {
    let full = true;
    const { seen, group, old, replaced } = failing(() => {
      if (full) throw failure("ENOSPC");
    });
    group(append("a"));
    group(append("b"), note("n"));
    group(append("c"));
    full = false;
    group(append("d"));
    expect(old).toEqual({ syncs: 2, writes: 2, closed: 1 });
    expect(replaced).toMatchObject([{ keep: line(1, "a").length, text: line(2, "n") + line(3, "d") }]);
    expect(seen.replies).toMatchObject([
      { type: "written", seqs: [1] },
      { type: "failed", count: 2, failure: "unwritable", message: expect.stringContaining("ENOSPC") },
      { type: "failed", count: 1, failure: "unwritable" },
      REPLACED,
      { type: "written", seqs: [3] },
    ]);
  });

  test("where the new file cannot be made either, nothing more is written", () => {
    const { seen, group, old, replaced } = failing(noReplacing);
    group(append("a"));
    group(append("b"));
    group(append("c"));
    expect(old).toEqual({ syncs: 2, writes: 2, closed: 1 });
    expect(replaced).toEqual([]);
    expect(seen.replies.slice(1)).toMatchObject([
      { type: "failed", failure: "broken", message: expect.stringContaining("may be lost") },
      { type: "failed", failure: "broken" },
    ]);
  });
});
