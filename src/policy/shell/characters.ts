/** Longer commands are not analysed for an allow: nobody reads them before they run either. */
const MAX_LENGTH = 10_000;

/** Control characters but newline and tab; a carriage return is no blank to bash, but looks like a line's end. */
const CONTROL = /[\p{Cc}--[\n\t]]/v;

/** Format characters, blanks other than space and newline, and letters that are drawn as nothing. */
const INVISIBLE =
  /[[\p{Cf}\p{Z}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180F}\u{2800}\u{3164}\u{FFA0}]--[ ]]/v;

/** Why a command cannot be read as a person would read it; null where nothing in its characters hides (§5.1). */
export function unreadable(command: string): string | null {
  if (command.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (CONTROL.test(command)) return "it contains a control character";
  if (INVISIBLE.test(command)) return "it contains an invisible character";
  return null;
}

/** The letters a command word may be made of: with them every reader agrees on where it begins and ends. */
const COMMAND_WORD = /^[\w./+:@%,=[-]+$/;

export function isPlainCommandWord(value: string): boolean {
  return COMMAND_WORD.test(value);
}
