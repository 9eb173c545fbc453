import type { Call } from "../independent/ground.ts";

export const read = (file_path: unknown): Call => ["Read", { file_path }];
export const write = (file_path: unknown): Call => ["Write", { file_path, content: "x" }];
export const edit = (file_path: unknown): Call => ["Edit", { file_path, old_string: "a", new_string: "b" }];
export const notebook = (notebook_path: unknown): Call => [
  "NotebookEdit",
  { notebook_path, new_source: "x" },
];
export const grep = (input: Readonly<Record<string, unknown>>): Call => ["Grep", { pattern: "x", ...input }];
export const agent = (subagent_type: string): Call => [
  "Agent",
  { subagent_type, prompt: "x", description: "x" },
];

export function glob(pattern: unknown, path?: string): Call {
  return ["Glob", { pattern, ...(path === undefined ? {} : { path }) }];
}
