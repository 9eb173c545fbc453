/** Whether lines of this text end in CRLF rather than in a line feed alone; by the greater number of them. */
export function usesCrlf(text: string): boolean {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") crlf += 1;
    else lf += 1;
  }
  return crlf > lf;
}

/** The text with CRLF at the end of each line, whatever it has now. */
export function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
