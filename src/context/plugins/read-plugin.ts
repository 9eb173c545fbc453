import { basename, join, resolve } from "node:path";
import { isObject, type JsonObject, parseJson, textsIn, valueAt } from "../../lib/json.ts";
import { isPathInside } from "../../lib/paths.ts";
import { printable } from "../../lib/text.ts";
import type { Files } from "../files.ts";
import type { MarkdownDir } from "../markdown/find-markdown.ts";

/** A file or directory of a plug-in in which definitions are looked for. */
export type PluginPath = MarkdownDir;

/** Something in a JSON file of a plug-in, as it is there: the code that uses it checks it. */
export interface PluginValue {
  readonly file: string;
  readonly value: unknown;
}

/** Where a plug-in is. */
export interface PluginSource {
  /** Absolute. */
  readonly dir: string;
  /** What its marketplace says of it, with the keys of a manifest. */
  readonly entry?: { readonly file: string; readonly value: JsonObject };
  /** Its marketplace or repository, beyond which its links may not lead; absent if the user named the plug-in itself. */
  readonly reach?: string;
  /** What the user agreed to, by digest: a skill that asks for more is left out. Absent if the user was not asked. */
  readonly agreed?: ReadonlySet<string>;
  /** Values of `${NAME}` in its texts, in addition to CLAUDE_PLUGIN_ROOT. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A directory with agents, skills, commands, hooks and MCP servers, as its manifest and its marketplace say. */
export interface Plugin extends PluginSource {
  readonly name: string;
  readonly skills: readonly PluginPath[];
  readonly commands: readonly PluginPath[];
  readonly agents: readonly PluginPath[];
  /** Objects as `hooks` of settings. */
  readonly hooks: readonly PluginValue[];
  /** Objects of servers by name, as in `.mcp.json`. */
  readonly servers: readonly PluginValue[];
  /** The options that it declares, by key. */
  readonly userConfig: JsonObject;
  /** Sentences about what was left out. */
  readonly notes: readonly string[];
}

const MAX_BYTES = 1_048_576;
const PARTS = ["skills", "commands", "agents", "hooks", "mcpServers"] as const;
type Part = (typeof PARTS)[number];

/**
 * Reads a plug-in: what is in its usual places, and what its manifest and its marketplace name in addition. With
 * `strict: false` what the marketplace names, if it names anything, is all there is. Never throws.
 */
export function readPlugin(source: PluginSource, files: Files): Plugin {
  const { dir, entry, reach } = source;
  const limits = reach === undefined ? { reach: null } : { reach, isOfMarketplace: true };
  const file = join(dir, ".claude-plugin", "plugin.json");
  const notes: string[] = [];
  const manifest = { file, value: readObject(file) ?? {} };
  const given = [manifest.value["name"], entry?.value["name"], basename(dir)];
  const name = given.find((one) => typeof one === "string" && /^[\w.-]{1,64}$/.test(one));
  const namesParts = PARTS.some((key) => entry !== undefined && Object.hasOwn(entry.value, key));
  const isWhole = namesParts && entry?.value["strict"] === false;
  const said = [...(isWhole ? [] : [manifest]), ...(entry === undefined ? [] : [entry])];

  function readObject(path: string): JsonObject | null {
    if (files.look(path).type === "none") return null;
    if (reach !== undefined && !isPathInside(files.real(path), files.real(reach))) {
      notes.push(`${path} leads out of its marketplace to ${files.real(path)}; it is left out.`);
      return null;
    }
    const read = files.read(path, MAX_BYTES);
    const isLarge = read.type === "text" && read.bytes > MAX_BYTES;
    const value = read.type === "text" && !isLarge ? parseJson(read.text) : undefined;
    if (isObject(value)) return value;
    const fault = isLarge ? "is larger than 1 MB" : "is not a valid JSON object";
    const why = read.type === "text" ? fault : read.reason;
    notes.push(`${path} ${why}; correct it, until then what it says is left out.`);
    return null;
  }

  /** Returns the paths below the plug-in that are named, by a manifest or an entry. */
  function namedPaths(key: Part, from: (typeof said)[number]): string[] {
    const value = from.value[key];
    // Commands can be given by name, each with its file.
    const entries = isObject(value) ? Object.values(value).map((one) => valueAt(one, ["source"])) : value;
    const all = Array.isArray(entries) ? entries : [entries];
    if (value !== undefined && all.some((one) => typeof one !== "string" && !isObject(one)))
      notes.push(`${from.file}: ${key} must be paths of files or directories; what is not is left out.`);
    return textsIn(entries).flatMap((text) => {
      const path = resolve(dir, text);
      const why = !isPathInside(path, dir)
        ? "is outside the plug-in"
        : files.look(path).type === "none"
          ? "does not exist"
          : null;
      if (why === null) return [path];
      notes.push(`${from.file}: ${key} names ${printable(text)}, which ${why}; it is left out.`);
      return [];
    });
  }

  /** Returns the usual place, unless only what is named counts. */
  function usualPlace(key: Part, path: string, named: readonly string[]): readonly string[] {
    if (!isWhole) return [path];
    if (files.look(path).type !== "none" && !named.some((one) => isPathInside(one, path)))
      notes.push(
        `${path} is left out: ${entry?.file} names all that the plug-in ${name} has ("strict": false), and no such ${key}.`,
      );
    return [];
  }

  function definitions(key: "skills" | "commands" | "agents"): PluginPath[] {
    const layout = key === "skills" ? "directories" : "tree";
    const named = said.flatMap((from) => namedPaths(key, from));
    const paths = named.map((path): PluginPath => {
      const skill = join(path, "SKILL.md");
      if (key === "skills" && files.look(skill).type === "file")
        return { ...limits, dir: skill, layout: "file" };
      return { ...limits, dir: path, layout: files.look(path).type === "file" ? "file" : layout };
    });
    const usual = usualPlace(key, join(dir, key), named).map(
      (path): PluginPath => ({ ...limits, dir: path, layout }),
    );
    const alone = join(dir, "SKILL.md");
    const isOneSkill =
      key === "skills" &&
      !isWhole &&
      !said.some(({ value }) => Object.hasOwn(value, key)) &&
      files.look(join(dir, key)).type === "none" &&
      files.look(alone).type === "file";
    return [...usual, ...paths, ...(isOneSkill ? [{ ...limits, dir: alone, layout: "file" as const }] : [])];
  }

  /** Returns the values of a usual file, of the files that are named, and of the manifest and the entry themselves. */
  function values(key: "hooks" | "mcpServers", usual: string): PluginValue[] {
    const inline = said.flatMap((from) =>
      [from.value[key]].flat().flatMap((value) => (isObject(value) ? [{ file: from.file, value }] : [])),
    );
    const paths = said.flatMap((from) => (isObject(from.value[key]) ? [] : namedPaths(key, from)));
    const ofFiles = [...new Set([...usualPlace(key, usual, paths), ...paths])].flatMap(
      (path): PluginValue[] => {
        const value = readObject(path);
        if (value === null) return [];
        const inner = Object.hasOwn(value, key) ? value[key] : value;
        if (isObject(inner)) return [{ file: path, value: inner }];
        notes.push(`${path}: ${key} must be an object; it is left out.`);
        return [];
      },
    );
    // `{"hooks": {…}}` in the manifest is as valid as the events themselves.
    return [
      ...ofFiles,
      ...inline.map((one) => (isObject(one.value[key]) ? { ...one, value: one.value[key] } : one)),
    ];
  }

  const plugin = {
    ...{ ...source, name: name === undefined ? basename(dir) : String(name) },
    ...{ skills: definitions("skills"), commands: definitions("commands"), agents: definitions("agents") },
    hooks: values("hooks", join(dir, "hooks", "hooks.json")),
    servers: values("mcpServers", join(dir, ".mcp.json")),
    userConfig: Object.assign({}, ...said.map(({ value }) => value["userConfig"]).filter(isObject)),
  };
  const declared = PARTS.filter((key) => isWhole && Object.hasOwn(manifest.value, key));
  if (declared.length > 0)
    notes.push(
      `${file}: ${declared.join(", ")} are left out, because ${entry?.file} names all that the plug-in ${plugin.name} has ("strict": false).`,
    );
  for (const from of entry === undefined ? [manifest] : [manifest, entry])
    noteUnused(
      from.file,
      Object.keys(from.value).filter((key) => !KNOWN.includes(key) && !/^(?:_|\/\/)/.test(key)),
    );
  noteUnused(
    dir,
    OTHER_PLACES.filter((place) => files.look(join(dir, place)).type !== "none"),
  );

  function noteUnused(where: string, names: readonly string[]): void {
    const are = names.length === 1 ? "is" : "are";
    if (names.length > 0)
      notes.push(
        `${where}: ${names.map(printable).join(", ")} of the plug-in ${plugin.name} ${are} not used here.`,
      );
  }

  return { ...plugin, notes };
}

/** Keys of a manifest, or of an entry of a marketplace, that are used or that only describe. */
const KNOWN =
  `$schema name displayName version description author homepage repository license keywords category tags
  strict source id logo icon skills commands agents hooks mcpServers userConfig`.split(/\s+/);

/** Where plug-ins have what Troupe has no counterpart for. */
const OTHER_PLACES = ["output-styles", ".lsp.json", "monitors", "themes", "settings.json", "bin"];
