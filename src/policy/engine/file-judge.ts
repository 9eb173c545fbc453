import type { Verdict } from "../judgement.ts";
import type { FileAccess } from "./file-access.ts";
import { escapePath } from "./path-pattern.ts";
import { type Input, textField } from "./tool-table.ts";

/** True if a pattern leaves its directory: absolute, from a home, or up, inside braces too (§4.5). */
export function leavesFolder(pattern: string): boolean {
  const pieces = pattern.split(/[{},()|]/);
  return (
    pieces.some((piece) => /^[/~]/.test(piece) || /(?:^|[/\\])\.\.(?:$|[/\\])/.test(piece)) ||
    /(?:^|[/{,])\\?\.\\?\.(?:$|[/},])/.test(pattern)
  );
}

/** Returns what is read: a file by Read and LSP, a directory by Glob and Grep. */
function readBy(tool: string, input: Input): string {
  if (tool === "Read") return textField(input, "file_path") ?? "";
  if (tool === "LSP") return textField(input, "filePath") ?? "";
  return textField(input, "path") ?? ".";
}

/** Decides Read and LSP, and the directory search of Glob and Grep. */
export function judgeReading(files: FileAccess, tool: string, input: Input): Verdict {
  const { books, mode, cwd } = files;
  const path = readBy(tool, input);
  const patterns = [tool === "Glob" ? textField(input, "pattern") : null, textField(input, "glob")].filter(
    (one) => one !== null,
  );
  const leaving = tool === "Read" ? undefined : patterns.find(leavesFolder);
  const verdict = files.judge("read", path, cwd, tool);
  const begins = patterns
    .flatMap((pattern) => beginning(pattern))
    .map((start) => files.judge("read", start, verdict.paths[0] ?? cwd, tool));
  const outer = leaving === undefined ? [] : begins;
  const deny = verdict.deny ?? outer.find(({ deny }) => deny)?.deny;
  if (deny) return decided("deny", `the rule ${deny.text} denies it`, deny);
  const ask = verdict.ask ?? outer.find(({ ask }) => ask)?.ask;
  if (ask) return decided("ask", `the rule ${ask.text} asks for it`, ask);
  if (mode === "bypassPermissions") return decided("allow", "all checks are switched off");
  if (verdict.odd !== null) return decided("ask", `${path} cannot be granted: ${verdict.odd}`);
  const whole = books.allow.tool(tool) ?? books.allow.tool("Read");
  if (whole && leaving !== undefined) return decided("allow", `the rule ${whole.text} allows it`, whole);
  const proposals = [[...new Set(verdict.paths)].map((one) => `Read(/${escapePath(one)})`)];
  if (leaving !== undefined) {
    const known =
      !/\.\.|[{}()|\\~]/.test(leaving) && begins.every(({ allowed }) => allowed) && verdict.allowed;
    if (known && begins.every(({ allow }) => allow !== null))
      return decided("allow", "a rule allows the directory that it begins in");
    return decided("ask", `the pattern ${leaving} leads out of the folder`);
  }
  const link = begins.find(({ allowed }) => !allowed);
  if (link)
    return decided("ask", `the pattern leads to ${link.paths.at(-1)}, which is outside the workspace`);
  if (!verdict.allowed) return { ...decided("ask", `${path} is outside the workspace`), proposals };
  return verdict.allow
    ? decided("allow", `the rule ${verdict.allow.text} allows it`, verdict.allow)
    : decided("allow", "it reads in the workspace");
}

/** Decides Edit, Write, NotebookEdit and MultiEdit. */
export function judgeEditing(files: FileAccess, tool: string, input: Input): Verdict {
  const { mode, cwd } = files;
  const path = textField(input, tool === "NotebookEdit" ? "notebook_path" : "file_path") ?? "";
  const verdict = files.judge("edit", path, cwd, tool);
  if (verdict.deny) return decided("deny", `the rule ${verdict.deny.text} denies it`, verdict.deny);
  if (verdict.ask) return decided("ask", `the rule ${verdict.ask.text} asks for it`, verdict.ask);
  if (mode === "plan") return decided("deny", "nothing is written while there is only a plan");
  if (mode === "bypassPermissions") return decided("allow", "all checks are switched off");
  if (verdict.protects !== null)
    return decided("ask", `${path} is protected (${verdict.protects}), and no rule lifts that`);
  if (verdict.odd !== null) return decided("ask", `${path} cannot be granted: ${verdict.odd}`);
  const proposals = [[...new Set(verdict.paths)].map((one) => `${tool}(/${escapePath(one)})`)];
  if (!verdict.allowed) {
    const where = verdict.inside ? "no rule allows to write it" : "it is outside the workspace";
    return { ...decided("ask", `${path}: ${where}`), proposals };
  }
  return verdict.allow
    ? decided("allow", `the rule ${verdict.allow.text} allows it`, verdict.allow)
    : decided("allow", "it writes in the workspace");
}

/** Returns the directory before the first wildcard of a pattern. */
function beginning(pattern: string): string[] {
  const names = pattern.split("/");
  const wild = names.findIndex((name) => /[*?[{(!+@\\]/.test(name));
  const known = names.slice(0, wild < 0 ? -1 : wild).join("/");
  return known === "" ? (pattern.startsWith("/") ? ["/"] : []) : [known];
}

export function decided(decision: Verdict["decision"], reason: string, rule?: Verdict["rule"]): Verdict {
  return { decision, reason, parts: [], proposals: [], ...(rule ? { rule } : {}) };
}
