/** Tokens of a window by model ID, which override the list below (`troupe.contextWindows`). */
export type OwnWindows = Readonly<Record<string, number>>;

/**
 * For an unknown model, usually on the user's own server. Too high a value costs one refused request, which says so.
 */
export const UNKNOWN_WINDOW = 200_000;
const MILLION = 1_000_000;

/** As published at platform.claude.com (models) in October 2026; by ID without its date. */
const WINDOWS: Readonly<Record<string, number>> = {
  "claude-opus-5-5": MILLION,
  "claude-opus-5": MILLION,
  "claude-opus-4-8": MILLION,
  "claude-opus-4-7": MILLION,
  "claude-opus-4-6": MILLION,
  "claude-opus-4-5": 200_000,
  "claude-opus-4-1": 200_000,
  "claude-opus-4": 200_000,
  "claude-sonnet-5-5": MILLION,
  "claude-sonnet-5": MILLION,
  "claude-sonnet-4-6": MILLION,
  "claude-sonnet-4-5": 200_000,
  "claude-sonnet-4": 200_000,
  "claude-haiku-5-5": MILLION,
  "claude-haiku-4-5": 200_000,
  "claude-fable-5-1": MILLION,
  "claude-mythos-5-1": MILLION,
  "claude-fable-5": MILLION,
  "claude-mythos-5": MILLION,
  // It reads any input, and would search again for elided results.
  offline: MILLION,
};

/** Returns the tokens that a model's request and reply may have together (A19.5): its own, not those of its parent. */
export function contextWindowOf(model: string, own: OwnWindows = {}): number {
  const id = model.replace(/-\d{8}$/, "");
  for (const name of [model, id]) {
    const tokens = Object.hasOwn(own, name) ? own[name] : undefined;
    if (tokens !== undefined) return tokens;
  }
  return Object.hasOwn(WINDOWS, id) ? (WINDOWS[id] ?? UNKNOWN_WINDOW) : UNKNOWN_WINDOW;
}
