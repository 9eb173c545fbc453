import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { migration } from "../../src/journal/migrate.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { JOURNAL_VERSION } from "../../src/journal/session-events.ts";
import { lineOf, prompt, sessionEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const VERSION_1 = fileURLToPath(new URL("./fixtures/version-1.jsonl", import.meta.url));

const recordOf = (seq: number, event: object) => ({ seq, at: "t", event });
const said = (text: string, actor = "main") => ({
  type: "prompt",
  actor,
  message: { role: "user", content: text },
});
const turn = (heard: object[], actor = "main") => ({ type: "turn", actor, turn: { heard } });

async function eventsOf(path: string) {
  const reading = await readJournal(path);
  if (reading.type === "refused") throw new Error(reading.reason);
  expect(reading.notes).toEqual([]);
  return reading.records.map(({ event }) => event);
}

test("a session of version 1 is read whole, as this version writes it (fault 67)", async () => {
  const events = await eventsOf(VERSION_1);
  const lines = (await readFile(VERSION_1, "utf8")).trimEnd().split("\n");
  expect(events.map(({ type }) => type)).toEqual(lines.map((line) => JSON.parse(line).event.type));
  expect(events[8]).toMatchObject({ type: "prompt", id: "p9" });
  expect(events[9]).toMatchObject({ turn: { heard: [{ text: "also below src", of: ["p9"] }] } });
  expect(events[15]).toMatchObject({ turn: { heard: [{ text: "and the tests?", of: ["p15"] }] } });
  // Said, and the session was cut off: still owed.
  expect(events[17]).toMatchObject({ type: "prompt", id: "p18" });
});

test("each line is read by the version of the latest session record before it", async () => {
  const path = join(await temporaryFolder(), "journal.jsonl");
  const ours = { ...prompt("new"), id: "given" };
  const events = [sessionEvent({ version: 1 }), prompt("old"), sessionEvent(), prompt("none"), ours];
  const lines = events.map((event, index) => {
    const line = lineOf(recordOf(index + 1, event)).trimEnd();
    return index < 2 ? JSON.stringify(recordOf(index + 1, event)) : line;
  });
  await writeFile(path, `${lines.join("\n")}\n`);
  const prompts = (await eventsOf(path)).filter(({ type }) => type === "prompt");
  expect(prompts.map((event) => ("id" in event ? event.id : null))).toEqual(["p2", null, "given"]);
});

test("a journal whose session record is damaged is taken for the oldest, and what is new in it stays", async () => {
  const path = join(await temporaryFolder(), "journal.jsonl");
  const events = [prompt("old"), { ...prompt("new"), id: "given" }];
  const lines = events.map((event, index) => JSON.stringify(recordOf(index + 2, event)));
  await writeFile(path, `rubbish\n${lines.join("\n")}\n`);
  const reading = await readJournal(path);
  expect(reading.type === "read" && reading.records.map(({ event }) => event)).toMatchObject([
    { id: "p2" },
    { id: "given" },
  ]);
});

test("1 to 2: prompts have ids, and the turn that heard one names it", () => {
  const migrate = migration(2);
  const step = (seq: number, event: object) => migrate(recordOf(seq, event), 1);
  expect(step(1, said("a"))).toEqual(recordOf(1, { ...said("a"), id: "p1" }));
  step(2, said("a"));
  step(3, said("a", "alice"));
  expect(step(4, turn([{ text: "other" }, { text: "a" }]))).toEqual(
    recordOf(4, turn([{ text: "other" }, { text: "a", of: ["p1"] }])),
  );
  expect(step(5, turn([{ text: "a" }], "alice"))).toEqual(
    recordOf(5, turn([{ text: "a", of: ["p3"] }], "alice")),
  );
  expect(step(6, turn([{ text: "a" }, { text: "a" }]))).toEqual(
    recordOf(6, turn([{ text: "a", of: ["p2"] }, { text: "a" }])),
  );
});

test("3 to 4: text of the runtime is marked as a notice in prompts, specs, replies and turns", () => {
  const migrate = migration(4);
  const heard = [{ text: "a" }, { text: "b", news: true }];
  const renamed = [{ text: "a" }, { text: "b", notice: true }];
  const step = (event: object) => migrate(recordOf(1, event), 3);
  expect(step({ type: "prompt", news: true })).toEqual(recordOf(1, { type: "prompt", notice: true }));
  for (const [type, key] of [
    ["spawn", "spec"],
    ["reply", "reply"],
    ["turn", "turn"],
  ] as const)
    expect(step({ type, [key]: { heard } })).toEqual(recordOf(1, { type, [key]: { heard: renamed } }));
});

test.each([
  ["of this version", recordOf(1, said("a")), JOURNAL_VERSION],
  ["of a kind no step knows", recordOf(1, { type: "teleport" }), 1],
  ["without an event", { seq: 1 }, 1],
  ["that is a list", [1], 1],
  ["that is a text", "x", 1],
  ["whose turn is none", recordOf(1, { type: "turn", turn: 7 }), 1],
])("a line %s is left as it is", (_, line, from) => {
  expect(migration()(line, from)).toBe(line);
});
