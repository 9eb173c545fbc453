import { isAbsolute, join, relative, sep } from "node:path";
import type { ModelRequest } from "../client.ts";

/** What this conversation has to work with: the tools it was offered, and where it stands. */
export interface Desk {
  /** The name under which a tool was offered, or undefined. Agent may be offered under its older name. */
  readonly offered: (tool: ToolName) => string | undefined;
  /** Whether a tool of this name was offered. */
  readonly has: (tool: string) => boolean;
  /** Whether the offered tool knows this field. */
  readonly takes: (tool: ToolName, field: string) => boolean;
  /** The working directory, or "" where the request does not say. */
  readonly cwd: string;
  readonly absolute: (path: string) => string;
  /** As a person wants to read it: relative to the working directory where it is below it. */
  readonly shown: (path: string) => string;
}

export type ToolName = "Agent" | "Bash" | "Edit" | "Glob" | "Grep" | "Read" | "Write";

export function offeredTools(request: Pick<ModelRequest, "system" | "tools">): Desk {
  const cwd = workingDirectory(request.system);
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  const find = (tool: ToolName) => tools.get(tool) ?? (tool === "Agent" ? tools.get("Task") : undefined);
  return {
    offered: (tool) => find(tool)?.name,
    has: (tool) => tools.has(tool),
    takes(tool, field) {
      const properties = find(tool)?.input_schema["properties"];
      return typeof properties === "object" && properties !== null && field in properties;
    },
    cwd,
    absolute: (path) => (cwd === "" || isAbsolute(path) ? path : join(cwd, path)),
    shown(path) {
      const inside = cwd === "" || !isAbsolute(path) ? path : relative(cwd, path);
      return (inside === "" || inside.startsWith("..") ? path : inside)
        .split(sep)
        .join("/")
        .replace(/^\.\//, "");
    },
  };
}

/** The environment block of the system prompt says it on a line of its own. */
function workingDirectory(system: readonly string[]): string {
  for (const block of system) {
    const found = /^[ \t-]*Working directory: (.+)$/im.exec(block)?.[1];
    if (found !== undefined) return found.trim();
  }
  return "";
}
