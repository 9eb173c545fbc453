/** ESC and what belongs to it: CSI, OSC and other strings up to their end, two-character sequences. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|[ -/]*[0-~])?|\u009b[0-?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * What a program wrote, harmless to read and to send on (fault 30): terminal sequences are gone, other control
 * characters stand there as signs (NUL as ␀), lines end with a line feed, and it is valid Unicode. Never longer
 * than it was.
 */
export function plainText(text: string): string {
  return text
    .replace(ESCAPES, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROLS, (character) => signOf(character.charCodeAt(0)))
    .toWellFormed();
}

function signOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
