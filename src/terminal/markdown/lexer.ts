import { Lexer, type MarkedToken, type Tokens } from "marked";

/** A part of Markdown: a block or a piece of inline text. */
export type Token = MarkedToken;
export type { Tokens };

/** Longer inline text, or text with more signs that may mean something, is shown as it is: their pairs take quadratic time. */
const MOST_INLINE = 4500;
const MOST_SIGNS = 600;

/** Splits into blocks, which keep their inline text as it is. Never throws. */
export function lexBlocks(text: string): Token[] {
  return lex(text, () => new Lexer().blockTokens(text, []));
}

/** Splits the text of one block. Never throws. */
export function lexInline(text: string): Token[] {
  const signs = text.match(/[*_`~[\]<>!&\\@|]/g)?.length ?? 0;
  if (signs === 0 && !text.includes("://") && !text.includes("www.")) return [asItIs(text)];
  return text.length > MOST_INLINE || signs > MOST_SIGNS
    ? [asItIs(text)]
    : lex(text, () => Lexer.lexInline(text));
}

function lex(text: string, run: () => readonly unknown[]): Token[] {
  try {
    // No extension is used that would give other tokens.
    return run() as Token[];
  } catch {
    // Nested too deep for the stack.
    return [asItIs(text)];
  }
}

function asItIs(text: string): Token {
  return { type: "text", raw: text, text };
}
