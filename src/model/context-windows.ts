/** Tokens of a window by model id, before the list below (`troupe.contextWindows`). */
export type OwnWindows = Readonly<Record<string, number>>;

/** An unknown model: most often on the user's own server. Too much costs one refused request, which says so. */
export const UNKNOWN_WINDOW = 200_000;
const MILLION = 1_000_000;

/** As published at platform.claude.com (models) in October 2026; by id without its date. */
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
  // It reads whatever it is given, and would search again what it was made to forget.
  offline: MILLION,
};

/** Tokens that a model's requests and replies may have together (A19.5): its own, not those of its parent. */
export function contextWindowOf(model: string, own: OwnWindows = {}): number {
  const id = model.replace(/-\d{8}$/, "");
  for (const name of [model, id]) {
    const tokens = Object.hasOwn(own, name) ? own[name] : undefined;
    if (tokens !== undefined) return tokens;
  }
  return Object.hasOwn(WINDOWS, id) ? (WINDOWS[id] ?? UNKNOWN_WINDOW) : UNKNOWN_WINDOW;
}
