import { forEachChild, type SyntaxNode, type WordPart } from "unbash";
import { type ForbiddenPiece, isSmallName, type Piece } from "./script.ts";

/** `${…}` that only reads: no assignment, transformation, indirection, computed subscript or offset to be evaluated. */
const TAME_PARAMETER =
  /^\$\{#?(?:\w+|[@*#?$!-])(?:\[(?:\d+|[@*])\])?(?:(?::?[-+?]|[#%/^,])(?:[^$`]|\$(?:\w|\{\w+\}|\((?!\()))*|:\s*-?\d+(?::\s*-?\d+)?)?\}$/;
/** Pieces of arithmetic. */
const TOKEN =
  /\$(?:\w+|\{\w+\}|[?#])|\$\((?!\()[^()]*\)|\w+|(?:[-+*/%&^|=!]|<<?|>>?)=|\+\+|--|\*\*|&&|\|\||<<|>>|\S/g;
const WORD = /^[\w$]/;
const OPERATOR = /^(?:[-+*/%&|^~!<>?:(,]|\*\*|&&|\|\||<<|>>|[=!<>]=)$/;

/** Returns a word's pieces in order, and hands what they contain of other scripts to `visit`. */
export function piecesOf(
  text: string,
  parts: readonly WordPart[] | undefined,
  inDocument: boolean,
  visit: (node: SyntaxNode) => void,
): Piece[] {
  const plain = () => (inDocument ? [quoted(text)] : bareText(text));
  const pieces = parts?.flatMap((part) => pieceOf(part, inDocument, visit)) ?? plain();
  const [first, ...others] = pieces;
  if (inDocument || first?.type !== "text" || first.quoted || !first.text.startsWith("~")) return pieces;
  const slash = first.text.indexOf("/");
  if (slash < 0) return [{ type: "tilde", text: first.text }, ...others];
  const rest: Piece = { type: "text", text: first.text.slice(slash), quoted: false };
  return [{ type: "tilde", text: first.text.slice(0, slash) }, rest, ...others];
}

/** Text outside quotes: what is escaped counts as quoted. */
function bareText(text: string): Piece[] {
  if (!text.includes("\\")) return [{ type: "text", text, quoted: false }];
  return [...text.matchAll(/\\([\s\S]?)|[^\\]+/g)].flatMap(([token, escaped]): Piece[] => {
    if (escaped === undefined) return [{ type: "text", text: token, quoted: false }];
    return escaped === "\n" ? [] : [quoted(escaped || "\\")];
  });
}

function pieceOf(part: WordPart, inDocument: boolean, visit: (node: SyntaxNode) => void): Piece[] {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
    if (part.parts.length === 0) return [quoted("")];
    return part.parts.flatMap((child) => pieceOf(child, true, visit));
  }
  forEachChild(part, visit);
  const { text } = part;
  switch (part.type) {
    case "Literal":
      return inDocument ? [quoted(part.value)] : bareText(text);
    case "AnsiCQuoted":
    case "SingleQuoted":
      // Bytes and control characters are read differently by every reader.
      if (part.type === "AnsiCQuoted" && /[\p{Cc}--[\n\t]]|\\[cxuU]/v.test(part.value + text))
        return [forbidden(text, part.value.replaceAll("\0", ""))];
      return [quoted(part.value)];
    case "Glob":
      return [{ type: "glob", text }];
    case "ExtendedGlob":
      // With extglob off, as bash starts, this is a syntax error; a reader must not take it for something else.
      return [forbidden(text, text)];
    case "BraceExpansion":
      return [{ type: "brace", text }];
    case "SimpleExpansion":
      return [simple(text)];
    case "ParameterExpansion": {
      const { operation, prefix, index, parameter } = part;
      if (prefix === undefined && index === undefined && operation === undefined)
        return [simple(`$${parameter}`, text)];
      const isDefault = operation?.type === "Default" && !operation.operator.includes("+");
      return [forbidden(text, isDefault ? operation.operand.value : "", TAME_PARAMETER.test(text))];
    }
    case "CommandExpansion":
      // `${ …; }` and `${| …; }` run in the shell itself.
      return [text.startsWith("${") ? forbidden(text, text) : { type: "substitution", text }];
    case "ProcessSubstitution":
      return [part.script?.commands.length ? { type: "substitution", text } : forbidden(text, "")];
    case "ArithmeticExpansion": {
      const [, sum = "["] = (part.expression && /^\$\(\((.+)\)\)$/s.exec(text)) ?? [];
      return [isLiteralSum(sum) ? { type: "sum", text } : forbidden(text, text, isTameArithmetic(sum))];
    }
    default:
      return part satisfies never;
  }
}

function quoted(text: string): Piece {
  return { type: "text", text, quoted: true };
}

function forbidden(text: string, unset: string, harmless = false): ForbiddenPiece {
  return { type: "forbidden", text, unset, harmless };
}

function simple(name: string, text = name): Piece {
  if (/^\$[?#]$/.test(name)) return { type: "number", text };
  const [, known] = /^\$([A-Za-z_]\w*)$/.exec(name) ?? [];
  return known ? { type: "variable", text, name: known } : forbidden(text, "", true);
}

/** Numbers and operators only: a name in arithmetic is evaluated, and its value may run a command. */
function isLiteralSum(text: string): boolean {
  return !/[A-Za-z_$]/.test(text) && isTameArithmetic(text);
}

/** Names without subscripts, and assignments only to names that begin with a small letter (§5.7). */
export function isTameArithmetic(text: string): boolean {
  // What touches an expansion makes another name of it.
  if (/\w\$|[})]\w|\$[?#]\w/.test(text)) return false;
  const tokens = text.match(TOKEN) ?? [];
  return tokens.every((token, at) => {
    const [before, after] = [tokens[at - 1] ?? "", tokens[at + 1] ?? ""];
    if (WORD.test(token) || token === ")" || token === ";") return true;
    if (OPERATOR.test(token)) return /^[\w$(~!+-]/.test(after);
    if (token.endsWith("=")) return isSmallName(before);
    if (token !== "++" && token !== "--") return false;
    return [before, after].every((one) => !WORD.test(one) || isSmallName(one));
  });
}
