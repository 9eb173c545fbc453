import * as z from "zod/mini";
import { VCS_FOLDERS } from "./vcs-folders.ts";

export const DEFAULT_HEAD_LIMIT = 250;
/** Columns of one line of output; what is longer is shown up to here with ripgrep's own mark. */
export const MAX_COLUMNS = 500;

const whole = (text: string) => z.optional(z.number().check(z.describe(text)));
const flag = (text: string) => z.optional(z.boolean().check(z.describe(text)));
const text = (text: string) => z.optional(z.string().check(z.describe(text)));

export const GrepInput = z.strictObject({
  pattern: z.string().check(z.describe("Regular expression to search for, in ripgrep's syntax (required)")),
  path: text("File or folder to search in; the working directory when left out"),
  glob: text("Only files whose path matches this glob, e.g. '*.js' or '*.{ts,tsx}' (rg --glob)"),
  output_mode: z.optional(
    z
      .enum(["content", "files_with_matches", "count"])
      .check(
        z.describe(
          "'content' shows the matching lines, 'files_with_matches' the paths of the files (default), 'count' the number of matching lines of each file",
        ),
      ),
  ),
  "-B": whole("Lines to show before each match (rg -B); only with content"),
  "-A": whole("Lines to show after each match (rg -A); only with content"),
  "-C": whole("The same as context"),
  context: whole("Lines to show before and after each match (rg -C); only with content"),
  "-n": flag("Show line numbers (rg -n); only with content. Default: true"),
  "-i": flag("Ignore case (rg -i)"),
  "-o": flag("Only the matching parts of each line (rg -o). Default: false"),
  type: text("Only files of this type: js, py, rust, go, java and so on (rg --type)"),
  head_limit: whole(
    `Show at most this many lines or files, like head -N. Default: ${DEFAULT_HEAD_LIMIT}; 0 means all`,
  ),
  offset: whole("Skip this many lines or files before head_limit counts"),
  multiline: flag(
    "Let a match go over lines, . also matching newlines (rg -U --multiline-dotall). Default: false",
  ),
});
export type GrepInput = z.infer<typeof GrepInput>;
export type OutputMode = NonNullable<GrepInput["output_mode"]>;

const COUNTS = ["-B", "-A", "-C", "context", "head_limit", "offset"] as const;

/** Of three bytes each they are still one argument that a program can be given. */
const MAX_PATTERN_CHARS = 40_000;

/** What the schema cannot say: the sentence for the first value that no search can be made of. */
export function wrongValue(input: GrepInput): string | null {
  for (const name of COUNTS) {
    const value = input[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      return `${name} must be a whole number, 0 or more; it was ${value}.`;
  }
  for (const name of ["pattern", "glob", "type"] as const) {
    const value = input[name] ?? "";
    if (value.includes("\0"))
      return `${name} has a NUL character in it, which no program can be given. Search without it, or for \\x00.`;
    if (value.length > MAX_PATTERN_CHARS)
      return `${name} is ${value.length} characters long, and ${MAX_PATTERN_CHARS} are the most. Search for a part of it.`;
  }
  return null;
}

export function modeOf(input: GrepInput): OutputMode {
  return input.output_mode ?? "files_with_matches";
}

/**
 * Arguments that search `target` (relative to where ripgrep runs) and answer in the form `grep-output` reads.
 * `inOrder`: by path, which ripgrep does in one thread only.
 * `inRepository`: what stands in a repository of git, as a worktree in an ignored folder does.
 */
export function ripgrepArguments(
  input: GrepInput,
  target: string,
  { inOrder, inRepository }: { readonly inOrder: boolean; readonly inRepository: boolean },
): string[] {
  return [
    // No settings of the machine, and a NUL after each path, so that any name can be told from the rest.
    ...["--no-config", "--color=never", "--no-heading", "--with-filename", "--null"],
    // Hidden files are searched; what git ignores is not, also where git has no repository yet. In one this option
    // would heed what is ignored above it.
    ...["--hidden", ...(inRepository ? [] : ["--no-require-git"])],
    ...(inOrder ? ["--sort=path"] : []),
    ...modeArguments(input),
    ...(input["-i"] ? ["--ignore-case"] : []),
    ...(input.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    // The last glob that fits decides: version control stays out whatever the caller's glob says.
    ...globsOf(input.glob ?? "").map((glob) => `--glob=${glob}`),
    ...VCS_FOLDERS.map((folder) => `--glob=!${folder}`),
    `--regexp=${input.pattern}`,
    "--",
    target,
  ];
}

function modeArguments(input: GrepInput): string[] {
  const mode = modeOf(input);
  const parts = input["-o"] ? ["--only-matching"] : [];
  switch (mode) {
    case "files_with_matches":
      return ["--files-with-matches"];
    case "count":
      return ["--count", ...parts];
    case "content":
      // Line numbers always: they tell a match from its context; `-n: false` leaves them out of the answer.
      return [
        ...["--line-number", `--max-columns=${MAX_COLUMNS}`, "--max-columns-preview"],
        ...contextArguments(input),
        ...parts,
      ];
    default:
      return mode satisfies never;
  }
}

function contextArguments(input: GrepInput): string[] {
  const around = input.context ?? input["-C"];
  const before = input["-B"] ?? around;
  const after = input["-A"] ?? around;
  return [
    ...(before === undefined ? [] : [`--before-context=${before}`]),
    ...(after === undefined ? [] : [`--after-context=${after}`]),
  ];
}

/** `*.ts,*.tsx` is a list to whoever writes it; a comma within braces belongs to the glob. */
function globsOf(list: string): string[] {
  const globs: string[] = [];
  let depth = 0;
  let current = "";
  for (const sign of list) {
    if (sign === "{") depth += 1;
    if (sign === "}") depth -= 1;
    if (sign === "," && depth <= 0) {
      globs.push(current);
      current = "";
    } else current += sign;
  }
  return [...globs, current].map((glob) => glob.trim()).filter((glob) => glob !== "");
}
