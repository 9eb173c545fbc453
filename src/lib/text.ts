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

/** $1,200.00, $0.48, $0.0042. */
export function formatDollars(usd: number): string {
  if (usd > 0 && usd < 0.00005) return "less than $0.0001";
  const digits = usd >= 0.00995 || usd === 0 ? 2 : 4;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** 90 s, 10 min, 12 min 30 s. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  const rest = seconds % 60;
  if (seconds < 120 && rest !== 0) return `${seconds} s`;
  const minutes = `${Math.floor(seconds / 60)} min`;
  return rest === 0 ? minutes : `${minutes} ${rest} s`;
}

export function formatCount(count: number, one: string): string {
  return `${formatNumber(count)} ${one}${count === 1 ? "" : "s"}`;
}

/** 1,200. By hand, because the first number that Intl formats takes 5 ms. */
export function formatNumber(count: number): string {
  if (!Number.isInteger(count)) return count.toLocaleString("en-US");
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Characters that remain at each end of a long text. */
const END_LENGTH = 400;

/**
 * Makes a text from a file safe inside a sentence for the user: one line, with each character visible that could move
 * the cursor, hide or reorder its surroundings. A cut says how much is missing.
 */
export function printable(text: string): string {
  const cut =
    text.length <= 2 * END_LENGTH
      ? text
      : `${text.slice(0, END_LENGTH)} … (${text.length - 2 * END_LENGTH} characters left out here) … ${text.slice(-END_LENGTH)}`;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
