import { basename } from "node:path";
import type { ClientCapabilities, InitializeParams } from "vscode-languageserver-protocol";
import { uriOf } from "./documents.ts";
import type { LanguageServer } from "./find-servers.ts";

/** What Troupe can do for a server: it asks, tells of files, and edits nothing. */
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
