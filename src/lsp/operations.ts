import type * as z from "zod/mini";
import type { Operation } from "../tools/lsp/desk.ts";
import { pathOf } from "./diagnostics.ts";
import type { FileText } from "./file-texts.ts";
import { nameAt, toUnits, type WirePosition } from "./positions.ts";
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
  type SymbolInformation,
  WorkspaceSymbols,
} from "./results.ts";
import type { Ready, ServerLife } from "./server-life.ts";
import {
  kindName,
  type Place,
  type ShowPorts,
  showDiagnostics,
  showPlaces,
  showSymbols,
  showText,
  withheldWords,
} from "./show.ts";

/** What a server has until it tells of a file that it was just shown. */
const DIAGNOSTICS_MS = 10_000;

/** A question to a server that is ready, about a file that it was told of. */
export interface OpenQuestion {
  readonly life: ServerLife;
  readonly ready: Ready;
  readonly path: string;
  readonly uri: string;
  readonly file: FileText;
  readonly version: number;
  readonly line: number | null;
  readonly character: number | null;
  readonly query: string | null;
  readonly signal: AbortSignal;
  readonly show: ShowPorts;
}

/** What cannot be answered, in sentences for the model. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

const NONE = "See with Read whether line and character are on a name.";

/** Returns what the server says, as text. Throws an `Unanswered`, or the signal's reason. */
export async function answer(operation: Operation, question: OpenQuestion): Promise<string> {
  const { life, path, file, show, signal } = question;
  mustOffer(operation, question);
  switch (operation) {
    case "goToDefinition":
      return places(question, "textDocument/definition", "No definition was found.");
    case "goToImplementation":
      return places(question, "textDocument/implementation", "No implementation was found.");
    case "findReferences":
      return places(question, "textDocument/references", "No references were found.", {
        context: { includeDeclaration: true },
      });
    case "hover":
      return hover(question);
    case "documentSymbol":
      return documentSymbols(question);
    case "workspaceSymbol":
      return workspaceSymbols(question);
    case "prepareCallHierarchy": {
      const items = await callItems(question);
      return showPlaces(items.map(placeOfItem), show, `Nothing that can be called is there. ${NONE}`);
    }
    case "incomingCalls":
    case "outgoingCalls":
      return calls(operation, question);
    case "diagnostics": {
      const found = await diagnostics(question, signal);
      const { encoding, cwd } = show;
      if (found.length === 0) return `${life.server.name} finds no problems in this file.`;
      return showDiagnostics(found, { path, lines: file.lines, encoding, cwd });
    }
    default:
      return operation satisfies never;
  }
}

const NEEDS: Readonly<Record<Operation, keyof Capabilities | null>> = {
  goToDefinition: "definitionProvider",
  findReferences: "referencesProvider",
  hover: "hoverProvider",
  documentSymbol: "documentSymbolProvider",
  workspaceSymbol: "workspaceSymbolProvider",
  goToImplementation: "implementationProvider",
  prepareCallHierarchy: "callHierarchyProvider",
  incomingCalls: "callHierarchyProvider",
  outgoingCalls: "callHierarchyProvider",
  diagnostics: null,
};

function mustOffer(operation: Operation, { life, ready }: OpenQuestion): void {
  const needed = NEEDS[operation];
  if (needed === null) return;
  const offered = ready.capabilities[needed];
  if (offered === undefined || offered === null || offered === false)
    throw new Unanswered(
      `The language server ${life.server.name} cannot do ${operation}. Search with Grep instead.`,
    );
}

async function ask<T>(
  { life, signal }: OpenQuestion,
  method: string,
  params: unknown,
  fits: z.ZodMiniType<T>,
): Promise<T> {
  const { name } = life.server;
  const reply = await life.request(method, params, signal);
  switch (reply.type) {
    case "answer": {
      const read = parsed(fits, reply.value);
      if (read === null)
        throw new Unanswered(`The language server ${name} answered ${method} with what is not the protocol.`);
      return read.value;
    }
    case "refused":
      throw new Unanswered(`The language server ${name} could not answer: ${reply.reason.slice(0, 500)}`);
    case "late":
      throw new Unanswered(
        `The language server ${name} did not answer within a minute. Ask again later, or search with Grep.`,
      );
    case "gone":
      throw new Unanswered(
        `The language server ${name} is gone (${life.why}). Ask again: it is started anew.`,
      );
    default:
      return reply satisfies never;
  }
}

/** An answer can be nested so deep that its check runs out of stack. */
function parsed<T>(fits: z.ZodMiniType<T>, value: unknown): { readonly value: T } | null {
  try {
    const read = fits.safeParse(value ?? null);
    return read.success ? { value: read.data } : null;
  } catch {
    return null;
  }
}

/** The place asked about, as the server counts it. */
function positionIn({ line, character, file, show }: OpenQuestion): WirePosition {
  const at = line ?? 1;
  const text = file.lines[at - 1];
  if (text === undefined)
    throw new Unanswered(`Line ${at} does not exist: the file has ${file.lines.length} lines.`);
  return { line: at - 1, character: toUnits(text, character ?? 1, show.encoding) };
}

function asked(question: OpenQuestion): { textDocument: { uri: string }; position: WirePosition } {
  return { textDocument: { uri: question.uri }, position: positionIn(question) };
}

async function places(
  question: OpenQuestion,
  method: string,
  none: string,
  more: object = {},
): Promise<string> {
  const found = await ask(question, method, { ...asked(question), ...more }, Locations);
  return showPlaces(found, question.show, `${none} ${NONE}`);
}

/** What it says of a name comes from where that is defined: no word of a file that may not be read. */
async function hover(question: OpenQuestion): Promise<string> {
  const { ready, show } = question;
  const params = asked(question);
  if (ready.capabilities.definitionProvider) {
    const defined = await ask(question, "textDocument/definition", params, Locations);
    const hidden = defined.filter(({ uri }) => {
      const path = pathOf(uri);
      return path !== null && show.sightOf(path) === "nothing";
    });
    if (hidden.length > 0)
      throw new Unanswered(`Nothing is shown of this name. ${withheldWords(hidden.length)}`);
  }
  const found = await ask(question, "textDocument/hover", params, Hover);
  const contents = found === null ? [] : [found.contents].flat();
  const text = contents.map((one) => (typeof one === "string" ? one : one.value)).join("\n\n");
  return text.trim() === "" ? `Nothing is known of this place. ${NONE}` : showText(text);
}

async function documentSymbols(question: OpenQuestion): Promise<string> {
  const { uri, file, show } = question;
  const params = { textDocument: { uri } };
  const found = (await ask(question, "textDocument/documentSymbol", params, DocumentSymbols)) ?? [];
  if (found.length === 0) return "The file has no symbols.";
  const symbols = found.map((one) => {
    if ("selectionRange" in one) return one;
    const range = one.location.range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    return { name: one.name, kind: one.kind, range, selectionRange: range };
  });
  return showSymbols(symbols, file.lines, show.encoding);
}

async function workspaceSymbols(question: OpenQuestion): Promise<string> {
  const { file, line, character, show } = question;
  const query = question.query ?? nameAt(file.lines[(line ?? 1) - 1] ?? "", character ?? 1);
  if (query === null) throw new Unanswered(`There is no name at this place. ${NONE}`);
  const found = (await ask(question, "workspace/symbol", { query }, WorkspaceSymbols)) ?? [];
  return showPlaces(found.map(placeOfSymbol), show, `No symbol matches ${JSON.stringify(query)}.`);
}

const START = { line: 0, character: 0 };

function placeOfSymbol({ name, kind, containerName, location }: SymbolInformation): Place {
  const within = containerName ? ` in ${containerName}` : "";
  const range = location.range ?? { start: START, end: START };
  return { uri: location.uri, range, label: labelOf(kind, `${name}${within}`) };
}

function placeOfItem({ name, kind, uri, selectionRange }: CallHierarchyItem): Place {
  return { uri, range: selectionRange, label: labelOf(kind, name) };
}

function labelOf(kind: number, name: string): string {
  return `${kindName(kind)} ${name.replace(/\s+/g, " ").slice(0, 200)}`;
}

async function callItems(question: OpenQuestion): Promise<readonly CallHierarchyItem[]> {
  return (
    (await ask(question, "textDocument/prepareCallHierarchy", asked(question), CallHierarchyItems)) ?? []
  );
}

/** Functions at one place; overloads and merged declarations are few. */
const MOST_ITEMS = 10;

async function calls(direction: "incomingCalls" | "outgoingCalls", question: OpenQuestion): Promise<string> {
  const items = await callItems(question);
  if (items.length === 0) return `Nothing that can be called is there. ${NONE}`;
  const found: Place[] = [];
  for (const item of items.slice(0, MOST_ITEMS)) {
    if (direction === "incomingCalls") {
      const incoming = await ask(question, "callHierarchy/incomingCalls", { item }, IncomingCalls);
      // Each call stands in the file of the caller.
      for (const { from, fromRanges } of incoming ?? [])
        found.push(
          ...fromRanges.map((range) => ({
            uri: from.uri,
            range,
            label: `from ${labelOf(from.kind, from.name)}`,
          })),
        );
    } else {
      const outgoing = await ask(question, "callHierarchy/outgoingCalls", { item }, OutgoingCalls);
      for (const { to } of outgoing ?? [])
        found.push({ ...placeOfItem(to), label: `to ${labelOf(to.kind, to.name)}` });
    }
  }
  return showPlaces(
    found,
    question.show,
    direction === "incomingCalls" ? "Nothing calls it." : "It calls nothing.",
  );
}

async function diagnostics(question: OpenQuestion, signal: AbortSignal) {
  const { life, ready, path, uri, version } = question;
  if (ready.capabilities.diagnosticProvider) {
    const params = { textDocument: { uri } };
    return (await ask(question, "textDocument/diagnostic", params, DiagnosticReport)).items ?? [];
  }
  const told = await life.diagnostics.of(path, version, DIAGNOSTICS_MS, signal);
  if (told === null)
    throw new Unanswered(
      `The language server ${life.server.name} has not told of this file within ${DIAGNOSTICS_MS / 1_000} s. Ask again later.`,
    );
  return told;
}
