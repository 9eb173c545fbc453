/** The commands of the conversation in the terminal, each with what there is for it outside; null: nothing. */
const inConversation: Readonly<Record<string, string | null>> = {
  help: "troupe --help lists what there is outside it",
  agents: "troupe agents lists the types of agents, and troupe sessions ID the agents of a session",
  stop: null,
  resume: "troupe -p --resume ID goes on with a session",
  skills: "troupe context shows what a model is told of skills",
  mcp: "troupe mcp list shows how it stands with the MCP servers",
  mode: "--permission-mode sets what is allowed without asking",
  permissions: "troupe permissions lists the rules in force",
  config: "troupe config shows and edits settings",
  remember: null,
  compact: "troupe --continue takes the last one up there",
  exit: null,
  quit: null,
};

export const conversationCommands: readonly string[] = Object.keys(inConversation);

/** Commands of the shell that no command of the conversation has the name of. */
const inShell: readonly string[] = [
  "context",
  "cron",
  "doctor",
  "fanout",
  "sessions",
  "start",
  "top",
  "undo",
  "worktrees",
];

/** Why nobody outside the conversation can be told this word after a slash, as a sentence. Null: it is none of its own. */
export function onlyInConversation(word: string): string | null {
  if (!Object.hasOwn(inConversation, word)) return null;
  const other = inConversation[word] ?? null;
  return `"/${word}" belongs to the conversation in the terminal, which troupe alone begins${other === null ? "" : `; ${other}`}.`;
}

/** The end of a sentence that says there is no such word after a slash: it is a command of the shell. Null: it is none. */
export function onlyInShell(word: string): string | null {
  return inShell.includes(word) ? `in a shell there is troupe ${word}.` : null;
}
