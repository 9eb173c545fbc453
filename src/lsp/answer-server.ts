import { basename } from "node:path";
import * as z from "zod/mini";
import { uriOf } from "./documents.ts";

const Configuration = z.object({ items: z.array(z.object({ section: z.optional(z.nullable(z.string())) })) });

/** More items in one request than any server has settings; the rest get no answer. */
const MOST_ITEMS = 1_000;

export interface Asked {
  readonly root: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Answers what a server asks of its client; undefined: the method is not known. Nothing that it asks is done. */
export function answerServer(method: string, params: unknown, { root, settings }: Asked): unknown {
  switch (method) {
    case "workspace/configuration": {
      const asked = Configuration.safeParse(params);
      const items = asked.success ? asked.data.items.slice(0, MOST_ITEMS) : [];
      return items.map(({ section }) => sectionOf(settings, section ?? ""));
    }
    case "workspace/applyEdit":
      // Files are written by calls of Edit and Write, which are asked about and recorded.
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

/** `python.analysis` is `analysis` of `python`; where settings say nothing of it, null. */
function sectionOf(settings: Readonly<Record<string, unknown>>, section: string): unknown {
  if (section === "") return settings;
  if (Object.hasOwn(settings, section)) return settings[section];
  let value: unknown = settings;
  for (const name of section.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  return value;
}

const Registrations = z.object({ registrations: z.array(z.object({ method: z.string() })) });

/** Whether a server wants to be told of files that were written. */
export function wantsFileChanges(method: string, params: unknown): boolean {
  if (method !== "client/registerCapability") return false;
  const asked = Registrations.safeParse(params);
  return (
    asked.success && asked.data.registrations.some((one) => one.method === "workspace/didChangeWatchedFiles")
  );
}
