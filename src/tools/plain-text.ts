/** ESC and what belongs to it: CSI, OSC and other strings up to their end, two-character sequences. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|[ -/]*[0-~])?|\u009b[0-?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Makes the output of a program safe to read and to send (fault 30): without terminal sequences, with other control
 * characters as symbols (NUL as ␀), with line feeds as line ends, and as valid Unicode. Never longer than before.
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
