import { closeSync, openSync, writeSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type Entry, GroupCommit, type JournalFile } from "../../src/journal/group-commit.ts";
import type { FromWriter } from "../../src/journal/writer-lane.ts";
import type { Clock } from "../../src/mailbox/clock.ts";

const append = (text: string): Entry => ({ awaited: true, text: `"at":"t","event":"${text}"}` });
const note = (text: string): Entry => ({ ...append(text), awaited: false });
const line = (seq: number, text: string) => `{"seq":${seq},"at":"t","event":"${text}"}\n`;

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A file in memory whose operations can be told to fail, and a clock that is wound by hand. */
function setup(over: Partial<JournalFile> = {}, open?: () => void) {
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
  expect(seen.replies).toEqual([{ type: "written", seqs: [1, 2, 3] }]);
});

test("a note waits for company, but not for ever", () => {
  const { seen, timers, group } = setup();
  group(note("a"));
  expect(seen.writes).toBe(0);
  expect(timers.size).toBe(1);
  for (const call of timers) call();
  expect([seen.writes, seen.syncs]).toEqual([1, 1]);
  group(note("b"));
  group(append("c"));
  expect(timers.size).toBe(0);
  expect(seen.replies.at(-1)).toEqual({ type: "written", seqs: [2, 3] });
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
  expect(seen.replies).toEqual([{ type: "written", seqs: [1, 2] }]);
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
    message:
      "The journal /h/journal.jsonl could not be written: the disk is full (ENOSPC); free some space, then try again.",
  });
  full = false;
  group(append("d"));
  expect(text()).toBe(line(1, "a") + line(2, "kept") + line(3, "d"));
  expect(seen.replies.at(-1)).toEqual({ type: "written", seqs: [3] });
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
    const { seen, commits, group } = setup({}, () => {
      throw failure(code);
    });
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
    { type: "failed", count: 2, message },
    { type: "failed", count: 1, message },
    { type: "closed", lost: 1, message },
  ]);
});

test("a torn line that cannot be taken back ends the journal", () => {
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

test("a record that cannot be written is refused in its turn, and a note of that kind counts as lost", () => {
  const { seen, commits, text } = setup();
  commits.add(append("a"));
  commits.refuse(true, "no good.");
  commits.refuse(false, "no good note.");
  commits.add(append("b"));
  commits.close();
  expect(text()).toBe(line(1, "a") + line(2, "b"));
  expect(seen.replies).toEqual([
    { type: "written", seqs: [1] },
    { type: "failed", count: 1, message: "no good." },
    { type: "failed", count: 1, message: "no good note." },
    { type: "written", seqs: [2] },
    { type: "closed", lost: 1, message: "no good note." },
  ]);
});

test("close writes the notes that wait and says nothing was lost", () => {
  const { seen, group, commits, timers, text } = setup();
  group(note("a"));
  commits.close();
  expect(text()).toBe(line(1, "a"));
  expect(timers.size).toBe(0);
  expect(seen.replies.at(-1)).toEqual({ type: "closed", lost: 0, message: "" });
});

test("close says which notes the disk did not take", () => {
  const { seen, group, commits } = setup({
    write() {
      throw failure("ENOSPC");
    },
  });
  group(note("a"), note("b"));
  commits.close();
  expect(seen.replies.at(-1)).toMatchObject({
    type: "closed",
    lost: 2,
    message: expect.stringContaining("ENOSPC"),
  });
});
