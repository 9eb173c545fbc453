/** One key of front matter; `line` is the file's, from 1. */
export interface Field {
  readonly value: unknown;
  readonly line: number;
}
export type Fields = ReadonlyMap<string, Field>;

/** Something in a Markdown file that the user should correct; `message` is a sentence. */
export interface FieldProblem {
  readonly line: number;
  readonly message: string;
  /** The key whose value cannot be read. */
  readonly key?: string;
}

/** The same with its file; `file` is null for what a flag says, `line` is null for the whole file. */
export interface FileProblem {
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
}

export function formatProblem({ file, line, message }: FileProblem): string {
  return file === null ? message : `${file}${line === null ? "" : `:${line}`} ${message}`;
}
