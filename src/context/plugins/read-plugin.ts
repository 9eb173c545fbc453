import { basename, join, resolve } from "node:path";
import { parseJson, textsIn, valueAt } from "../../lib/json.ts";
import { isObject } from "../../lib/objects.ts";
import { isPathInside } from "../../lib/paths.ts";
import { printable } from "../../lib/printable.ts";
import type { Files } from "../files.ts";
import type { MarkdownDir } from "../markdown/find-markdown.ts";

/** A file or directory of a plug-in in which definitions are looked for. */
export type PluginPath = Pick<MarkdownDir, "dir" | "layout">;

/** Something in a JSON file of a plug-in, as it is there: the code that uses it checks it. */
export interface PluginValue {
  readonly file: string;
  readonly value: unknown;
}

/** A directory with agents, skills, commands, hooks and MCP servers, as its manifest says. */
export interface Plugin {
  readonly name: string;
  /** Absolute. */
  readonly dir: string;
  readonly skills: readonly PluginPath[];
  readonly commands: readonly PluginPath[];
  readonly agents: readonly PluginPath[];
  /** Objects as `hooks` of settings. */
  readonly hooks: readonly PluginValue[];
  /** Objects of servers by name, as in `.mcp.json`. */
  readonly servers: readonly PluginValue[];
  /** Sentences about what was left out. */
  readonly notes: readonly string[];
}

const MAX_BYTES = 1_048_576;
/** Keys of a manifest for which Troupe has no counterpart. */
const NOT_USED = ["outputStyles", "lspServers", "monitors", "themes", "channels", "userConfig"];

/** Reads a plug-in: what is in its usual places, and what its manifest names in addition. Never throws. */
export function readPlugin(dir: string, files: Files): Plugin {
  const file = join(dir, ".claude-plugin", "plugin.json");
  const notes: string[] = [];
  const manifest = readObject(file) ?? {};
  const own = manifest["name"];
  const name = typeof own === "string" && /^[\w.-]{1,64}$/.test(own) ? own : basename(dir);

  function readObject(path: string): Record<string, unknown> | null {
    if (files.look(path).type === "none") return null;
    const read = files.read(path, MAX_BYTES);
    const value = read.type === "text" && read.bytes <= MAX_BYTES ? parseJson(read.text) : undefined;
    if (isObject(value)) return { ...value };
    const why = read.type === "text" ? "is not a valid JSON object" : read.reason;
    notes.push(`${path} ${why}; correct it, until then what it says is left out.`);
    return null;
  }

  /** Returns the paths below the plug-in that the manifest names. */
  function named(key: string): string[] {
    const value = manifest[key];
    // Commands can be given by name, each with its file.
    const entries = isObject(value) ? Object.values(value).map((one) => valueAt(one, ["source"])) : value;
    return textsIn(entries).flatMap((text) => {
      const path = resolve(dir, text);
      const why = !isPathInside(path, dir)
        ? "is outside the plug-in"
        : files.look(path).type === "none"
          ? "does not exist"
          : null;
      if (why === null) return [path];
      notes.push(`${file}: ${key} names ${printable(text)}, which ${why}; it is left out.`);
      return [];
    });
  }

  function definitions(key: "skills" | "commands" | "agents"): PluginPath[] {
    const layout = key === "skills" ? "directories" : "tree";
    const paths = named(key).map((path): PluginPath => {
      const skill = join(path, "SKILL.md");
      if (key === "skills" && files.look(skill).type === "file") return { dir: skill, layout: "file" };
      return { dir: path, layout: files.look(path).type === "file" ? "file" : layout };
    });
    return [{ dir: join(dir, key), layout }, ...paths];
  }

  /** Returns the values of a usual file, of the files that the manifest names, and of the manifest itself. */
  function values(key: "hooks" | "mcpServers", usual: string): PluginValue[] {
    const given: readonly unknown[] = [manifest[key]].flat();
    const inline = given.filter(isObject).map((value) => ({ file, value }));
    const paths = isObject(manifest[key]) ? [] : named(key);
    const ofFiles = [...new Set([usual, ...paths])].flatMap((path): PluginValue[] => {
      const value = readObject(path);
      if (value === null) return [];
      const inner = Object.hasOwn(value, key) ? value[key] : value;
      if (isObject(inner)) return [{ file: path, value: inner }];
      notes.push(`${path}: ${key} must be an object; it is left out.`);
      return [];
    });
    // `{"hooks": {…}}` in the manifest is as valid as the events themselves.
    return [
      ...ofFiles,
      ...inline.map((one) => (isObject(one.value[key]) ? { file, value: one.value[key] } : one)),
    ];
  }

  const plugin = {
    ...{ name, dir },
    ...{ skills: definitions("skills"), commands: definitions("commands"), agents: definitions("agents") },
    hooks: values("hooks", join(dir, "hooks", "hooks.json")),
    servers: values("mcpServers", join(dir, ".mcp.json")),
  };
  const unused = NOT_USED.filter((key) => Object.hasOwn(manifest, key));
  if (unused.length > 0)
    notes.push(`${file}: ${unused.join(", ")} of the plug-in ${name} are not used here.`);
  return { ...plugin, notes };
}
