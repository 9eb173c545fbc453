import * as z from "zod/mini";
import { NOT_IN_PROJECT } from "./limit-settings.ts";
import { entries, objects, oneOf, setting, texts } from "./setting.ts";

/** The settings of skills, plug-ins, and the marketplaces that they come from. */
export const pluginSettings = {
  skills: {
    injection: setting(
      "troupe.skills.injection",
      oneOf(["message", "system"]),
      "Where the text of a loaded skill goes: into the conversation, or into the system prompt. There each load makes the model's server read the whole conversation again.",
      { fallback: "`message`" },
    ),
    listing: setting(
      "troupe.skills.listing",
      oneOf(["attached", "inline"]),
      "Where the list of skills appears: with the first message, or in the system prompt.",
      { fallback: "`attached`" },
    ),
  },
  enabledPlugins: setting(
    "enabledPlugins",
    entries("an object of plug-ins, each true or false", z.record(z.string(), z.boolean())),
    "Plug-ins by `name@marketplace`; `troupe plugin enable` sets it, and asks whether you agree to what a plug-in runs. A project's settings can propose plug-ins: none of them is used before you agree to it.",
    { trust: "proposes", width: (on) => (on === true ? 1 : 0) },
  ),
  extraKnownMarketplaces: setting(
    "extraKnownMarketplaces",
    objects(),
    'Marketplaces by name, each with `source`: `{"source": "directory", "path": …}`, `{"source": "github", "repo": …}` or `{"source": "git", "url": …}`, the last two with `ref` if you want another branch or a tag. `troupe plugin marketplace add` sets it. A project\'s settings can add some for the plug-ins that it proposes; a name of yours stays yours.',
    { trust: "proposes" },
  ),
  pluginConfigs: setting(
    "pluginConfigs",
    objects(),
    `The options that plug-ins declare, by \`name@marketplace\` (of \`--plugin-dir\` the name alone): \`{"options": {"api_url": …}}\`. One without a value here has that of \`CLAUDE_PLUGIN_OPTION_API_URL\`, or its default. ${NOT_IN_PROJECT}`,
    { trust: "never" },
  ),
  blockedMarketplaces: setting(
    "blockedMarketplaces",
    marketplaceSources(),
    'In your organisation\'s file: sources of marketplaces of which none is added, updated or used, as in `extraKnownMarketplaces`, or `{"source": "hostPattern", "hostPattern": …}` and `{"source": "pathPattern", "pathPattern": …}` with regular expressions.',
    { trust: "managed" },
  ),
  strictKnownMarketplaces: setting(
    "strictKnownMarketplaces",
    { ...marketplaceSources(), merge: "last" },
    "In your organisation's file: the only sources of marketplaces that are added, updated or used, written as those of `blockedMarketplaces`; `[]` allows none.",
    { fallback: "all", trust: "managed" },
  ),
  pluginDirs: setting(
    "troupe.pluginFolders",
    texts("directories"),
    `Directories of plug-ins that are used in every session, as with \`--plugin-dir\`: absolute, from the home (\`~/…\`), or relative to the current directory. ${NOT_IN_PROJECT}`,
    { trust: "never" },
  ),
} as const;

/** Sources of marketplaces, as the organisation's file names them. A pattern must be a valid regular expression. */
function marketplaceSources() {
  const isPattern = (one: unknown) => typeof one === "string" && isRegExp(one);
  const source = z.record(z.string(), z.unknown()).check(
    z.refine(({ source, hostPattern, pathPattern }) => {
      if (source === "hostPattern") return isPattern(hostPattern);
      return source === "pathPattern" ? isPattern(pathPattern) : typeof source === "string";
    }),
  );
  return {
    what: 'a list of objects with "source"; hostPattern and pathPattern are regular expressions',
    schema: z.array(source),
    merge: "each",
  } as const;
}

function isRegExp(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}
