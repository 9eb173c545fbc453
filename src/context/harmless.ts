/** Text of others must not pass for the runtime's own words: no tag of ours in it is one. */
export function harmless(text: string): string {
  return text.replace(/<(?=\s*\/?\s*(?:system-reminder|memory-file|task-notification)\b)/gi, "&lt;");
}

/** In an attribute of such a tag. */
export function attribute(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;");
}
