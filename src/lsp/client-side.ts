import { basename } from "node:path";
import type { ClientCapabilities, InitializeParams } from "vscode-languageserver-protocol";
import * as z from "zod/mini";
import { uriOf } from "./documents.ts";
import type { LanguageServer } from "./find-servers.ts";

/** Troupe asks servers, reports files to them, and lets them edit nothing. */
const capabilities: ClientCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  workspace: {
    applyEdit: false,
    configuration: true,
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    definition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    hover: { contentFormat: ["plaintext", "markdown"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
    publishDiagnostics: { versionSupport: true },
    diagnostic: {},
  },
  window: { workDoneProgress: true },
};

/** `pid`: a server ends by itself when this process is gone. */
export function initializeParams(
  { initializationOptions }: LanguageServer,
  root: string,
  pid: number,
): InitializeParams {
  const uri = uriOf(root);
  return {
    processId: pid,
    clientInfo: { name: "troupe" },
    rootUri: uri,
    rootPath: root,
    workspaceFolders: [{ uri, name: basename(root) }],
    capabilities,
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
  };
}

const Configuration = z.object({ items: z.array(z.object({ section: z.optional(z.nullable(z.string())) })) });
const Registrations = z.object({ registrations: z.array(z.object({ method: z.string() })) });

/** More items than any server has settings; the rest get no answer. */
const MOST_ITEMS = 1_000;

/** Answers a server's request, or returns undefined for an unknown method. Executes no request. */
export function answerServer(
  method: string,
  params: unknown,
  { root, settings }: { readonly root: string; readonly settings: Readonly<Record<string, unknown>> },
): unknown {
  switch (method) {
    case "workspace/configuration": {
      const { items = [] } = z.safeParse(Configuration, params).data ?? {};
      return items.slice(0, MOST_ITEMS).map(({ section }) => findSection(settings, section ?? ""));
    }
    case "workspace/applyEdit":
      // Edit and Write change files: these calls need permission and are recorded.
      return { applied: false, failureReason: "Edits by language servers are not applied." };
    case "workspace/workspaceFolders":
      return [{ uri: uriOf(root), name: basename(root) }];
    case "window/showDocument":
      return { success: false };
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "window/workDoneProgress/create":
    case "window/showMessageRequest":
    case "workspace/diagnostic/refresh":
    case "workspace/semanticTokens/refresh":
    case "workspace/inlayHint/refresh":
    case "workspace/codeLens/refresh":
    case "workspace/foldingRange/refresh":
      return null;
    default:
      return undefined;
  }
}

/** True for a request to be notified of changed files. */
export function wantsFileChanges(method: string, params: unknown): boolean {
  if (method !== "client/registerCapability") return false;
  const { registrations = [] } = z.safeParse(Registrations, params).data ?? {};
  return registrations.some((one) => one.method === "workspace/didChangeWatchedFiles");
}

/** `python.analysis` is `analysis` of `python`; null if settings do not have it. */
function findSection(settings: Readonly<Record<string, unknown>>, section: string): unknown {
  if (section === "") return settings;
  if (Object.hasOwn(settings, section)) return settings[section];
  let value: unknown = settings;
  for (const name of section.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  return value;
}
