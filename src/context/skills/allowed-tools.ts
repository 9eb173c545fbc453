/** More would be no list that a person has read. */
const MOST_RULES = 200;

/**
 * Permission rules as people write them: a list, or one line with commas or spaces between them. What stands in
 * parentheses belongs to its rule: `Bash(git add:*), Read`. Null: it is neither.
 */
export function rulesIn(value: unknown): readonly string[] | null {
  const given = Array.isArray(value) ? value : [value];
  if (!given.every((one): one is string => typeof one === "string")) return null;
  const rules = given.flatMap(split).filter((rule) => rule !== "");
  return rules.length > MOST_RULES ? null : [...new Set(rules)];
}

function split(line: string): string[] {
  // Nearly always; the rest is for parentheses in parentheses.
  if (!/\([^()]*\(/.test(line)) return (line.match(/(?:\([^)]*\)?|[^\s,(])+/g) ?? []).map(bare);
  const rules: string[] = [];
  let depth = 0;
  let rule = "";
  for (const sign of line) {
    if (depth === 0 && /[\s,]/.test(sign)) {
      rules.push(rule);
      rule = "";
      continue;
    }
    if (sign === "(") depth += 1;
    if (sign === ")") depth = Math.max(0, depth - 1);
    rule += sign;
  }
  return [...rules, rule].map(bare);
}

function bare(rule: string): string {
  return rule.replace(/^["'`]+|["'`]+$/g, "");
}
