/**
 * A parsed pattern. `letter` is a regular expression for one character; `maybe` matches all of its content or nothing.
 */
export type Sign =
  | { readonly type: "one" | "many"; readonly letter: string }
  | { readonly type: "maybe"; readonly signs: readonly Sign[] };

export interface Matcher {
  test(text: string): boolean;
}

/** A regular expression with more repetitions takes minutes for one path, and patterns come from strangers. */
const MOST_REPEATS = 2;

/** Returns a matcher for the whole text, in a time linear in the text. */
export function matcherOf(signs: readonly Sign[], flags: string): Matcher {
  if (repeatsIn(signs) <= MOST_REPEATS) return new RegExp(`^${sourceOf(signs)}$`, flags);
  const steps: Step[] = [];
  compile(signs, flags, steps);
  return { test: (text) => fits(steps, text) };
}

function repeatsIn(signs: readonly Sign[]): number {
  return signs.reduce(
    (sum, sign) => sum + (sign.type === "maybe" ? repeatsIn(sign.signs) : Number(sign.type === "many")),
    0,
  );
}

function sourceOf(signs: readonly Sign[]): string {
  return signs
    .map((sign) => {
      switch (sign.type) {
        case "one":
          return sign.letter;
        case "many":
          return `${sign.letter}*`;
        case "maybe":
          return `(?:${sourceOf(sign.signs)})?`;
        default:
          return sign satisfies never;
      }
    })
    .join("");
}

type Step =
  | { readonly type: "one" | "many"; readonly letter: RegExp }
  /** Continues here, or at `after`. */
  | { readonly type: "maybe"; after: number };

function compile(signs: readonly Sign[], flags: string, steps: Step[]): void {
  for (const sign of signs) {
    if (sign.type !== "maybe") {
      steps.push({ type: sign.type, letter: new RegExp(`^${sign.letter}$`, flags) });
      continue;
    }
    const step = { type: "maybe" as const, after: 0 };
    steps.push(step);
    compile(sign.signs, flags, steps);
    step.after = steps.length;
  }
}

/** Follows all ways to read the text in parallel. */
function fits(steps: readonly Step[], text: string): boolean {
  let now = new Set<number>();
  enter(steps, 0, now);
  for (let i = 0; i < text.length && now.size > 0; i++) {
    const letter = text.charAt(i);
    const next = new Set<number>();
    for (const at of now) {
      const step = steps[at];
      if (step === undefined || step.type === "maybe" || !step.letter.test(letter)) continue;
      enter(steps, step.type === "one" ? at + 1 : at, next);
    }
    now = next;
  }
  return now.has(steps.length);
}

/** Adds this position, and those reachable from it without a letter. */
function enter(steps: readonly Step[], at: number, reached: Set<number>): void {
  for (let place = at; !reached.has(place); place++) {
    reached.add(place);
    const step = steps[place];
    if (step === undefined || step.type === "one") return;
    if (step.type === "maybe") enter(steps, step.after, reached);
  }
}
