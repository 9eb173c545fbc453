import { isUtf8 } from "node:buffer";
import * as z from "zod/mini";
import { parseJson } from "../lib/json.ts";
import { lazy } from "../lib/lazy.ts";
import { verifyLine } from "./lines.ts";
import { type Migrate, migration, OLDEST_VERSION } from "./migrate.ts";
import { JOURNAL_VERSION, JournalRecord, SessionEvent } from "./session-events.ts";

/** The result of parsing one line of a journal. `version`: that of this line and those after it. */
export type RecordLine =
  | { readonly type: "record"; readonly record: JournalRecord; readonly version: number }
  /** A record whose event this version does not know. */
  | { readonly type: "unknown"; readonly event: string; readonly seq: number; readonly version: number }
  | { readonly type: "newer"; readonly version: number }
  /** A line before it has its number: it would be folded twice. */
  | { readonly type: "repeated"; readonly seq: number }
  /** `why` completes the sentence "line N is …". */
  | { readonly type: "invalid"; readonly why: string };

const knownEvents = lazy(
  (): ReadonlySet<unknown> =>
    new Set(SessionEvent.def.getter().def.options.flatMap((option) => [...option.def.shape.type.def.values])),
);

/** The part of a record that every version has. */
const Outline = z.object({
  seq: z.number(),
  event: z.object({ type: z.string(), version: z.optional(z.unknown()) }),
});

/**
 * `version`: the one in force at this line; a `session` record has its own. `migrate` must get the lines before this
 * one first; a separate line (a journal's first or last) needs none of them.
 */
export function parseRecord(
  bytes: Buffer,
  version = OLDEST_VERSION,
  migrate: Migrate = migration(),
): RecordLine {
  const value = isUtf8(bytes) ? parseJson(bytes.toString()) : undefined;
  if (value === undefined) return { type: "invalid", why: "torn or not JSON" };
  const checksum = verifyLine(bytes);
  if (checksum === "damaged") return { type: "invalid", why: "damaged (its checksum does not match)" };
  const outline = z.safeParse(Outline, value);
  if (!outline.success) return { type: "invalid", why: "not a record of a journal" };
  const { seq, event } = outline.data;
  const from = event.type === "session" && typeof event.version === "number" ? event.version : version;
  // Before the schema: a newer session record may not satisfy this version's.
  if (from > JOURNAL_VERSION) return { type: "newer", version: from };
  if (checksum === "none") return { type: "invalid", why: "without its checksum" };
  if (!knownEvents().has(event.type)) return { type: "unknown", event: event.type, seq, version: from };
  const record = z.safeParse(JournalRecord, migrate(value, from));
  if (record.success) return { type: "record", record: record.data, version: from };
  const where = record.error.issues[0]?.path.join(".") ?? "";
  return { type: "invalid", why: `not a valid ${event.type} record (${where})` };
}

/** Returns what parses the lines of one journal in their order; null is one that was too long to be kept. */
export function createLineParser() {
  const migrate = migration();
  const seen = new Set<number>();
  let version = OLDEST_VERSION;
  return (line: Buffer | null): RecordLine => {
    if (line === null) return { type: "invalid", why: "longer than any record" };
    const parsed = parseRecord(line, version, migrate);
    if (parsed.type !== "record" && parsed.type !== "unknown") return parsed;
    version = parsed.version;
    const { seq } = parsed.type === "record" ? parsed.record : parsed;
    if (seen.has(seq)) return { type: "repeated", seq };
    seen.add(seq);
    return parsed;
  };
}

export function newerVersionProblem(path: string, version: number): string {
  return `The journal ${path} was written by a newer Troupe (journal version ${version}, this one reads up to ${JOURNAL_VERSION}); update Troupe to open it.`;
}
