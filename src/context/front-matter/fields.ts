/** One key of it; `line` is the file's, from 1. */
export interface Field {
  readonly value: unknown;
  readonly line: number;
}
export type Fields = ReadonlyMap<string, Field>;

/** Something that a person should repair; `message` is a sentence. */
export interface Fault {
  readonly line: number;
  readonly message: string;
  /** What stands there and cannot be read. */
  readonly key?: string;
}
