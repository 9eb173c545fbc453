import { textAt } from "../../lib/json.ts";

/** The input field that says what a call does, for tools whose title may be the model's text or contain more. */
const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  LSP: "filePath",
  Edit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path",
  WebFetch: "url",
};

/** Returns the command, path or URL itself, as the model wrote it; null for tools that have none. */
export function findSubject(tool: string, input: unknown): string | null {
  const field = Object.hasOwn(SUBJECTS, tool) ? SUBJECTS[tool] : undefined;
  return field === undefined ? null : textAt(input, field);
}
