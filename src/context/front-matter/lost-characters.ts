/** What is said of a line with characters that could not be read. */
export const LOST =
  "Here are characters that could not be read (\uFFFD); put them right and save the file as UTF-8.";

/** The first such line, from 1; null: there is none. */
export function lineOfLoss(text: string): number | null {
  const at = text.indexOf("\uFFFD");
  return at < 0 ? null : text.slice(0, at).split(/\r\n|\n|\r/).length;
}
