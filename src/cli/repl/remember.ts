import { dirname } from "node:path";
import { diskFiles } from "../../context/disk-files.ts";
import { MAX_MEMORY_FILE_BYTES } from "../../context/memory/memory.ts";
import { troupeHome } from "../../journal/paths.ts";
import { managedSettingsFile } from "../../settings/paths.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { appendLine, type MemoryOwner, memoryOwners, memoryTarget } from "../memory/memory-file.ts";
import type { OwnFiles } from "./own-files.ts";
import { scopeIn } from "./scope-flag.ts";

const OTHERS: Readonly<Record<MemoryOwner, string>> = {
  project: "--user keeps it for all your projects, --local for you in this one.",
  user: "It counts in all your projects.",
  local: "It is yours alone; keep the file out of git.",
};

/** `/remember [--project|--user|--local] TEXT` adds a line to a memory file; the next request shows it (A18.6). */
export async function remember(argument: string, { own }: { readonly own: OwnFiles }): Promise<string> {
  const { scope, rest } = scopeIn(argument, memoryOwners);
  const text = asItem(rest);
  if (text === "") return "Say what to remember: /remember TEXT, --user or --local before it.";
  const owner = scope ?? "project";
  const { io, cwd } = own;
  const managed = dirname(io.managedSettings ?? managedSettingsFile(process.platform));
  const where = { cwd, homedir: io.homedir, home: troupeHome(io.env, io.homedir), managed };
  const target = memoryTarget(owner, where, diskFiles);
  const end = await appendLine(target, text);
  if (end.type === "refused") return safeLine(end.reason);
  const tooLong =
    end.bytes > MAX_MEMORY_FILE_BYTES
      ? [`The file is longer than the ${MAX_MEMORY_FILE_BYTES / 1024} KB that agents get of it; shorten it.`]
      : [];
  const done = `${end.created ? "Kept in the new file" : "Added to"} ${target.path}; the next request knows it.`;
  return [safeLine(done), ...tooLong, OTHERS[owner]].join("\n");
}

/** Formats a list item, with further lines below its first; removes control characters. */
function asItem(text: string): string {
  const lines = text
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim()
    .split("\n")
    .map((line) => line.trimEnd());
  const joined = lines.join("\n  ");
  return joined === "" || /^[-*] /.test(joined) ? joined : `- ${joined}`;
}
