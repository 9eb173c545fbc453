/** Characters a long value is cut to at each end; a person must see that something is left out, and how much. */
const END = 400;

/**
 * A word from a file inside a sentence for a person: on one line, and with every character visible that could
 * move a cursor, hide or reorder what stands around it.
 */
export function shown(word: string): string {
  const cut =
    word.length <= 2 * END
      ? word
      : `${word.slice(0, END)} … (${word.length - 2 * END} characters left out here) … ${word.slice(-END)}`;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
