import type { ArithmeticExpression } from "unbash";

/** Numbers and operators only: a name in arithmetic is evaluated, and its value may run a command. */
export function isLiteralSum(node: ArithmeticExpression): boolean {
  return every(
    node,
    (word) => /^(?:\d+|0x[\da-fA-F]+)$/.test(word),
    () => false,
  );
}

/** Names without subscripts, and assignments only to names that begin with a small letter (§5.7). */
export function isTameArithmetic(node: ArithmeticExpression): boolean {
  return every(
    node,
    (word) => /^(?:\w+|\$\w+|\$\{\w+\}|\$[?#])$/.test(word),
    (target) => target.type === "ArithmeticWord" && /^[a-z]\w*$/.test(target.value),
  );
}

function every(
  node: ArithmeticExpression,
  isWord: (word: string) => boolean,
  mayAssign: (target: ArithmeticExpression) => boolean,
): boolean {
  const visit = (one: ArithmeticExpression): boolean => {
    switch (one.type) {
      case "ArithmeticWord":
        return isWord(one.value);
      case "ArithmeticBinary":
        if (/^(?:[-+*/%&^|]|<<|>>)?=$/.test(one.operator) && !mayAssign(one.left)) return false;
        return visit(one.left) && visit(one.right);
      case "ArithmeticUnary":
        if (/^(?:\+\+|--)$/.test(one.operator) && !mayAssign(one.operand)) return false;
        return visit(one.operand);
      case "ArithmeticTernary":
        return visit(one.test) && visit(one.consequent) && visit(one.alternate);
      case "ArithmeticGroup":
        return visit(one.expression);
      case "ArithmeticCommandExpansion":
        // What it runs is a part of the script, and is judged as one.
        return isWord("$?");
      default:
        return one satisfies never;
    }
  };
  return visit(node);
}
