/** `TROUPE_MAX_AGENTS`, or a sentence where it cannot be used. Empty is not set. */
export function maxAgentsIn(
  env: Readonly<Record<string, string | undefined>>,
): { readonly value?: number } | { readonly problem: string } {
  const word = env["TROUPE_MAX_AGENTS"]?.trim();
  if (!word) return {};
  const value = /^\d{1,9}$/.test(word) ? Number(word) : Number.NaN;
  if (value >= 1 && value <= 256) return { value };
  return { problem: `TROUPE_MAX_AGENTS is "${word}"; set it to a whole number from 1 to 256, or unset it.` };
}
