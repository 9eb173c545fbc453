/** As published at platform.claude.com (models) in October 2026; by ID without its date. */
const MOST: Readonly<Record<string, number>> = {
  "claude-opus-5-5": 128_000,
  "claude-opus-5": 128_000,
  "claude-opus-4-8": 128_000,
  "claude-opus-4-7": 128_000,
  "claude-opus-4-6": 128_000,
  "claude-opus-4-5": 64_000,
  "claude-opus-4-1": 32_000,
  "claude-opus-4": 32_000,
  "claude-sonnet-5-5": 128_000,
  "claude-sonnet-5": 128_000,
  "claude-sonnet-4-6": 128_000,
  "claude-sonnet-4-5": 64_000,
  "claude-sonnet-4": 64_000,
  "claude-haiku-5-5": 128_000,
  "claude-haiku-4-5": 64_000,
  "claude-fable-5-1": 128_000,
  "claude-mythos-5-1": 128_000,
  "claude-fable-5": 128_000,
  "claude-mythos-5": 128_000,
};

/** Returns the most tokens that one reply of the model may have, or null if that is not known. */
export function outputLimitOf(model: string): number | null {
  const id = model.replace(/-\d{8}$/, "");
  return Object.hasOwn(MOST, id) ? (MOST[id] ?? null) : null;
}
