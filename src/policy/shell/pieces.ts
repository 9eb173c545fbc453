import { forEachChild, type SyntaxNode, type WordPart } from "unbash";
import { isLiteralSum, isTameArithmetic } from "./arithmetic.ts";
import type { Piece } from "./words.ts";

/**
 * `${…}` that only reads: no assignment, no transformation, no indirection, no computed subscript, and no offset that
 * would be evaluated; what stands in it does no more either.
 */
const TAME_PARAMETER =
  /^\$\{#?(?:\w+|[@*#?$!-])(?:\[(?:\d+|[@*])\])?(?:(?::?[-+?]|[#%/^,])(?:[^$`]|\$(?:\w|\{\w+\}|\((?!\()))*|:\s*-?\d+(?::\s*-?\d+)?)?\}$/;

/**
 * A word's pieces in order; what they contain of other scripts is handed to `visit`. `parts` is undefined for
 * a word without quotes and expansions.
 */
export function piecesOf(
  text: string,
  parts: readonly WordPart[] | undefined,
  inDocument: boolean,
  visit: (node: SyntaxNode) => void,
): Piece[] {
  const pieces = parts
    ? parts.flatMap((part) => pieceOf(part, inDocument, visit))
    : inDocument
      ? [{ type: "text" as const, text, quoted: true }]
      : bareText(text);
  const [first] = pieces;
  if (inDocument || first?.type !== "text" || first.quoted || !first.text.startsWith("~")) return pieces;
  const [, tilde = "", rest = ""] = /^(~[^/]*)(.*)$/s.exec(first.text) ?? [];
  const tail: Piece[] = rest === "" ? [] : [{ type: "text", text: rest, quoted: false }];
  return [{ type: "tilde", text: tilde }, ...tail, ...pieces.slice(1)];
}

/** Text outside quotes: what is escaped counts as quoted. */
function bareText(text: string): Piece[] {
  if (!text.includes("\\")) return [{ type: "text", text, quoted: false }];
  const pieces: Piece[] = [];
  for (const [token, escaped] of text.matchAll(/\\([\s\S]?)|[^\\]+/g)) {
    if (!token.startsWith("\\")) pieces.push({ type: "text", text: token, quoted: false });
    else if (escaped !== "\n") pieces.push({ type: "text", text: escaped || "\\", quoted: true });
  }
  return pieces;
}

function pieceOf(part: WordPart, inDocument: boolean, visit: (node: SyntaxNode) => void): Piece[] {
  switch (part.type) {
    case "Literal":
      return inDocument ? [{ type: "text", text: part.value, quoted: true }] : bareText(part.text);
    case "AnsiCQuoted":
      // Bytes and control characters are read differently by every reader.
      if (/[\p{Cc}--[\n\t]]|\\[cxuU]/v.test(part.value + part.text)) {
        return [forbidden(part.text, part.value.replaceAll("\0", ""))];
      }
      return [{ type: "text", text: part.value, quoted: true }];
    case "SingleQuoted":
      return [{ type: "text", text: part.value, quoted: true }];
    case "DoubleQuoted":
    case "LocaleString":
      if (part.parts.length === 0) return [{ type: "text", text: "", quoted: true }];
      return part.parts.flatMap((child): Piece[] =>
        child.type === "Literal"
          ? [{ type: "text", text: child.value, quoted: true }]
          : pieceOf(child, true, visit),
      );
    case "Glob":
    case "ExtendedGlob":
      forEachChild(part, visit);
      // With extglob off, as bash starts, this is a syntax error; a reader must not take it for something else.
      if (part.type === "ExtendedGlob") return [forbidden(part.text, part.text)];
      return [{ type: "glob", text: part.text }];
    case "BraceExpansion":
      forEachChild(part, visit);
      return [{ type: "brace", text: part.text }];
    case "SimpleExpansion":
      return [simple(part.text)];
    case "ParameterExpansion": {
      forEachChild(part, visit);
      const plain = part.prefix === undefined && part.index === undefined && part.operation === undefined;
      if (plain) return [simple(`$${part.parameter}`, part.text)];
      const { operation } = part;
      const isDefault = operation?.type === "Default" && !operation.operator.includes("+");
      return [forbidden(part.text, isDefault ? operation.operand.value : "", TAME_PARAMETER.test(part.text))];
    }
    case "CommandExpansion":
      forEachChild(part, visit);
      // `${ …; }` and `${| …; }` run in the shell itself.
      if (part.text.startsWith("${")) return [forbidden(part.text, part.text)];
      return [{ type: "substitution", text: part.text }];
    case "ProcessSubstitution":
      forEachChild(part, visit);
      if (part.script === undefined || part.script.commands.length === 0) {
        return [forbidden(part.text, "")];
      }
      return [{ type: "substitution", text: part.text }];
    case "ArithmeticExpansion": {
      forEachChild(part, visit);
      const { text, expression } = part;
      const [, sum = "["] = (expression && /^\$\(\((.+)\)\)$/s.exec(text)) ?? [];
      return [isLiteralSum(sum) ? { type: "sum", text } : forbidden(text, text, isTameArithmetic(sum))];
    }
    default:
      return part satisfies never;
  }
}

function forbidden(text: string, unset: string, harmless = false): Piece {
  return { type: "forbidden", text, unset, harmless };
}

function simple(name: string, text = name): Piece {
  if (/^\$[?#]$/.test(name)) return { type: "number", text };
  const [, known] = /^\$([A-Za-z_]\w*)$/.exec(name) ?? [];
  return known ? { type: "variable", text, name: known } : forbidden(text, "", true);
}
