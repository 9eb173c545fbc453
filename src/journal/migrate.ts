import { isObject } from "../lib/json.ts";
import { JOURNAL_VERSION } from "./session-events.ts";

/** A parsed line before its schema: of an older version, or of this one. */
type Fields = Readonly<Record<string, unknown>>;

/** Converts a record of one version to the next. It may keep state from earlier records of the journal. */
type Step = (record: Fields) => Fields;

/**
 * Returns the record as this version writes it. `from` is the version in the latest `session` record: a session resumed
 * by a newer Troupe has several. Never throws: a record of an unexpected shape is left for the schema to refuse.
 */
export type Migrate = (record: unknown, from: number) => unknown;

/** The version assumed if the record with the version is damaged. */
export const OLDEST_VERSION = 1;

/**
 * One step per version (fault 67): the first makes version 2 of version 1. A step leaves records of the new form
 * unchanged: without a `session` record, lines count as the oldest version.
 */
const STEPS: readonly (() => Step)[] = [promptsHaveIds, recordsStay, noticesAreNamed, recordsStay];

/** For one reading of one journal; pass its records in order. */
export function migration(to = JOURNAL_VERSION): Migrate {
  const steps = STEPS.map((start) => start());
  return (record, from) => {
    if (from >= to || !isObject(record)) return record;
    return steps
      .slice(Math.max(from, OLDEST_VERSION) - 1, to - 1)
      .reduce<Fields>((migrated, step) => step(migrated), record);
  };
}

/** The lines of version 3 have checksums; in version 5 agents may share a record of their tools. */
function recordsStay(): Step {
  return (record) => record;
}

/** Version 4 says `notice` where version 3 said "news": in prompts, specs, replies and turns. word-ok */
function noticesAreNamed(): Step {
  const rename = (value: unknown): unknown => {
    if (!isObject(value) || value["news"] === undefined) return value; // word-ok: as recorded
    const { news: notice, ...rest } = value;
    return { ...rest, notice };
  };
  return (record) => {
    const { event } = record;
    if (!isObject(event)) return record;
    if (event["type"] === "prompt" && event["news"]) return { ...record, event: rename(event) }; // word-ok: as recorded
    const key = { spawn: "spec", reply: "reply", turn: "turn" }[String(event["type"])];
    const part = key === undefined ? undefined : event[key];
    if (key === undefined || !isObject(part) || !Array.isArray(part["heard"])) return record;
    return { ...record, event: { ...event, [key]: { ...part, heard: part["heard"].map(rename) } } };
  };
}

/**
 * Version 2 uses IDs for the prompts in a turn. In version 1 all messages to an actor arrived as steering with the same
 * text, in the same order.
 */
function promptsHaveIds(): Step {
  const undelivered: { readonly actor: unknown; readonly text: unknown; readonly id: string }[] = [];
  const namePrompt = (actor: unknown, steer: unknown): unknown => {
    if (!isObject(steer) || steer["of"] !== undefined) return steer;
    const index = undelivered.findIndex((prompt) => prompt.actor === actor && prompt.text === steer["text"]);
    const [heard] = index === -1 ? [] : undelivered.splice(index, 1);
    return heard === undefined ? steer : { ...steer, of: [heard.id] };
  };
  return (record) => {
    const { seq, event } = record;
    if (!isObject(event)) return record;
    const { type, actor, turn, message } = event;
    if (type === "prompt" && event["id"] === undefined) {
      const id = `p${String(seq)}`;
      if (isObject(message)) undelivered.push({ actor, text: message["content"], id });
      return { ...record, event: { ...event, id } };
    }
    if (type !== "turn" || undelivered.length === 0 || !isObject(turn) || !Array.isArray(turn["heard"]))
      return record;
    const heard = turn["heard"].map((steer) => namePrompt(actor, steer));
    return { ...record, event: { ...event, turn: { ...turn, heard } } };
  };
}
