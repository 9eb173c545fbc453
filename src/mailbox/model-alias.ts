/** The short names of models, which stand for the newest of each family. */
export const MODEL_ALIASES = ["opus", "sonnet", "haiku", "fable"] as const;
export type ModelAlias = (typeof MODEL_ALIASES)[number];
