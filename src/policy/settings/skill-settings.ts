import type { Leaf } from "./leaves.ts";
import { type SkillInjection, type SkillListing, skillCatalogue } from "./skill-catalogue.ts";
import { valuesIn } from "./values-in.ts";

/** What settings say about skills; what is absent nobody says. */
export interface SaidOfSkills {
  readonly injection?: SkillInjection;
  readonly listing?: SkillListing;
  /** Folders of plug-ins, each with the file that names it. */
  readonly plugins: readonly { readonly text: string; readonly file: string }[];
}

/** `counted`: what counts of all files together. */
export function skillSettings(counted: readonly Leaf[]): SaidOfSkills {
  const injection = valuesIn(counted, skillCatalogue.injection).at(-1);
  const listing = valuesIn(counted, skillCatalogue.listing).at(-1);
  const plugins = counted
    .filter(({ setting }) => setting === skillCatalogue.plugins)
    .flatMap((leaf) =>
      valuesIn([leaf], skillCatalogue.plugins)
        .flat()
        .map((text) => ({ text, file: leaf.file })),
    );
  return {
    ...(injection === undefined ? {} : { injection }),
    ...(listing === undefined ? {} : { listing }),
    plugins,
  };
}
