import { existsSync } from "node:fs";
import type { PluginSource } from "../../context/plugins/read-plugin.ts";
import { isObject } from "../../lib/json.ts";
import { printable } from "../../lib/text.ts";
import { grantLines } from "../../policy/trust/trust-text.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import { settingsDirs } from "../directories.ts";
import type { CliIO } from "../process-io.ts";
import { type FoundPlugin, findPlugin, type MarketplaceSearch } from "./marketplaces.ts";
import { withOptions } from "./plugin-options.ts";
import { agreeToPlugin, notAgreed, type PluginParts, pluginParts } from "./plugin-parts.ts";
import { gitSourceText } from "./sources.ts";

export interface SessionPlugins {
  readonly sources: readonly PluginSource[];
  /** Their hooks and MCP servers, as settings of the user, who agreed to them. */
  readonly files: readonly SettingsFile[];
  /** What each may run, and what was left out. */
  readonly notes: readonly string[];
  /** Of the notes, what was left out. */
  readonly problems: readonly string[];
}

/** What settings say of plug-ins. */
export interface ChosenPlugins {
  readonly search: MarketplaceSearch;
  /** By the settings of the user and of the organisation. */
  readonly enabled: Readonly<Record<string, boolean>>;
  /** The user's values for options of plug-ins, by name. */
  readonly configs: Readonly<Record<string, unknown>>;
  /** Those that only the project's settings enable. */
  readonly proposed: readonly string[];
  /** Directories of plug-ins, each relative to another directory. */
  readonly given: readonly { readonly text: string; readonly file: string; readonly from: string }[];
}

/** Asks the user about a plug-in; absent if no user can answer. */
export type AskAboutPlugin = ((question: string) => Promise<boolean>) | undefined;

type Opened =
  | (PluginParts & { readonly source: PluginSource; readonly id: string })
  | { readonly left: readonly string[] };

/**
 * Reads the plug-ins of --plugin-dir and those that settings enable. What the first run is agreed to, as the user names
 * them, and shown; the others count as a whole, if the user agreed to exactly what they run. A project's plug-in counts
 * only if the user has agreed to it, even if it runs nothing.
 */
export async function openPlugins(
  chosen: ChosenPlugins,
  io: CliIO,
  ask: AskAboutPlugin,
): Promise<SessionPlugins> {
  const named = await Promise.all(
    chosen.given.map((one) => settingsDirs([one], { cwd: one.from, homedir: io.homedir })),
  );
  const dirs = named.flatMap((one) => one.dirs);
  const flagged = await Promise.all(
    [...new Set(dirs)].map(async (dir) => {
      const parts = await pluginParts({ dir });
      return { ...parts, source: { dir }, id: parts.plugin.name };
    }),
  );
  const enabled = Object.entries(chosen.enabled).flatMap(([id, on]) => (on ? [id] : []));
  const opened: Opened[] = [];
  // One after the other: each may be a question.
  for (const [isProposed, id] of [
    ...enabled.map((one) => [false, one] as const),
    ...chosen.proposed.map((one) => [true, one] as const),
  ]) {
    const found = findPlugin(id, chosen.search);
    if ("problem" in found) opened.push({ left: [found.problem] });
    // The flag's counts: a plug-in is there once.
    else if (!dirs.includes(found.dir)) opened.push(await openFound({ id, found, isProposed }, io, ask));
  }
  const counted = [...flagged, ...opened.filter((one) => "plugin" in one)].map((one) => ({
    ...one,
    ...withOptions(one.plugin, one, { id: one.id, configs: chosen.configs, io }),
  }));
  const problems = [
    ...named.flatMap(({ notes }) => notes),
    ...opened.flatMap((one) => ("left" in one ? one.left : [])),
    ...counted.flatMap(({ plugin, notes }) => [...plugin.notes, ...notes]),
    ...sameNames(counted),
  ];
  return {
    sources: counted.map(({ source, grants }) => ({
      ...source,
      agreed: new Set(grants.map(({ digest }) => digest)),
    })),
    files: counted.flatMap(({ files }) => files),
    problems,
    notes: [
      ...problems,
      ...counted.flatMap(({ plugin, files }) => {
        const runs = runsOf(files);
        return runs.length === 0
          ? []
          : [`The plug-in ${plugin.name} (${plugin.dir}) runs ${runs.join(", ")}.`];
      }),
    ],
  };
}

async function openFound(
  {
    id,
    found,
    isProposed,
  }: { readonly id: string; readonly found: FoundPlugin; readonly isProposed: boolean },
  io: CliIO,
  ask: AskAboutPlugin,
): Promise<Opened> {
  const { dir, clone, entry, reach } = found;
  const name = printable(id);
  const by = isProposed ? ", which this project's settings enable," : "";
  if (!existsSync(dir)) {
    const what =
      clone !== null && !existsSync(clone.to)
        ? `is not here (${gitSourceText(clone.source)}); get it with troupe plugin install ${name}`
        : `has no directory ${dir}, so it is left out`;
    return { left: [`The plug-in ${name}${by} ${what}.`] };
  }
  const source = { dir, entry, reach };
  const parts = await pluginParts(source);
  if (!isProposed && parts.grants.length === 0) return { ...parts, source, id };
  const fresh = await notAgreed(io, { id, ...found }, parts.grants);
  if (fresh?.length === 0) return { ...parts, source, id };
  const lines = grantLines(fresh ?? parts.grants, Number.POSITIVE_INFINITY);
  const will =
    lines.length === 0
      ? "It runs nothing by itself; its agents, skills and commands become available."
      : ["If you agree, it will:", ...lines].join("\n");
  const question = `The plug-in ${name} (${dir})${by} ${fresh === null ? "needs your agreement" : "has changed since you agreed to it"}. ${will}\nUntil you do, it is left out. Do you agree?`;
  if (await ask?.(question)) {
    await agreeToPlugin(io, { id, ...found }, parts.grants);
    return { ...parts, source, id };
  }
  const runs = (fresh ?? parts.grants).map(({ words }) => words).join("; ");
  const what = runs === "" ? `the plug-in ${name}${by}` : `what the plug-in ${name}${by} runs (${runs}),`;
  return {
    left: [
      ...parts.plugin.notes,
      `You have not agreed to ${what} so it is left out; troupe plugin enable ${name} asks.`,
    ],
  };
}

/** Plug-ins of one name: what has the same name in both exists once. */
function sameNames(parts: readonly PluginParts[]): string[] {
  return [...Map.groupBy(parts, ({ plugin }) => plugin.name)].flatMap(([name, all]) =>
    all.length < 2
      ? []
      : [
          `Several plug-ins are called ${name} (${all.map(({ plugin }) => plugin.dir).join(", ")}): of what has the same name in them, only one counts.`,
        ],
  );
}

/** Names what these settings run. */
function runsOf(files: readonly SettingsFile[]): readonly string[] {
  const leaves = files.flatMap((file) => file.leaves);
  return leaves.flatMap(({ path, value }) => {
    if (path[0] === "mcpServers") return [`the MCP server ${printable(path.at(-1) ?? "")}`];
    const events = isObject(value) ? Object.keys(value) : [];
    return events.length === 0 ? [] : [`hooks at ${events.join(", ")}`];
  });
}
