import * as z from "zod/mini";
import type { ActorId } from "../mailbox/ids.ts";
import { resolvePath } from "./paths.ts";
import { type CallContext, failed, naming, type Tool, type ToolFailure, type ToolPrompt } from "./tool.ts";

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

const Input = z.strictObject({
  operation: z.enum(LSP_OPERATIONS).check(z.describe("What to ask the language server (required)")),
  filePath: z
    .string()
    .check(z.minLength(1), z.describe("The file, absolute or from the working directory (required)")),
  line: z.optional(
    z.int().check(z.minimum(1), z.describe("Line of the name, counted from 1 (for most operations)")),
  ),
  character: z.optional(
    z
      .int()
      .check(
        z.minimum(1),
        z.describe("Column of the name in its line, counted from 1 (for most operations)"),
      ),
  ),
  query: z.optional(
    z
      .string()
      .check(
        z.describe(
          "For workspaceSymbol: part of the name to look for (default: the name at line and character)",
        ),
      ),
  ),
});
type Input = z.infer<typeof Input>;

const WITHOUT_PLACE: readonly LspOperation[] = ["documentSymbol", "diagnostics"];

const prompt: ToolPrompt = {
  what: "Asks a language server about code: definitions, uses and implementations of a name, its type and documentation, the symbols of a file or of the project, who calls a function and what it calls, and the problems (diagnostics) of a file.",
  when: "to follow a definition, find all uses before you change a name, or see the errors of a file after you edited it. It knows the meaning of names, while a text search only finds the same letters.",
  whenNot: [
    naming`To find text, comments or names of files use ${"Grep"} and ${"Glob"}.`,
    "for languages without a server here: the result lists the servers.",
  ],
  how: "give the position of the name itself: line and character, both counted from 1. documentSymbol and diagnostics need only filePath; workspaceSymbol takes query. Operations: goToDefinition, findReferences, hover, documentSymbol, workspaceSymbol, goToImplementation, prepareCallHierarchy, incomingCalls, outgoingCalls, diagnostics.",
  recover: [
    naming`If nothing is found, see with ${"Read"} whether line and character are on the name.`,
    "A server that has just started may still be reading the project: ask again.",
  ],
  limits:
    "the first question starts the server, which can take a minute in a large project. At most 200 positions are shown.",
};

export function lspTool(service: LanguageService): Tool<Input, { readonly text: string }, CallContext> {
  return {
    name: "LSP",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: ({ operation, filePath, line, character }) =>
      `${operation} ${filePath}${line === undefined ? "" : `:${line}:${character ?? 1}`}`,
    accesses: ({ filePath }, cwd) => [{ kind: "read", target: resolvePath(cwd, filePath) }],
    async call(input, { actor, cwd, signal }): Promise<{ readonly text: string } | ToolFailure> {
      const missing = missingPlace(input);
      if (missing !== null) return failed(missing);
      const { operation, line = null, character = null, query = null } = input;
      const file = resolvePath(cwd, input.filePath);
      const answer = await service.ask({ operation, file, line, character, query }, { actor, cwd, signal });
      return answer.type === "failed" ? failed(answer.message) : { text: answer.text };
    },
    mapToolResultToToolResultBlockParam: ({ text }) => text,
  };
}

function missingPlace({ operation, line, character, query }: Input): string | null {
  if (WITHOUT_PLACE.includes(operation) || (line !== undefined && character !== undefined)) return null;
  if (operation === "workspaceSymbol")
    return query === undefined ? "workspaceSymbol needs query, or the line and character of a name." : null;
  return `${operation} needs line and character: the position of the name, both counted from 1.`;
}

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
