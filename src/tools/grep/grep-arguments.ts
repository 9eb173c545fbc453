import * as z from "zod/mini";
import { splitPatterns } from "../../lib/globs.ts";
import { VCS_DIRS } from "../git-ignore.ts";

export const DEFAULT_HEAD_LIMIT = 250;
/** Columns of one line of output; a longer one is cut with ripgrep's own mark. */
export const MAX_COLUMNS = 500;

const whole = (text: string) => z.optional(z.number().check(z.describe(text)));
const flag = (text: string) => z.optional(z.boolean().check(z.describe(text)));
const text = (text: string) => z.optional(z.string().check(z.describe(text)));

export const GrepInput = z.strictObject({
  pattern: z.string().check(z.describe("Regular expression to search for, in ripgrep's syntax (required)")),
  path: text("File or directory to search; the working directory if absent"),
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

/** With three bytes each they still fit into one argument of a program. */
const MAX_PATTERN_CHARS = 40_000;

/** Returns a sentence for the first value that cannot be searched with, beyond what the schema says. */
export function grepInputProblem(input: GrepInput): string | null {
  for (const name of COUNTS) {
    const value = input[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      return `${name} must be a whole number, 0 or more; it was ${value}.`;
  }
  for (const name of ["pattern", "glob", "type"] as const) {
    const value = input[name] ?? "";
    if (value.includes("\0"))
      return `${name} has a NUL character in it, which a program cannot be given. Search without it, or for \\x00.`;
    if (value.length > MAX_PATTERN_CHARS)
      return `${name} is ${value.length} characters long; the most is ${MAX_PATTERN_CHARS}. Search for a part of it.`;
  }
  return null;
}

export function modeOf(input: GrepInput): OutputMode {
  return input.output_mode ?? "files_with_matches";
}

/**
 * Returns arguments that search `target` (relative to where ripgrep runs); `grep-output.ts` parses the output.
 * `inOrder`: by path, which ripgrep does in one thread only. `inRepository`: the target is in a git repository, such as a
 * worktree in an ignored directory.
 */
export function ripgrepArguments(
  input: GrepInput,
  target: string,
  { inOrder, inRepository }: { readonly inOrder: boolean; readonly inRepository: boolean },
): string[] {
  return [
    // No settings of the machine, and a NUL after each path, because a name may contain anything else.
    ...["--no-config", "--color=never", "--no-heading", "--with-filename", "--null"],
    // Hidden files are searched; what git ignores is not, even without a repository. In one, this option would apply
    // ignore files above it as well.
    ...["--hidden", ...(inRepository ? [] : ["--no-require-git"])],
    ...(inOrder ? ["--sort=path"] : []),
    ...modeArguments(input),
    ...(input["-i"] ? ["--ignore-case"] : []),
    ...(input.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    // The last glob that fits decides: version control stays out whatever the caller's glob says.
    ...splitPatterns(input.glob ?? "").map((glob) => `--glob=${glob}`),
    ...VCS_DIRS.map((dir) => `--glob=!${dir}`),
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
      // Always with line numbers: they tell a match from its context; with `-n: false` the result leaves them out.
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
