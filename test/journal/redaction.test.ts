import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { redactJson } from "../../src/journal/redact-event.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { startJournal } from "../../src/journal/thread-journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { redactionOf } from "../../src/policy/secrets/redactor.ts";
import { ALICE, prompt, SESSION, sessionEvent, spawn, summary, turnEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SECRET = ["ghp", "aB3dE6gH9j".repeat(4)].join("_").slice(0, 40);
/** Such as a password can be. */
const KNOWN = 'pass "word"\n\\9';
const redaction = redactionOf({ values: [KNOWN, "assistant"] });

const events: readonly SessionEvent[] = [
  sessionEvent({ title: `with ${SECRET}` }),
  prompt(`take ${SECRET}, and ${KNOWN}`),
  spawn(ALICE, { description: SECRET }),
  {
    type: "before",
    actor: MAIN,
    call: callId(MAIN, 1, 0),
    tool: "Bash",
    input: { command: `curl -H "Authorization: Bearer ${SECRET}"`, list: [[KNOWN]], type: SECRET },
    decision: "go",
  },
  turnEvent(MAIN, 1, `It is ${SECRET}.`),
  turnEvent(MAIN, 2, "nothing here, an assistant says"),
  { type: "summary", actor: ALICE, summary: summary(`found ${KNOWN}`), durationMs: 1 },
  prompt("ordinary \u2028 words"),
];

test("no secret reaches the disk, and every record is still one (issue 4, 9)", async () => {
  const place = sessionPaths(await temporaryFolder(), "/w", SESSION);
  const journal = startJournal({ ...place, clock: systemClock, redaction });
  await Promise.all(events.map((event) => journal.append(event)));
  await journal.close();

  const text = await readFile(journalFile(place.folder), "utf8");
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(JSON.stringify(KNOWN).slice(1, -1));
  const reading = await readJournal(journalFile(place.folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  expect(reading.notes).toEqual([]);
  expect(reading.records.map(({ event }) => event.type)).toEqual(events.map(({ type }) => type));
  expect(reading.records[1]?.event).toEqual(
    prompt("take [redacted GitHub token], and [redacted credential]"),
  );
  expect(reading.records[3]?.event).toMatchObject({
    input: {
      command: 'curl -H "Authorization: Bearer [redacted GitHub token]"',
      list: [["[redacted credential]"]],
      type: "[redacted GitHub token]",
    },
  });
  // A credential that is a word of records: the records' own are kept.
  expect(reading.records[5]?.event).toMatchObject({
    turn: { messages: [{ role: "assistant", content: "nothing here, an [redacted credential] says" }] },
  });
  expect(reading.records[7]?.event).toEqual(events[7]);
});

test("only what strings hold is changed, and what has no secret stays as it is to the letter", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(redactJson(json, redaction)).toBe(json);
      const mixed = JSON.stringify({ value, secret: SECRET, [SECRET]: 1 });
      expect(JSON.parse(redactJson(mixed, redaction))).toEqual({
        ...JSON.parse(mixed),
        secret: "[redacted GitHub token]",
      });
    }),
    { seed: 3 },
  );
});

const MEGABYTE = 1024 * 1024;

test.each([
  ["at its end", `${"words ".repeat(MEGABYTE / 6)}${SECRET}`, 1],
  // Side by side: wherever a text is cut into chunks, a secret lies across the cut.
  ["wherever it is cut into chunks", `${SECRET} `.repeat(Math.ceil(MEGABYTE / 41)), Math.ceil(MEGABYTE / 41)],
])("no secret in a tool result of 1 MB reaches the disk, %s (J9)", async (_, content, count) => {
  const place = sessionPaths(await temporaryFolder(), "/w", SESSION);
  const journal = startJournal({ ...place, clock: systemClock, redaction });
  const result = { type: "tool_result" as const, tool_use_id: "toolu_1", content };
  await journal.append(turnEvent(MAIN, 1, "", { messages: [{ role: "user", content: [result] }] }));
  await journal.close();
  const written = await readFile(journalFile(place.folder), "utf8");
  expect(written.includes(SECRET.slice(0, 20))).toBe(false);
  expect(written.split("[redacted GitHub token]")).toHaveLength(count + 1);
});
