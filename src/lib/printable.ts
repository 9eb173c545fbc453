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
