import * as z from "zod/mini";

/** The parts of servers' answers that are read. A server is a foreign program: an answer that does not fit is invalid. */

const number = z.int().check(z.minimum(0));
const Position = z.object({ line: number, character: number });
const Range = z.object({ start: Position, end: Position });
export type Range = z.infer<typeof Range>;

const LspLocation = z.object({ uri: z.string(), range: Range });
export type LspLocation = z.infer<typeof LspLocation>;
/** A location, or a link to one. A union would try both schemas. */
const LocationOrLink = z.pipe(
  z.transform((one: unknown): unknown =>
    typeof one === "object" && one !== null && "targetUri" in one && "targetSelectionRange" in one
      ? { uri: one.targetUri, range: one.targetSelectionRange }
      : one,
  ),
  LspLocation,
);
export const Locations = z.pipe(
  z.transform((found: unknown): unknown => (found === null ? [] : Array.isArray(found) ? found : [found])),
  z.array(LocationOrLink),
);

const MarkedString = z.union([z.string(), z.object({ value: z.string() })]);
export const Hover = z.nullable(
  z.object({ contents: z.union([MarkedString, z.array(MarkedString)]), range: z.optional(Range) }),
);

export interface DocumentSymbol {
  readonly name: string;
  readonly kind: number;
  readonly selectionRange: Range;
  readonly children?: readonly DocumentSymbol[] | undefined;
}
const DocumentSymbol: z.ZodMiniType<DocumentSymbol> = z.object({
  name: z.string(),
  kind: number,
  selectionRange: Range,
  children: z.optional(z.array(z.lazy(() => DocumentSymbol))),
});
const SymbolInformation = z.object({
  name: z.string(),
  kind: number,
  containerName: z.optional(z.nullable(z.string())),
  location: z.object({ uri: z.string(), range: z.optional(Range) }),
});
export const DocumentSymbols = z.nullable(z.union([z.array(DocumentSymbol), z.array(SymbolInformation)]));
export const WorkspaceSymbols = z.nullable(z.array(SymbolInformation));

/** It is sent back to the server, so its other fields are kept. */
const CallHierarchyItem = z.looseObject({
  name: z.string(),
  kind: number,
  uri: z.string(),
  range: Range,
  selectionRange: Range,
});
export type CallHierarchyItem = z.infer<typeof CallHierarchyItem>;
export const CallHierarchyItems = z.nullable(z.array(CallHierarchyItem));
export const IncomingCalls = z.nullable(
  z.array(z.object({ from: CallHierarchyItem, fromRanges: z.array(Range) })),
);
export const OutgoingCalls = z.nullable(
  z.array(z.object({ to: CallHierarchyItem, fromRanges: z.array(Range) })),
);

const Diagnostic = z.object({
  range: Range,
  severity: z.optional(number),
  code: z.optional(z.union([z.string(), z.number()])),
  source: z.optional(z.string()),
  message: z.string(),
});
export type Diagnostic = z.infer<typeof Diagnostic>;
export const PublishedDiagnostics = z.object({
  uri: z.string(),
  version: z.optional(z.nullable(z.int())),
  diagnostics: z.array(Diagnostic),
});
export const DiagnosticReport = z.object({ items: z.optional(z.array(Diagnostic)) });

export const Initialized = z.object({
  capabilities: z.object({
    positionEncoding: z.optional(z.string()),
    diagnosticProvider: z.optional(z.unknown()),
    definitionProvider: z.optional(z.unknown()),
    referencesProvider: z.optional(z.unknown()),
    hoverProvider: z.optional(z.unknown()),
    documentSymbolProvider: z.optional(z.unknown()),
    workspaceSymbolProvider: z.optional(z.unknown()),
    implementationProvider: z.optional(z.unknown()),
    callHierarchyProvider: z.optional(z.unknown()),
  }),
});
export type Capabilities = z.infer<typeof Initialized>["capabilities"];
