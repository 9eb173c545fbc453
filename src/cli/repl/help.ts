import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { promptLine } from "./server-commands.ts";

type Row = readonly [name: string, what: string];

/** The number of prompts in `/help`; `/skills` lists all of them. */
const MOST_PROMPTS = 8;

/** The keys at the prompt. */
export const KEYS: readonly Row[] = [
  ["Shift-Enter", "a new line, if the terminal knows it; so do \\ Enter, Alt-Enter and Ctrl-J"],
  ["/ and @", "complete commands and files as you type"],
  ["! COMMAND", "run it in a shell; the next prompt tells of it"],
  ["↑ ↓, Ctrl-R", "what you asked before; search it"],
  ["Ctrl-G", "write the prompt in your own editor"],
  ["Ctrl-O", "all that the last call printed or changed, and the last thoughts"],
  ["Ctrl-V", "put in the image of the clipboard; a dropped image file goes in too"],
  ["Ctrl-S", "put the prompt away, and take it back"],
  ["Ctrl-_", "undo"],
  ["↓", "in an empty prompt: the agents; look inside, write to one, stop one"],
  ["Ctrl-B", "in an empty prompt: what it waits for continues in the background"],
  ["Ctrl-T", "the list of todos"],
  ["Shift-Tab", "the next permission mode"],
  ["Ctrl-Z", "back to the shell; fg returns"],
  ["Esc, Ctrl-C", "stop the turn; Esc gives back what was not read, Ctrl-C twice leaves"],
  ["Esc Esc", "in an empty prompt: return to an earlier one, as /rewind does"],
];

/** Returns what can be typed: commands, keys, and prompts of servers. */
export function formatHelp(
  commands: readonly Row[],
  prompts: ReturnType<SupervisorHandle["mcp"]["prompts"]>,
): string {
  const left = prompts.length - MOST_PROMPTS;
  const rows = [...commands, ...KEYS];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...rows.map(([name, what]) => `${name.padEnd(width)}  ${what}`),
    "The main conversation gets what you type while agents work at its next turn.",
    ...prompts.slice(0, MOST_PROMPTS).map(promptLine),
    ...(left > 0 ? [`${left} more prompts of MCP servers: /skills lists them.`] : []),
  ].join("\n");
}
