import { bindTool, type SealedTool } from "./bind-tool.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep/grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import type { ThreadCallContext } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The tools whose calls need a thread: they read and change files. In the order the model sees them. */
export const threadTools: readonly SealedTool<ThreadCallContext>[] = [
  bindTool(readTool),
  bindTool(writeTool),
  bindTool(editTool),
  bindTool(notebookEditTool),
  bindTool(globTool),
  bindTool(grepTool),
];
