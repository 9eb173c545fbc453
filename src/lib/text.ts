/** Returns a text in one line: runs of spaces, line ends and invisible characters become one space. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}

/** Returns a text of at most `most` characters; one that is cut ends in an ellipsis. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

/** Lists the first names, and says how many more there are. */
export function listSome(names: readonly string[], most: number, separator = ", "): string {
  const left = names.length - most;
  return `${names.slice(0, most).join(separator)}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Returns a text as one word of a shell: in single quotes no character has a meaning. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the description of an agent that was given none. */
export function defaultTitle(prompt: string): string {
  return prompt.trim().split(/\s+/).slice(0, 5).join(" ").slice(0, 60);
}
