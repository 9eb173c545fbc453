/** Tags of the runtime. */
const RUNTIME_TAGS =
  /<(?=\s*\/?\s*(?:system-reminder|memory-file|task-notification|web-page|command-(?:name|args|message|contents))\b)/gi;

/**
 * Escapes the runtime's tags in foreign text, which must not pass for text of the runtime. Tool results stay as they are,
 * because a file must be shown unchanged to be edited; the runtime never looks for tags in them.
 */
export function escapeTags(text: string): string {
  return text.includes("<") ? text.replace(RUNTIME_TAGS, "&lt;") : text;
}

/** Escapes the value of an attribute. */
export function attribute(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;");
}
