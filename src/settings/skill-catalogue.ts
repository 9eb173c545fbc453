import { oneOf, texts } from "./checks.ts";
import { setting } from "./setting.ts";

/** Where the text of a loaded skill stands. */
export type SkillInjection = "message" | "system";
/** Where the list of skills stands. */
export type SkillListing = "attached" | "inline";

/** The settings of skills. */
export const skillCatalogue = {
  injection: setting("troupe.skills.injection", oneOf<SkillInjection>(["message", "system"]), {
    summary:
      "Where the text of a loaded skill goes: into the conversation, or into the system prompt. There every load makes the model's server read the whole conversation anew.",
    fallback: "`message`",
  }),
  listing: setting("troupe.skills.listing", oneOf<SkillListing>(["attached", "inline"]), {
    summary: "Where the list of skills stands: with the first message, or in the system prompt.",
    fallback: "`attached`",
  }),
  plugins: setting("troupe.pluginFolders", texts("folders"), {
    summary:
      "Folders of plug-ins, whose `skills` and `commands` are there as `plugin:name`: absolute, from the home (`~/…`), or relative to the current folder. Not for a project's settings.",
    foreign: "never",
  }),
} as const;
