/** Edits that the runtime gave back to the agent that made them, because they conflict with the checkout. */
export type ConflictNotice = NonNullable<ReturnType<typeof conflictNoticeIn>>;

/** Reads the message that gives a conflict back; undefined for any other text, whatever it quotes. */
export function conflictNoticeIn(text: string) {
  const [first = "", list = ""] = text.split("\n\n", 2);
  if (!/^Your edits .*<<<<<<< and >>>>>>>/.test(first)) return undefined;
  // `- PATH`, then `: lines 3-9, 12` and ` (KIND)` if there are any.
  const rows = list.matchAll(/^- (.+?)(: lines \d[\d, -]*?)?(?: \(([a-z]+[a-z/ -]*)\))?$/gm);
  /** `kind`: `modify/delete`, …; empty if the conflict is about lines alone. */
  const files = [...rows].map(([, path = "", lines, kind = ""]) => ({
    path,
    kind,
    hasMarks: Boolean(lines),
  }));
  // What the agent had reported of them.
  const report = /\n\nYour own report was: ([\s\S]*)\n\nRead these files again,/.exec(text)?.[1] ?? "";
  return files.length === 0 ? undefined : { files, report };
}
