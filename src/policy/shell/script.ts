import type { ShellWord } from "./words.ts";

/** A variable that is set in front of a command, or alone. */
export interface ShellAssignment {
  readonly name: string;
  /** Neither `+=`, nor with a subscript, nor an array. */
  readonly simple: boolean;
  readonly text: string;
  /** The value, if it is one word. */
  readonly value: ShellWord | null;
}

export type ShellRedirect =
  /** `both`: `<>`. */
  | { readonly type: "write" | "read" | "both"; readonly target: ShellWord }
  /** A form whose meaning depends on what is not known. */
  | { readonly type: "unknown"; readonly text: string };

/** One simple command (§5.2), or a construct that is judged like one. */
export interface ShellPart {
  /** `test`: `[[ … ]]`; `construct`: what only bare `Bash` allows, such as `((…))`, coproc and functions. */
  readonly kind: "command" | "test" | "construct";
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** As written. */
  readonly source: string;
  /** Names that a `for` around it sets. */
  readonly loopNames: ReadonlySet<string>;
  /** The commands whose output it reads, nearest last; null if a member of the pipeline is not a simple command. */
  readonly before: readonly ShellPart[] | null;
  /** Texts of its here-strings and here-documents, as written. */
  readonly documents: readonly string[];
  /** True for a construct that only counts, such as `((i++))`. */
  readonly counts: boolean;
}

/** What happens in which order, as far as the working directory depends on it. */
export type Step =
  | { readonly type: "part"; readonly part: ShellPart }
  /** Of a group, a loop or a subshell. */
  | { readonly type: "redirects"; readonly redirects: readonly ShellRedirect[] }
  /** A shell of its own begins or ends: what it does to the directory is forgotten. */
  | { readonly type: "enter" | "leave" }
  /** What follows may not run; at `join` both outcomes are possible. */
  | { readonly type: "branch" | "join" }
  /** The statement before may have failed half-way: `;`, `||`. */
  | { readonly type: "settle" }
  /** A loop that changes the directory: after one round it is anywhere. */
  | { readonly type: "lost" }
  /** These may run before or beside each other: a pipeline, a loop, a command in the background. */
  | { readonly type: "together"; readonly parts: readonly ShellPart[] }
  /** Data of the script: the list of a `for`, a here-document. */
  | { readonly type: "data"; readonly words: readonly ShellWord[] };

export interface ShellScript {
  /** Why no rule can ever allow it (§5.1), in the user's words; deny and ask still count. */
  readonly problem: string | null;
  readonly steps: readonly Step[];
  readonly parts: readonly ShellPart[];
  /** What the script sets each name to; null for a value that is not one word. */
  readonly values: ReadonlyMap<string, readonly (ShellWord | null)[]>;
}
