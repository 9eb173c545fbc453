import type { SupervisorHandle } from "../../session/supervisor-handle.ts";

/** What the conversation needs of a session. */
export type ReplSession = Pick<
  SupervisorHandle,
  | "session"
  | "folder"
  | "prompt"
  | "send"
  | "unsend"
  | "watch"
  | "toBackground"
  | "todos"
  | "tree"
  | "tasks"
  | "cancel"
  | "compact"
  | "resume"
  | "unfinished"
  | "resumeUnfinished"
  | "usage"
  | "describe"
  | "detach"
  | "close"
  | "mcpServers"
  | "serversLeftOut"
  | "mcp"
  | "mode"
  | "setMode"
  | "models"
  | "rules"
  | "skills"
>;
