import { isObject } from "../lib/json.ts";

/** A parsed line before its schema: of an older version, or of this one. */
type Fields = Readonly<Record<string, unknown>>;

/** Starts what converts the records of one journal to the next version. It may keep state from earlier records. */
type Step = () => (record: Fields) => Fields;

/**
 * Returns the record as this version writes it. `from` is the version in the latest `session` record: a session resumed
 * by a newer Troupe has several. Never throws: a record of an unexpected shape is left for the schema to refuse.
 */
export type Migrate = (record: unknown, from: number) => unknown;

/** The first version that was released, also assumed if the record with the version is damaged. */
export const OLDEST_VERSION = 5;

/**
 * One step per version (fault 67): the first makes version 6 of version 5. A step leaves records of the new form
 * unchanged: without a `session` record, lines count as the oldest version.
 */
const STEPS: readonly Step[] = [];

/** For one reading of one journal; pass its records in order. */
export function migration(steps = STEPS): Migrate {
  const started = steps.map((start) => start());
  return (record, from) => {
    if (!isObject(record)) return record;
    return started
      .slice(Math.max(from - OLDEST_VERSION, 0))
      .reduce<Fields>((migrated, step) => step(migrated), record);
  };
}
