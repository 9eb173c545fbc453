import type * as z from "zod/mini";
import { pathOf } from "../lib/paths.ts";
import { oneLine, shorten } from "../lib/text.ts";
import type { LanguageQuestion, LspOperation } from "../tools/lsp.ts";
import type { Synced } from "./documents.ts";
import { nameAt, toUnits, type WirePosition } from "./files.ts";
import {
  type CallHierarchyItem,
  CallHierarchyItems,
  type Capabilities,
  DiagnosticReport,
  DocumentSymbols,
  Hover,
  IncomingCalls,
  Locations,
  OutgoingCalls,
  WorkspaceSymbols,
} from "./results.ts";
import type { ServerLife } from "./server-life.ts";
import {
  kindName,
  type ShownPlace,
  type ShowPorts,
  showDiagnostics,
  showPlaces,
  showSymbols,
  showText,
  withheldText,
} from "./show.ts";

/** Time for a server to report on a file that it has just received. */
const DIAGNOSTICS_MS = 10_000;
/** Functions at one position; overloads and merged declarations are few. */
const MOST_ITEMS = 10;
const ADVICE = "Check with Read whether line and character are on a name.";

/** A question to a server that is ready, about a file that it has received. */
export interface OpenQuestion extends Omit<LanguageQuestion, "file">, Synced {
  readonly life: ServerLife;
  readonly capabilities: Capabilities;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly show: ShowPorts;
}

/** The message says what cannot be answered, for the model. */
export class UnansweredError extends Error {
  override readonly name = "UnansweredError";
}

/** By operation: the capability that it needs, and its answer as text. */
const OPERATIONS: Readonly<
  Record<
    LspOperation,
    { readonly needs: keyof Capabilities | null; answer(question: OpenQuestion): Promise<string> }
  >
> = {
  goToDefinition: {
    needs: "definitionProvider",
    answer: (question) => answerPlaces(question, "textDocument/definition", "No definition was found."),
  },
  goToImplementation: {
    needs: "implementationProvider",
    answer: (question) =>
      answerPlaces(question, "textDocument/implementation", "No implementation was found."),
  },
  findReferences: {
    needs: "referencesProvider",
    answer: (question) =>
      answerPlaces(question, "textDocument/references", "No references were found.", {
        context: { includeDeclaration: true },
      }),
  },
  hover: { needs: "hoverProvider", answer: answerHover },
  documentSymbol: { needs: "documentSymbolProvider", answer: answerDocumentSymbols },
  workspaceSymbol: { needs: "workspaceSymbolProvider", answer: answerWorkspaceSymbols },
  prepareCallHierarchy: {
    needs: "callHierarchyProvider",
    answer: async (question) =>
      showPlaces((await callItems(question)).map(itemPlace), question.show, NOTHING_CALLABLE),
  },
  incomingCalls: { needs: "callHierarchyProvider", answer: answerIncomingCalls },
  outgoingCalls: { needs: "callHierarchyProvider", answer: answerOutgoingCalls },
  diagnostics: { needs: null, answer: answerDiagnostics },
};

const NOTHING_CALLABLE = `There is nothing callable at this position. ${ADVICE}`;

/** Returns the server's answer as text. Throws an UnansweredError, or the signal's reason. */
export async function answerQuestion(question: OpenQuestion): Promise<string> {
  const { operation, capabilities, life } = question;
  const { needs, answer: run } = OPERATIONS[operation];
  if (needs !== null && !(capabilities[needs] ?? false))
    throw new UnansweredError(
      `The language server ${life.server.name} cannot do ${operation}. Search with Grep instead.`,
    );
  return run(question);
}

async function request<T>(
  { life, signal }: OpenQuestion,
  method: string,
  params: unknown,
  schema: z.ZodMiniType<T>,
): Promise<T> {
  const { name } = life.server;
  const reply = await life.request(method, params, signal);
  switch (reply.type) {
    case "answer": {
      const parsed = parse(schema, reply.value);
      if (parsed === null)
        throw new UnansweredError(`The language server ${name} sent an invalid answer to ${method}.`);
      return parsed.value;
    }
    case "refused":
      throw new UnansweredError(
        `The language server ${name} could not answer: ${reply.reason.slice(0, 500)}`,
      );
    case "late":
      throw new UnansweredError(
        `The language server ${name} did not answer within a minute. Ask again later, or search with Grep.`,
      );
    case "gone":
      throw new UnansweredError(
        `The language server ${name} is gone (${life.why}). Ask again: a new one is started.`,
      );
    default:
      return reply satisfies never;
  }
}

/** A deeply nested answer can use up the stack. */
function parse<T>(schema: z.ZodMiniType<T>, value: unknown): { readonly value: T } | null {
  try {
    const parsed = schema.safeParse(value ?? null);
    return parsed.success ? { value: parsed.data } : null;
  } catch {
    return null;
  }
}

function positionParams({ line, character, file, uri }: OpenQuestion): {
  readonly textDocument: { readonly uri: string };
  readonly position: WirePosition;
} {
  const at = line ?? 1;
  const text = file.lines[at - 1];
  if (text === undefined)
    throw new UnansweredError(`Line ${at} does not exist: the file has ${file.lines.length} lines.`);
  return {
    textDocument: { uri },
    position: { line: at - 1, character: toUnits(text, character ?? 1) },
  };
}

async function answerPlaces(
  question: OpenQuestion,
  method: string,
  none: string,
  more: object = {},
): Promise<string> {
  const found = await request(question, method, { ...positionParams(question), ...more }, Locations);
  return showPlaces(found, question.show, `${none} ${ADVICE}`);
}

/** The text comes from the definition of the name, so it must not be in a file that the agent may not read. */
async function answerHover(question: OpenQuestion): Promise<string> {
  const { capabilities, show } = question;
  const params = positionParams(question);
  if (capabilities.definitionProvider) {
    const defined = await request(question, "textDocument/definition", params, Locations);
    const hidden = defined.filter(({ uri }) => {
      const path = pathOf(uri);
      return path !== null && show.sightOf(path) === "nothing";
    });
    if (hidden.length > 0)
      throw new UnansweredError(`Nothing is shown about this name. ${withheldText(hidden.length)}`);
  }
  const found = await request(question, "textDocument/hover", params, Hover);
  const contents = found === null ? [] : [found.contents].flat();
  const text = contents.map((one) => (typeof one === "string" ? one : one.value)).join("\n\n");
  return text.trim() === "" ? `Nothing is known about this position. ${ADVICE}` : showText(text);
}

async function answerDocumentSymbols(question: OpenQuestion): Promise<string> {
  const params = { textDocument: { uri: question.uri } };
  const found = await request(question, "textDocument/documentSymbol", params, DocumentSymbols);
  if (!found || found.length === 0) return "The file has no symbols.";
  const symbols = found.map((one) => {
    if ("selectionRange" in one) return one;
    const { name, kind, location } = one;
    return { name, kind, selectionRange: location.range ?? EMPTY_RANGE };
  });
  return showSymbols(symbols, question.file.lines);
}

async function answerWorkspaceSymbols(question: OpenQuestion): Promise<string> {
  const { file, line, character, show } = question;
  const query = question.query ?? nameAt(file.lines[(line ?? 1) - 1] ?? "", character ?? 1);
  if (query === null) throw new UnansweredError(`There is no name at this position. ${ADVICE}`);
  const found = (await request(question, "workspace/symbol", { query }, WorkspaceSymbols)) ?? [];
  const places = found.map(({ name, kind, containerName, location }): ShownPlace => {
    const container = containerName ? ` in ${containerName}` : "";
    const range = location.range ?? EMPTY_RANGE;
    return { uri: location.uri, range, label: labelOf(kind, `${name}${container}`) };
  });
  return showPlaces(places, show, `No symbol matches ${JSON.stringify(query)}.`);
}

const EMPTY_RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function itemPlace({ name, kind, uri, selectionRange }: CallHierarchyItem): ShownPlace {
  return { uri, range: selectionRange, label: labelOf(kind, name) };
}

function labelOf(kind: number, name: string): string {
  return `${kindName(kind)} ${shorten(oneLine(name), 200)}`;
}

async function callItems(question: OpenQuestion): Promise<readonly CallHierarchyItem[]> {
  const method = "textDocument/prepareCallHierarchy";
  return (await request(question, method, positionParams(question), CallHierarchyItems)) ?? [];
}

async function answerIncomingCalls(question: OpenQuestion): Promise<string> {
  const items = await callItems(question);
  if (items.length === 0) return NOTHING_CALLABLE;
  const places: ShownPlace[] = [];
  for (const item of items.slice(0, MOST_ITEMS)) {
    const calls = await request(question, "callHierarchy/incomingCalls", { item }, IncomingCalls);
    // Each call is in the file of the caller.
    for (const { from, fromRanges } of calls ?? []) {
      const label = `from ${labelOf(from.kind, from.name)}`;
      places.push(...fromRanges.map((range) => ({ uri: from.uri, range, label })));
    }
  }
  return showPlaces(places, question.show, "There are no calls of it.");
}

async function answerOutgoingCalls(question: OpenQuestion): Promise<string> {
  const items = await callItems(question);
  if (items.length === 0) return NOTHING_CALLABLE;
  const places: ShownPlace[] = [];
  for (const item of items.slice(0, MOST_ITEMS)) {
    const calls = await request(question, "callHierarchy/outgoingCalls", { item }, OutgoingCalls);
    for (const { to } of calls ?? [])
      places.push({ ...itemPlace(to), label: `to ${labelOf(to.kind, to.name)}` });
  }
  return showPlaces(places, question.show, "It calls nothing.");
}

async function answerDiagnostics(question: OpenQuestion): Promise<string> {
  const { life, capabilities, path, uri, version, file, show, signal } = question;
  const { name } = life.server;
  const found = capabilities.diagnosticProvider
    ? (await request(question, "textDocument/diagnostic", { textDocument: { uri } }, DiagnosticReport)).items
    : await life.diagnostics.of(path, version, DIAGNOSTICS_MS, signal);
  if (found === null)
    throw new UnansweredError(
      `The language server ${name} did not report on this file within ${DIAGNOSTICS_MS / 1_000} s. Ask again later.`,
    );
  if (found === undefined || found.length === 0) return `${name} finds no problems in this file.`;
  return showDiagnostics(found, { path, lines: file.lines, cwd: show.cwd });
}
