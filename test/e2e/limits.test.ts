// @module-tag long
import { appendFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { journalFile } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { troupe } from "../support/cli-process.ts";
import { apiError, type RequestBody, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { smallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A provider with a usage limit that is reached at one request, and reset at a time. */
async function limitedWorld(
  limit: { atRequest: number; until(): number },
  home = temporaryFolder("troupe-home-"),
) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.txt"), "alpha\n");
  const sent: number[] = [];
  let refusedAt = 0;
  const server = await startMessagesServer(({ body, n }) => {
    sent.push(Date.now());
    const left = n < limit.atRequest ? 0 : limit.until() - Date.now();
    if (left > 0) {
      refusedAt ||= Date.now();
      const headers = { "retry-after-ms": String(left) };
      return { ...apiError(429, "rate_limit_error", "This request would exceed your limit"), headers };
    }
    return answer(body);
  });
  onTestFinished(() => server.close());
  const projects = join(home, ".troupe/projects");
  const project = () => join(projects, readdirSync(projects)[0] ?? "");
  const id = () => readdirSync(project())[0] ?? "";
  const folder = () => join(project(), id());
  return { options: { home, cwd, url: server.url }, server, sent, id, folder, refusedAt: () => refusedAt };
}

/** Each agent reads a file, then answers with its task. */
function answer({ messages }: RequestBody) {
  const isFirst = !messages.some(({ role }) => role === "assistant");
  const task = /task \d+/.exec(JSON.stringify(messages[0]?.content))?.[0] ?? "?";
  return isFirst ? { calls: [{ name: "Read", input: { file_path: "a.txt" } }] } : { text: `did ${task}` };
}

const tasks = (count: number) => Array.from({ length: count }, (_, n) => `task ${n + 1}`);
const HOUR = 3_600_000;

describe("a usage limit", () => {
  test("longer than --limit-patience ends a run immediately, with the time and the command that resumes it; nothing has failed", async () => {
    let until = Date.now() + 90 * 60_000;
    const { options, id, server } = await limitedWorld({ atRequest: 3, until: () => until });
    const before = Date.now();
    const first = await troupe(["fanout", ...tasks(3)], options);
    expect(Date.now() - before).toBeLessThan(60_000);
    expect(first.code).toBe(124);
    expect(
      first.err.match(/is paused until 20\d\d-\d\d-\d\d \d\d:\d\d UTC \(1 h (29|30) min\)/g),
    ).toHaveLength(1);
    expect(first.err).toContain(`troupe --resume ${id()}`);
    expect(first.err).toContain("longer than --limit-patience allows (10 min 00 s)");
    expect(first.out).not.toContain("failed");
    // The limit is raised: whoever resumes need not wait for the time that was named.
    until = 0;
    const asked = server.requests.length;
    const second = await troupe(["-p", "--resume", id()], options);
    expect(second).toMatchObject({ code: 0, signal: null });
    const repeated = server.requests
      .slice(asked)
      .map(({ body }) => JSON.stringify(body.messages[0]?.content));
    expect(new Set(repeated).size).toBeLessThanOrEqual(3);
  });

  test("within the patience is waited for, also by a prompt; every task is done", async () => {
    const until = Date.now() + 6_000;
    const { options, sent, refusedAt } = await limitedWorld({ atRequest: 2, until: () => until });
    const settings = { patienceMs: 500 };
    const { code, out, err } = await troupe(["fanout", ...tasks(3), "--limit-patience", "1h"], {
      ...options,
      settings,
    });
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    for (const task of tasks(3)) expect(out).toContain(`did ${task}`);
    // Those that were in flight when the first was refused, and the one that tries when it is over.
    expect(sent.filter((at) => at > refusedAt() + 1_000 && at < until)).toEqual([]);
  });

  test("at child 7 of 32, with SIGKILL during the pause: 32 are done, and at most one request is sent in the pause", async () => {
    let until = Date.now() + HOUR;
    const { options, sent, id, folder } = await limitedWorld({ atRequest: 6, until: () => until });
    const flags = ["--limit-patience", "24h", "--concurrency", "4"];
    const killed = await troupe(["fanout", ...tasks(32), ...flags], {
      ...options,
      onStart(child) {
        // Four work at a time: all of them have been refused.
        let seen = "";
        child.stderr?.on("data", (text) => {
          seen += text;
          if (/is paused until/.test(seen)) setTimeout(() => child.kill("SIGKILL"), 300);
        });
      },
    });
    expect(killed.signal).toBe("SIGKILL");
    const atKill = sent.length;
    until = Date.now() + 5_000;
    const { code, err } = await troupe(["-p", "--resume", id(), ...flags.slice(0, 2)], options);
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    expect(sent.slice(atKill).filter((at) => at < until).length).toBeLessThanOrEqual(1);
    const reading = await readJournal(journalFile(folder()));
    if (reading.type === "refused") throw new Error(reading.reason);
    const ends = reading.records.flatMap(({ event }) => (event.type === "summary" ? [event] : []));
    expect(ends.filter(({ summary }) => summary.status === "done")).toHaveLength(32);
    expect(new Set(ends.map(({ actor }) => actor)).size).toBe(32);
  });

  const { why, mountIn } = smallDisk();
  test.each([
    ["is free again before the limit is over", true],
    ["stays full until the run is resumed", false],
  ])(
    "a disk that fills up during the pause and %s: what could not be recorded is said, and each task is done once",
    { tags: ["long"], ...unless(why) },
    async (_, isFreed) => {
      let until = 0;
      const home = mountIn(temporaryFolder("troupe-disk-"), "16m");
      const { options, id, folder } = await limitedWorld(
        { atRequest: 2, until: () => (until ||= Date.now() + 12_000) },
        home,
      );
      const settings = { patienceMs: 500 };
      const ballast = join(home, "ballast");
      const run = troupe(["fanout", ...tasks(3), "--limit-patience", "1h"], {
        ...{ ...options, settings },
        onStart(child) {
          let seen = "";
          child.stderr?.on("data", (text) => {
            const wasPaused = /is paused until/.test(seen);
            seen += text;
            if (wasPaused || !/is paused until/.test(seen)) return;
            fill(ballast);
            if (isFreed) setTimeout(() => rmSync(ballast, { force: true }), 3_000);
          });
        },
      });
      const first = await run;
      expect(first.signal).toBeNull();
      // A few records may fit into what the file's last block has left.
      if (first.code !== 0) expect(first.err).toContain("the disk is full (ENOSPC); free some space");
      rmSync(ballast, { force: true });
      for (const [line] of first.out.matchAll(/^failed: .*$/gm))
        expect(line).toContain("the disk is full (ENOSPC)");
      // What could not be written down is asked for again.
      const resumed = first.code === 0 ? null : await troupe(["-p", "--resume", id()], options);
      for (const task of tasks(3)) expect(first.out + (resumed?.out ?? "")).toContain(`did ${task}`);
      const reading = await readJournal(journalFile(folder()));
      if (reading.type === "refused") throw new Error(reading.reason);
      const ends = reading.records.flatMap(({ event }) => (event.type === "summary" ? [event] : []));
      expect(ends.map(({ summary }) => summary.status)).toEqual(ends.map(() => "done"));
      expect(new Set(ends.map(({ actor }) => actor)).size).toBe(ends.length);
    },
  );
});

/** Writes until the disk has no room. */
function fill(path: string): void {
  for (let size = 1024 * 1024; size >= 512; size /= 2)
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size));
    } catch {
      // Less may still fit.
    }
}
