import { mkdir, open, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalFile, projectsFolder, sessionPaths } from "../../src/journal/paths.ts";
import { processIdentity } from "../../src/journal/process-identity.ts";
import { JOURNAL_VERSION, type SessionEvent } from "../../src/journal/session-events.ts";
import { lockSession } from "../../src/journal/session-lock.ts";
import { findSession, latestSession, listSessions } from "../../src/journal/sessions.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import { lineOf, prompt, sessionEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const END: SessionEvent = { type: "end", status: "done", agents: 3, costUsd: 0.5 };

interface Stored {
  readonly cwd?: string;
  /** Minute of the day it was started. */
  readonly minute?: number;
  readonly events?: readonly SessionEvent[];
  readonly title?: string;
  readonly after?: string;
}

async function store(home: string, name: string, stored: Stored = {}): Promise<string> {
  const { cwd = "/w", minute = 0, events = [prompt("one")], title = name, after = "" } = stored;
  const id = SessionId.parse(name);
  const { folder } = sessionPaths(home, cwd, id);
  const lines = [sessionEvent({ id, cwd, title }), ...events].map((event, index) => {
    const at = `2026-01-01T00:${String(minute).padStart(2, "0")}:0${index}.000Z`;
    return lineOf({ seq: index + 1, at, event });
  });
  await mkdir(folder, { recursive: true });
  await writeFile(journalFile(folder), lines.join("") + after);
  return folder;
}

test("sessions are listed newest first, with what their two ends say", async () => {
  const home = await temporaryFolder();
  await store(home, "oldest", { minute: 1 });
  const folder = await store(home, "newest", { minute: 3, events: [prompt("ü".repeat(9_000)), END] });
  await store(home, "middle", { minute: 2, cwd: "/other" });
  const { sessions, notes } = await listSessions(home);
  expect(notes).toEqual([]);
  expect(sessions.map(({ id }) => id)).toEqual(["newest", "middle", "oldest"]);
  expect(sessions[0]).toEqual({
    id: "newest",
    home,
    folder,
    cwd: "/w",
    title: "newest",
    model: "sonnet",
    startedAt: "2026-01-01T00:03:00.000Z",
    changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    state: "ended",
    endedAt: "2026-01-01T00:03:02.000Z",
    status: "done",
    agents: 3,
    costUsd: 0.5,
    bytes: expect.any(Number),
  });
  expect(sessions[0]?.bytes).toBeGreaterThan(18_000);
  expect(sessions[2]).toMatchObject({
    state: "interrupted",
    ...{ endedAt: null, status: null, agents: null, costUsd: null },
  });
});

test("only the sessions about one folder are listed, though another has the same slug", async () => {
  const home = await temporaryFolder();
  await store(home, "dashed", { cwd: "/a/b-c" });
  await store(home, "nested", { cwd: "/a/b/c" });
  expect((await listSessions(home, "/a/b-c")).sessions.map(({ id }) => id)).toEqual(["dashed"]);
  expect((await listSessions(home, "/a/b/c")).sessions.map(({ id }) => id)).toEqual(["nested"]);
  expect(await listSessions(home, "/nowhere")).toEqual({ sessions: [], notes: [] });
});

test.each([
  ["a torn line follows the end", { events: [END], after: '{"seq":9' }],
  ["it went on after its end", { events: [END, prompt("again")] }],
  ["its last record is longer than an end", { events: [prompt("x".repeat(20_000))] }],
  ["it has one record", { events: [] }],
])("a session has not ended when %s", async (_, stored) => {
  const home = await temporaryFolder();
  await store(home, "open1", stored);
  expect((await listSessions(home)).sessions).toMatchObject([
    { id: "open1", state: "interrupted", endedAt: null, agents: null },
  ]);
});

test("a session that a process has open is running, until that ends it or is gone", async () => {
  const home = await temporaryFolder();
  const place = { home, folder: await store(home, "open1") };
  const stateOf = async () => (await listSessions(home)).sessions[0]?.state;
  expect(await stateOf()).toBe("interrupted");
  const lock = lockSession(place, processIdentity(process.pid));
  expect(await stateOf()).toBe("running");
  if (lock.type === "locked") lock.release();
  expect(await stateOf()).toBe("interrupted");
  lockSession(place, { pid: process.pid, startedAt: "another boot" });
  expect(await stateOf()).toBe("interrupted");
  await store(home, "open1", { events: [END] });
  expect(await stateOf()).toBe("ended");
});

test("the latest session of a folder is the one that was last written, not the one last started", async () => {
  const home = await temporaryFolder();
  const resumed = await store(home, "resumed", { minute: 1 });
  const newer = await store(home, "newer", { minute: 2 });
  await store(home, "elsewhere", { minute: 3, cwd: "/other" });
  await utimes(journalFile(newer), 1_000, 1_000);
  await utimes(journalFile(resumed), 1_000, 2_000);
  expect(await latestSession(home, "/w")).toMatchObject({
    session: { id: "resumed", folder: resumed },
    notes: [],
  });
  expect(await latestSession(home, "/nowhere")).toEqual({ session: null, notes: [] });
});

const TITLE: SessionEvent = { type: "title", title: "where is it?" };

test.each([
  ["its title record, while it is open", [TITLE, prompt("x".repeat(20_000))], "where is it?"],
  ["its title record, after its end", [TITLE, END], "where is it?"],
  ["its end record, as older journals have it", [{ ...END, title: "where is it?" }], "where is it?"],
  ["none, before its first prompt", [], ""],
] as const)("a session that was started without a title is listed by %s", async (_, events, title) => {
  const home = await temporaryFolder();
  await store(home, "untitled", { title: "", events });
  expect((await listSessions(home)).sessions).toMatchObject([{ title }]);
});

test("a whole prompt as title is read too", async () => {
  const home = await temporaryFolder();
  await store(home, "wordy", { title: "word ".repeat(40_000) });
  expect((await listSessions(home)).sessions[0]?.title).toHaveLength(200_000);
});

test("a journal of any size is listed by its ends alone", async () => {
  const home = await temporaryFolder();
  const folder = await store(home, "huge");
  const handle = await open(journalFile(folder), "r+");
  // A hole of 40 GB: whoever read it through would not come back.
  const size = 40 * 1024 ** 3;
  const end = `\n${lineOf({ seq: 9, at: "2026-01-01T01:00:00.000Z", event: END })}`;
  await handle.write(end, size);
  await handle.close();
  expect((await listSessions(home)).sessions).toMatchObject([
    { id: "huge", endedAt: "2026-01-01T01:00:00.000Z", agents: 3, bytes: size + end.length },
  ]);
});

test("reports what cannot be listed and skips what is not a session", async () => {
  const home = await temporaryFolder();
  await store(home, "good");
  const torn = await store(home, "torn1");
  await writeFile(journalFile(torn), '{"seq":1,"at":"20');
  const newer = await store(home, "newer");
  await writeFile(journalFile(newer), '{"seq":1,"at":"x","event":{"type":"session","version":99}}\n');
  const linked = await store(home, "linked");
  await symlink(linked, join(projectsFolder(home), "-w", "alias"));
  await mkdir(join(projectsFolder(home), "-w", "memory"));
  await writeFile(join(projectsFolder(home), "stray.txt"), "");
  const { sessions, notes } = await listSessions(home);
  expect(sessions.map(({ id }) => id).sort()).toEqual(["good", "linked"]);
  expect([...notes].sort()).toEqual(
    [
      `The journal ${journalFile(torn)} does not begin with a whole session record, so it is not listed; \`troupe sessions show torn1\` shows what is left of it.`,
      `The journal ${journalFile(newer)} was written by a newer Troupe (journal version 99, this one reads up to ${JOURNAL_VERSION}); update Troupe to open it.`,
    ].sort(),
  );
});

test("a home that is not there has no sessions", async () => {
  const home = join(await temporaryFolder(), "absent");
  expect(await listSessions(home)).toEqual({ sessions: [], notes: [] });
  expect(await findSession(home, "abcd")).toEqual({ type: "unknown" });
});

test("a session is found by its id or an unambiguous beginning", async () => {
  const home = await temporaryFolder();
  const folder = await store(home, "abcd1");
  await store(home, "abcd12", { cwd: "/other" });
  await store(home, "xyz99");
  expect(await findSession(home, "abcd1")).toEqual({ type: "found", session: { id: "abcd1", home, folder } });
  expect(await findSession(home, "x")).toMatchObject({ type: "found", session: { id: "xyz99" } });
  const ambiguous = await findSession(home, "abc");
  expect(ambiguous.type === "ambiguous" && ambiguous.sessions.map(({ id }) => id).sort()).toEqual([
    "abcd1",
    "abcd12",
  ]);
});

test.each(["nope", "", "../..", "a/b", ".", "*"])("%j is no session", async (id) => {
  const home = await temporaryFolder();
  await store(home, "abcd1");
  expect(await findSession(home, id)).toEqual({ type: "unknown" });
});
