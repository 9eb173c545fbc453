/** The opening line of a code block. */
export interface OpenFence {
  readonly mark: string;
  readonly indent: number;
  readonly language: string;
  readonly isFirst: boolean;
}

/** Returns what a line opens, or null. */
export function fenceOf(line: string): OpenFence | null {
  const [, indent = "", mark, info = ""] =
    /^( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)/.exec(line) ?? [];
  return mark === undefined ? null : { mark, indent: indent.length, language: info.trim(), isFirst: true };
}

/** True if a line ends a code block. */
export function closes(line: string, { mark }: OpenFence): boolean {
  const [, closing = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
  return closing.startsWith(mark);
}
