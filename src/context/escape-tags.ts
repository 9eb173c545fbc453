/** What the runtime itself says stands in these. */
const OURS =
  /<(?=\s*\/?\s*(?:system-reminder|memory-file|task-notification|web-page|command-(?:name|args|message|contents))\b)/gi;

/**
 * Text of others must not pass for the runtime's own words: no tag of ours in it is one. Results of tools stay as they
 * are, because a file must be shown as it is to be edited; what the runtime goes by is never looked for in them.
 */
export function escapeTags(text: string): string {
  // Most texts have none, and are known by this at once.
  return text.includes("<") ? text.replace(OURS, "&lt;") : text;
}

/** In an attribute of such a tag. */
export function attribute(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;");
}
