import type { ActorId } from "../../mailbox/ids.ts";

/** The operations of the tool, by the names that models know. */
export const LSP_OPERATIONS = [
  "goToDefinition",
  "findReferences",
  "hover",
  "documentSymbol",
  "workspaceSymbol",
  "goToImplementation",
  "prepareCallHierarchy",
  "incomingCalls",
  "outgoingCalls",
  "diagnostics",
] as const;
export type LspOperation = (typeof LSP_OPERATIONS)[number];

export interface LanguageQuestion {
  readonly operation: LspOperation;
  readonly file: string;
  /** Counted from 1, in characters as people count them; null if absent. */
  readonly line: number | null;
  readonly character: number | null;
  /** For workspaceSymbol; null means the name at the position. */
  readonly query: string | null;
}

/** The agent that asks; paths are shown relative to `cwd`. */
export interface LanguageAsker {
  readonly actor: ActorId;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** What is found, as text for a model; `failed`: what was wrong and what to do. */
export type LanguageAnswer =
  | { readonly type: "found"; readonly text: string }
  | { readonly type: "failed"; readonly message: string };

export interface LanguageService {
  /** Rejects only when the signal is aborted. */
  ask(question: LanguageQuestion, asker: LanguageAsker): Promise<LanguageAnswer>;
}
