import { expect, test } from "vitest";
import { migration, OLDEST_VERSION } from "../../src/journal/migrate.ts";
import { JOURNAL_VERSION } from "../../src/journal/session-events.ts";
import { isObject } from "../../src/lib/json.ts";

const recordOf = (seq: number, event: object) => ({ seq, at: "t", event });

/** As if version 6 called `name` what version 5 calls `title`, and version 7 counted those records. */
function laterSteps() {
  let count = 0;
  const renamed = (record: Record<string, unknown>) => {
    const { event } = record;
    if (!isObject(event) || event["title"] === undefined) return record;
    const { title, ...rest } = event;
    return { ...record, event: { ...rest, name: title } };
  };
  const counted = (record: Record<string, unknown>) => {
    const { event } = record;
    if (!isObject(event) || event["name"] === undefined) return record;
    count += 1;
    return { ...record, event: { ...event, count } };
  };
  return [() => renamed, () => counted];
}

test("the record of an older version passes each step since then, in order, with what earlier ones left (fault 67)", () => {
  const migrate = migration(laterSteps());
  const titled = (seq: number) => recordOf(seq, { type: "title", title: "t" });
  const now = (seq: number, count: number) => recordOf(seq, { type: "title", name: "t", count });
  expect(migrate(titled(1), OLDEST_VERSION)).toEqual(now(1, 1));
  expect(migrate(now(2, 0), OLDEST_VERSION + 1)).toEqual(now(2, 2));
  expect(migrate(titled(3), OLDEST_VERSION + 2)).toEqual(titled(3));
  expect(migrate(titled(4), 1)).toEqual(now(4, 3));
});

test.each([
  ["of this version", recordOf(1, { type: "title", title: "t" }), JOURNAL_VERSION],
  ["of a kind no step knows", recordOf(1, { type: "teleport" }), OLDEST_VERSION],
  ["without an event", { seq: 1 }, OLDEST_VERSION],
  ["that is a list", [1], OLDEST_VERSION],
  ["that is a text", "x", OLDEST_VERSION],
  ["whose turn is none", recordOf(1, { type: "turn", turn: 7 }), OLDEST_VERSION],
])("a line %s is left as it is", (_, line, from) => {
  expect(migration()(line, from)).toBe(line);
});
