import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { JournalError } from "../../src/journal/journal-error.ts";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { processIdentity } from "../../src/journal/process-identity.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { lockSession } from "../../src/journal/session-lock.ts";
import { startJournal } from "../../src/journal/thread-journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startThread } from "../../src/lib/threads.ts";
import { prompt, SESSION, sessionEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A file system of 256 KB; null where this user may not mount one. */
function smallDisk(folder: string, ...options: readonly string[]): string | null {
  try {
    const all = ["size=256k", ...options].join(",");
    execFileSync("mount", ["-t", "tmpfs", "-o", all, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

test("a full disk is said, refuses side effects, and is got over with every note (fault 42)", async ({
  skip,
}) => {
  const home = smallDisk(await temporaryFolder());
  if (home === null) return skip("a full disk needs the right to mount a tmpfs (Linux, root)");
  const warnings: string[] = [];
  const place = sessionPaths(home, "/w", SESSION);
  const journal = startJournal({ ...place, clock: systemClock, onWarning: (said) => warnings.push(said) });
  await journal.append(sessionEvent());
  expect(journal.state()).toEqual({ type: "writable" });

  const ballast = join(home, "ballast");
  try {
    writeFileSync(ballast, Buffer.alloc(512 * 1024));
  } catch {
    // As much as there was room for.
  }
  const refused = await journal.append(prompt("x".repeat(50_000))).catch((error: unknown) => error);
  expect(refused instanceof JournalError && refused.kind).toBe("unwritable");
  const full = /the disk is full \(ENOSPC\); free some space, then try again\.$/;
  expect(journal.state()).toEqual({
    type: "unwritable",
    reason: expect.stringMatching(full),
    forGood: false,
  });
  journal.note(prompt(`kept ${"y".repeat(8_000)}`));
  await expect(journal.append(prompt("x".repeat(50_000)))).rejects.toThrow(full);
  expect(warnings).toEqual([expect.stringMatching(full)]);

  rmSync(ballast);
  expect(await journal.append(prompt("on"))).toBe(3);
  expect(journal.state()).toEqual({ type: "writable" });
  expect(warnings.slice(1)).toEqual([expect.stringMatching(/can be written again\.$/)]);
  await journal.close();
  const reading = await readJournal(journalFile(place.folder));
  expect(reading).toMatchObject({ type: "read", notes: [] });
  expect(
    reading.type === "read" &&
      reading.records.map(({ event }) =>
        event.type === "prompt" ? `${event.message.content}`.slice(0, 4) : "",
      ),
  ).toEqual(["", "kept", "on"]);
  expect(readdirSync(place.folder)).toEqual(["journal.jsonl"]);
});

test("notes that a full disk has kept waiting survive the death of the writer (J10)", async ({ skip }) => {
  const home = smallDisk(await temporaryFolder());
  if (home === null) return skip("a full disk needs the right to mount a tmpfs (Linux, root)");
  const threads: Worker[] = [];
  const restarted = Promise.withResolvers<void>();
  const place = sessionPaths(home, "/w", SESSION);
  const journal = startJournal({
    ...{ ...place, clock: systemClock },
    onWarning: (said) => void (said.includes("was started again") && restarted.resolve()),
    startThread(kind) {
      const thread = startThread(kind);
      threads.push(thread);
      return thread;
    },
  });
  await journal.append(sessionEvent());
  const ballast = join(home, "ballast");
  expect(() => writeFileSync(ballast, Buffer.alloc(512 * 1024))).toThrow(/ENOSPC/);
  journal.note(prompt(`kept ${"y".repeat(8_000)}`));
  await expect(journal.append(prompt("x".repeat(50_000)))).rejects.toThrow(/the disk is full/);
  await threads[0]?.terminate();
  await restarted.promise;
  rmSync(ballast);
  expect(await journal.append(prompt("on"))).toBe(3);
  await journal.close();
  const reading = await readJournal(journalFile(place.folder));
  expect(reading).toMatchObject({
    ...{ type: "read", notes: [] },
    records: [
      { event: { type: "session" } },
      { event: { message: { content: expect.stringContaining("kept ") } } },
      { event: prompt("on") },
    ],
  });
});

test("a home on a read-only disk is said with what to do, by the lock and by the journal (fault 44)", async ({
  skip,
}) => {
  const home = smallDisk(await temporaryFolder(), "ro");
  if (home === null) return skip("a read-only disk needs the right to mount a tmpfs (Linux, root)");
  const place = sessionPaths(home, "/w", SESSION);
  const sentence =
    /the file system is read-only \(EROFS\); set TROUPE_HOME to a directory that can be written\.$/;
  expect(() => lockSession(place, processIdentity(process.pid))).toThrow(sentence);
  const journal = startJournal({ ...place, clock: systemClock });
  await expect(journal.append(sessionEvent())).rejects.toThrow(sentence);
  expect(journal.state()).toMatchObject({ type: "unwritable", forGood: false });
  await journal.close();
});
