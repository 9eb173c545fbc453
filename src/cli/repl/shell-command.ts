import { isAbsolute } from "node:path";
import { Readable } from "node:stream";
import type { Outlet } from "../../terminal/output-stream.ts";
import { safeText } from "../../terminal/safe-text.ts";
import type { OwnFiles } from "./slash-context.ts";

/** Subcommands of `troupe` that print something and end, with what they are for: in the conversation each is a slash command. */
export const shellCommands: Readonly<Record<string, string>> = {
  context: "what a model is sent before the first prompt, and its size",
  cron: "prompts that are scheduled",
  doctor: "what is wrong with this installation, and what to do",
  plugin: "plug-ins and marketplaces",
  sessions: "the sessions of this project",
  undo: "undo merged edits of agents",
  worktrees: "worktrees of agents, and their edits",
};

/** What a command alone means here, where it would print pages or ask for more in a shell. */
const ALONE: Readonly<Record<string, readonly string[]>> = {
  context: ["--sizes"],
  cron: ["list"],
  plugin: ["list"],
  sessions: ["list"],
  worktrees: ["list"],
};

/** What the list of a command means if it is empty. */
const EMPTY: Readonly<Record<string, string>> = {
  cron: "No prompt is scheduled here.",
  plugin:
    "No plug-in is installed, and no marketplace is known. /plugin marketplace add PATH or URL adds one.",
  worktrees: "No agent has left edits here.",
};

/** Runs `troupe NAME WORDS` in the conversation's directory, without a terminal, and returns what it printed. */
export async function runShellCommand(
  name: string,
  given: readonly string[],
  own: OwnFiles,
): Promise<string> {
  const words = given.length === 0 ? (ALONE[name] ?? []) : given;
  // These would start another session here, or never end.
  const isLong = (name === "sessions" && words[0] === "resume") || words.includes("--follow");
  if (own.run === undefined || isLong)
    throw new Error(`In a shell there is troupe ${[name, ...words].join(" ")}.`);
  const [said, noted]: [string[], string[]] = [[], []];
  const collect = (pieces: string[]): Outlet => ({
    isTTY: false,
    size: () => own.io.stdout.size(),
    write: async (text) => void pieces.push(text),
    onResize: () => () => {},
  });
  const io = {
    ...{ ...own.io, cwd: own.cwd, stdout: collect(said), stderr: collect(noted) },
    // What is typed belongs to the conversation.
    ...{ stdin: Readable.from([]), stdinIsTTY: false, terminal: own.io.stdout },
  };
  const code = await own.run([name, ...words], io);
  // What went well needs no progress and no notes.
  const shown = code === 0 && said.length > 0 ? said : [...said, ...noted];
  const text = safeText(shown.join("")).trimEnd();
  return text === "" && code === 0 && words[0] === "list" ? (EMPTY[name] ?? "") : text;
}

/** Writes a session into a new file, and says where. */
export async function exportSession(id: string, file: string, own: OwnFiles): Promise<string> {
  const said = await runShellCommand("sessions", ["export", id, file || `troupe-${id}.md`], own);
  // Anything else is a problem.
  return isAbsolute(said) ? `Written: ${said}` : said;
}

/** Splits at blanks; quotes keep them. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
