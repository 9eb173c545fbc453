import { type Piece, type Pieces, SLASH } from "./syntax.ts";

/** How far into a pattern a path has come, in all the ways it can be read at once. */
export interface State {
  /** What was read so far fits as a whole. */
  readonly fits: boolean;
  /** Nothing that follows can fit. */
  readonly isDead: boolean;
}

export interface Automaton {
  readonly start: State;
  after(state: State, text: string): State;
}

type Step =
  | { readonly type: "one"; readonly fits: (code: number) => boolean; readonly next: number }
  | { readonly type: "split"; readonly to: readonly number[] }
  | { readonly type: "end" };

/** States that are remembered; a pattern could have a great many, and then they are found again. */
const MAX_STATES = 1_000;
const ASCII = 128;

/**
 * Reads each character once, whatever the pattern: a regular expression with ten stars takes a second for one
 * name, and both patterns and names come from strangers. Sets of steps are made into states as they are met.
 */
export function automatonOf(pieces: Pieces): Automaton {
  const steps = stepsOf(pieces);
  const known = new Map<string, Known>();
  const start = stateOf(new Set([steps.length - 1]));

  function stateOf(entries: ReadonlySet<number>): Known {
    const reached = closure(steps, entries);
    const key = reached.join();
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= MAX_STATES) known.clear();
    const state = new Known(
      reached,
      reached.some((at) => steps[at]?.type === "end"),
    );
    known.set(key, state);
    return state;
  }

  function step(state: Known, code: number): Known {
    const entries = new Set<number>();
    for (const at of state.reached) {
      const one = steps[at];
      if (one?.type === "one" && one.fits(code)) entries.add(one.next);
    }
    return stateOf(entries);
  }

  return {
    start,
    after(from, text) {
      if (!(from instanceof Known)) throw new Error("This state is of no automaton.");
      let state = from;
      for (let at = 0; at < text.length && !state.isDead; at++) {
        const code = text.codePointAt(at) ?? 0;
        if (code > 0xffff) at += 1;
        let next = code < ASCII ? state.next[code] : undefined;
        if (next === undefined) {
          next = step(state, code);
          if (code < ASCII) state.next[code] = next;
        }
        state = next;
      }
      return state;
    },
  };
}

class Known implements State {
  readonly reached: readonly number[];
  readonly fits: boolean;
  readonly next: (Known | undefined)[] = [];

  constructor(reached: readonly number[], fits: boolean) {
    this.reached = reached;
    this.fits = fits;
  }

  get isDead(): boolean {
    return this.reached.length === 0;
  }
}

/** Steps that take a character, and the end, that are reached from here without one; in order. */
function closure(steps: readonly Step[], entries: ReadonlySet<number>): number[] {
  const seen = new Set(entries);
  const reached: number[] = [];
  // A set goes on over what is added to it meanwhile.
  for (const at of seen) {
    const step = steps[at];
    if (step?.type !== "split") reached.push(at);
    else for (const to of step.to) seen.add(to);
  }
  return reached.sort((a, b) => a - b);
}

/** Built from the end; the last one is where it starts. */
function stepsOf(pieces: Pieces): Step[] {
  const steps: Step[] = [{ type: "end" }];
  const add = (step: Step) => steps.push(step) - 1;
  const loop = (make: (at: number) => number[]): number => {
    const at = add({ type: "split", to: [] });
    steps[at] = { type: "split", to: make(at) };
    return at;
  };
  const anything = () => true;

  function all(some: Pieces, next: number): number {
    return some.reduceRight((after, piece) => begin(piece, after), next);
  }

  function begin(piece: Piece, next: number): number {
    switch (piece.type) {
      case "one":
        return add({ type: "one", fits: piece.fits, next });
      case "part":
        return loop((at) => [add({ type: "one", fits: (code) => code !== SLASH, next: at }), next]);
      case "rest": {
        const more = loop((at) => [add({ type: "one", fits: anything, next: at }), next]);
        return piece.orNothing ? more : add({ type: "one", fits: anything, next: more });
      }
      case "folders": {
        const slash = add({ type: "one", fits: (code) => code === SLASH, next });
        const way = loop((at) => [add({ type: "one", fits: anything, next: at }), slash]);
        return add({ type: "split", to: [next, way] });
      }
      case "either":
        return either(piece, next);
      default:
        return piece satisfies never;
    }
  }

  function either({ ways, times }: Extract<Piece, { type: "either" }>, next: number): number {
    switch (times) {
      case "once":
        return add({ type: "split", to: ways.map((way) => all(way, next)) });
      case "once-or-not":
        return add({ type: "split", to: [...ways.map((way) => all(way, next)), next] });
      case "any":
        return loop((at) => [...ways.map((way) => all(way, at)), next]);
      case "once-or-more": {
        let once: number[] = [];
        loop((at) => {
          once = ways.map((way) => all(way, at));
          return [...once, next];
        });
        return add({ type: "split", to: once });
      }
      default:
        return times satisfies never;
    }
  }

  const first = all(pieces, 0);
  add({ type: "split", to: [first] });
  return steps;
}
