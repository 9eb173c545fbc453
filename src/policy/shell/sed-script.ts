/** Text up to a delimiter. Readers of sed do not agree on a delimiter in brackets, nor on a `]` that begins them. */
const regexp = (end: string) =>
  String.raw`(?:\\[^]|\[\^?(?!${end})[^\]^\\\n](?:(?!${end})[^\]\\\n])*\]|(?!${end})[^\\\n[])*`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/${regexp("/")}/[IM]*)`;
const ADDRESSES = String.raw`[\s;]*(?:${ADDRESS}(?:\s*,\s*(?:[+~]\d+|${ADDRESS}))?)?[!\s]*`;
/** A command is over at `;`, a new line, a closing brace or the end. */
const END = String.raw`[ \t]*(?=[;\n}]|$)`;
const change = (letter: string, group: string, flags: string) =>
  String.raw`${letter}([^\s\\])${regexp(group)}${group}(?:\\[^]|(?!${group})[^\\])*${group}${flags}${END}`;
const EDITS = [
  String.raw`[pdDPnNgGhHx=lFz]${END}|[qQ][ \t]*\d*${END}|[btT:][ \t]*[\w.-]*${END}`,
  // Their text goes on over lines that end in a backslash.
  String.raw`[aic](?:[^\\\n]|\\[^])*`,
  change("s", String.raw`\1`, String.raw`[gpiIM\d]*`),
  change("y", String.raw`\2`, ""),
  String.raw`(?<open>\{)|(?<close>\})${END}`,
].join("|");

const STEPS = {
  print: new RegExp(`^${ADDRESSES}p${END}`),
  edit: new RegExp(`^${ADDRESSES}(?:${EDITS})`),
};

/**
 * True if a script only prints by addresses and `p` (§5.6), or only edits its text without files and commands (§5.7).
 * Read to its last letter: what is not understood is no.
 */
export function sedDoesOnly(script: string, use: keyof typeof STEPS): boolean {
  let [rest, depth] = [script, 0];
  while (/[^\s;]/.test(rest)) {
    const found = STEPS[use].exec(rest);
    depth += found?.groups?.["open"] ? 1 : found?.groups?.["close"] ? -1 : 0;
    if (found === null || depth < 0) return false;
    rest = rest.slice(found[0].length);
  }
  return depth === 0 && script.trim() !== "";
}
