/** Splits a text into commands at line ends and at " ¦ ", as they are; "\`" and "\${" stand for "`" and "${". */
export function lines(text: TemplateStringsArray): string[] {
  return String.raw(text)
    .replaceAll("\\`", "`")
    .replaceAll("\\${", "${")
    .split(/\n| ¦ /u)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
