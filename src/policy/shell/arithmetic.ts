const TOKEN =
  /\$(?:\w+|\{\w+\}|[?#])|\$\((?!\()[^()]*\)|\w+|(?:[-+*/%&^|=!]|<<?|>>?)=|\+\+|--|\*\*|&&|\|\||<<|>>|\S/g;
const WORD = /^[\w$]/;
const OPERATOR = /^(?:[-+*/%&|^~!<>?:(,]|\*\*|&&|\|\||<<|>>|[=!<>]=)$/;

/** Numbers and operators only: a name in arithmetic is evaluated, and its value may run a command. */
export function isLiteralSum(text: string): boolean {
  return !/[A-Za-z_$]/.test(text) && isTameArithmetic(text);
}

/** Names without subscripts, and assignments only to names that begin with a small letter (§5.7). */
export function isTameArithmetic(text: string): boolean {
  // What touches an expansion makes another name of it.
  if (/\w\$|[})]\w|\$[?#]\w/.test(text)) return false;
  const tokens = text.match(TOKEN) ?? [];
  const isSmall = (token: string | undefined) => token !== undefined && /^[a-z]\w*$/.test(token);
  return tokens.every((token, at) => {
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (WORD.test(token) || token === ")" || token === ";") return true;
    if (OPERATOR.test(token)) return /^[\w$(~!+-]/.test(after ?? "");
    if (token.endsWith("=")) return isSmall(before);
    if (token !== "++" && token !== "--") return false;
    return [before, after].every((one) => !WORD.test(one ?? "") || isSmall(one));
  });
}
