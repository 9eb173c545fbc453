import type { Leaf } from "./leaves.ts";
import { skillCatalogue } from "./skill-catalogue.ts";
import { leavesIn, type Said, said } from "./values-in.ts";

const { plugins, ...others } = skillCatalogue;

/** What settings say about skills; what is absent nobody says. */
export interface SaidOfSkills extends Said<typeof others> {
  /** Folders of plug-ins, each with the file that names it. */
  readonly plugins: readonly { readonly text: string; readonly file: string }[];
}

/** `counted`: what counts of all files together. */
export function skillSettings(counted: readonly Leaf[]): SaidOfSkills {
  const named = leavesIn(counted, plugins);
  return {
    ...said(counted, others),
    plugins: named.flatMap(({ value, file }) => value.map((text) => ({ text, file }))),
  };
}
