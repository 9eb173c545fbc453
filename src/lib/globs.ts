/** Splits a list of patterns at its commas; a comma in braces belongs to its pattern. */
export function splitPatterns(list: string): string[] {
  const patterns: string[] = [];
  let depth = 0;
  let current = "";
  for (const sign of list) {
    if (sign === "{") depth += 1;
    if (sign === "}") depth = Math.max(0, depth - 1);
    if (sign === "," && depth === 0) {
      patterns.push(current);
      current = "";
    } else current += sign;
  }
  return [...patterns, current].map((pattern) => pattern.trim()).filter((pattern) => pattern !== "");
}
