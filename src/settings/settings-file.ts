import { statSync } from "node:fs";
import { dirname } from "node:path";
import { readRegularFile } from "../lib/files.ts";
import { listSome, printable } from "../lib/text.ts";
import { checkLeaves, type Leaf, type Problem } from "./leaves.ts";
import { isProjectScope, type SettingsPath } from "./paths.ts";
import { schema } from "./schema.ts";
import { settingName } from "./setting.ts";
import { findLine, parseSettings, type SettingsRestrictions } from "./settings-text.ts";

/** One file, read and checked. */
export interface SettingsFile extends SettingsPath {
  readonly leaves: readonly Leaf[];
  /** A part that may have restricted could not be read: then no file widens the mode. */
  readonly cautious: boolean;
  readonly warnings: readonly string[];
  /** Some of it does not count, because it is invalid. */
  readonly faulty?: true;
  /** The same for two names of one file; null if there is no file. */
  readonly identity: string | null;
}

/** Names in one sentence; a file can have any number of unknown keys. */
const MAX_NAMES = 8;

/** Reads all files. Never rejects; problems are in the warnings of each file. */
export async function readSettingsFiles(paths: readonly SettingsPath[]): Promise<readonly SettingsFile[]> {
  const files = await Promise.all(paths.map(readSettingsFile));
  const own = new Set(files.filter(({ scope }) => !isProjectScope(scope)).map(({ identity }) => identity));
  // In the home itself the user's own file is also the project's: it is read once, as the user's.
  return files.map((file) =>
    isProjectScope(file.scope) && file.identity !== null && own.has(file.identity)
      ? { ...file, leaves: [], warnings: [], cautious: false }
      : file,
  );
}

/** Never rejects: a missing file has no settings, and one that cannot be read has a warning. */
export async function readSettingsFile(from: SettingsPath): Promise<SettingsFile> {
  const { file } = from;
  const nothing = { ...from, leaves: [], cautious: false, warnings: [], identity: null };
  const read = readRegularFile(file);
  if (read.type === "absent") {
    const dir = dirname(file);
    // The two files of a project are in one directory, which has one line.
    const isFile = from.scope !== "local" && statSync(dir, { throwIfNoEntry: false })?.isFile();
    const line = `${dir} is a file, not a directory, so nothing is read from it.`;
    return isFile ? { ...nothing, warnings: [line] } : nothing;
  }
  if (read.type === "unreadable") {
    const sentence = `${file} ${read.problem}; correct that, until then none of its settings count.`;
    return { ...nothing, cautious: true, faulty: true, warnings: [sentence] };
  }
  const { identity } = read;
  const text = read.bytes.toString();
  const parsed = await parseSettings(text);
  if (parsed.type === "broken") {
    const sentence = `${file}: ${parsed.problem}; correct it, until then only what denies or asks in it counts.`;
    const leaves = restrictionLeaves(parsed.restrictions, from);
    return { ...from, leaves, cautious: true, faulty: true, warnings: [sentence], identity };
  }
  const { leaves, problems, unknown, unenforced, unused, absentEvents } = checkLeaves(parsed.value, from);
  const warnings = await Promise.all(problems.slice(0, MAX_NAMES).map((one) => problemText(one, text)));
  if (unknown.length > 0) warnings.push(`there is no setting ${listText(unknown)}; correct or remove it.`);
  if (unused.length > 0)
    warnings.push(`${listText(unused)} ${unused.length === 1 ? "is" : "are"} not used here.`);
  if (absentEvents.length > 0) {
    const [are, their] = absentEvents.length === 1 ? ["is an event", "its"] : ["are events", "their"];
    warnings.push(
      `${listText(absentEvents)} ${are} of Claude Code that ${absentEvents.length === 1 ? "does" : "do"} not exist here, so ${their} hooks do not run.`,
    );
  }
  warnings.push(...unenforcedTexts(unenforced));
  const cautious = problems.some(({ path }) => path[0] === "permissions");
  const own = { ...from, leaves, cautious, warnings: warnings.map((one) => `${file}: ${one}`), identity };
  return problems.length > 0 ? { ...own, faulty: true } : own;
}

/** Keys that open the sandbox elsewhere. */
const WIDER =
  /^sandbox\.(?:excludedCommands|filesystem\.allow(?:Write|Read)|network\.(?:allow|httpProxyPort|socksProxyPort)|enableWeaker|ignoreViolations)/;

/** A restriction is never dropped without a line: what is not enforced, and what it means here. */
function unenforcedTexts(unenforced: readonly string[]): string[] {
  const isWider = (name: string) => WIDER.test(name);
  const wider = unenforced.filter(isWider);
  const others = unenforced.filter((name) => !isWider(name));
  const widens = `${listText(wider)} would widen the sandbox, which Troupe does not do: such commands stay in it, and leave it only with your permission.`;
  const without = `Troupe does not enforce ${listText(others)}; use permission rules or troupe.sandbox instead.`;
  return [...(wider.length === 0 ? [] : [widens]), ...(others.length === 0 ? [] : [without])];
}

function restrictionLeaves({ deny, ask, disableBypass }: SettingsRestrictions, from: SettingsPath): Leaf[] {
  const { permissions } = schema;
  const leaf = (setting: Leaf["setting"] & object, value: unknown): Leaf => {
    return { ...from, setting, path: setting.path, value };
  };
  return [
    ...[leaf(permissions.deny, deny), leaf(permissions.ask, ask)],
    ...(disableBypass ? [leaf(permissions.disableBypass, "disable")] : []),
  ];
}

async function problemText({ path, message, partly }: Problem, text: string): Promise<string> {
  const line = await findLine(text, path);
  const where = line === null ? "" : ` (line ${line})`;
  const counts = partly ? "only what is right in it counts" : "it does not count";
  return `${printable(settingName({ path }))} ${message}${where}; correct it, until then ${counts}.`;
}

/** Lists names for the user, with the number of those that are left out. */
export function listText(names: readonly string[]): string {
  return listSome(names.map(printable), MAX_NAMES);
}
