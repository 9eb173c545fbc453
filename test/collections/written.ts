/** One file of a collection, and what must come of it. */
export interface Written {
  /** Below the directory of its kind. */
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly outcome: Outcome;
}

/** A problem: its line, or null where it is the whole file's, and what its sentence says. */
export type Told = readonly [line: number | null, says: RegExp];

export type Outcome =
  | { readonly type: "loads"; readonly as: object; readonly told: readonly Told[] }
  | { readonly type: "fails"; readonly told: Told }
  /** It is none, and nothing is said of it. */
  | { readonly type: "notes" };

export const loads = (as: object, ...told: readonly Told[]): Outcome => ({ type: "loads", as, told });
export const fails = (line: number | null, says: RegExp): Outcome => ({ type: "fails", told: [line, says] });

/** The same numbers in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** As editors and systems leave files: what a text says stays the same, and its lines may move down. */
export function wrapped(text: string, choose: (below: number) => number): { text: string; moved: number } {
  const moved = choose(6) === 0 ? 1 + choose(3) : 0;
  const below = `${"\n".repeat(moved)}${text}`;
  const spaced = choose(5) === 0 ? below.replace(/^---$/gm, "--- ") : below;
  const ended = choose(4) === 0 ? spaced.trimEnd() : spaced;
  const lines =
    [ended, ended, ended.replaceAll("\n", "\r\n"), ended.replaceAll("\n", "\r")][choose(4)] ?? ended;
  return { text: choose(4) === 0 ? `\uFEFF${lines}` : lines, moved };
}

export function movedBy(outcome: Outcome, lines: number): Outcome {
  const down = ([line, says]: Told): Told => [line === null ? null : line + lines, says];
  switch (outcome.type) {
    case "loads":
      return { ...outcome, told: outcome.told.map(down) };
    case "fails":
      return { ...outcome, told: down(outcome.told) };
    case "notes":
      return outcome;
    default:
      return outcome satisfies never;
  }
}

export interface Topic {
  readonly topic: string;
  /** A sentence without its end. */
  readonly does: string;
}

/** What the people of our collections work on. */
export const TOPICS: readonly [Topic, ...Topic[]] = [
  { topic: "ferry-timetables", does: "Keeps the timetables of the harbour ferries right" },
  { topic: "seed-library", does: "Sorts the catalogue of a seed library" },
  { topic: "tide-tables", does: "Computes tide tables and checks them twice" },
  { topic: "choir-scores", does: "Transposes choir scores for other voices" },
  { topic: "beehive-logs", does: "Reads the logs of forty beehives" },
  { topic: "lantern-firmware", does: "Flashes lanterns and listens to their serial lines" },
  { topic: "museum-labels", does: "Writes museum labels that fit on a card" },
  { topic: "kite-simulator", does: "Tunes the wind model of a kite simulator" },
  { topic: "sourdough-api", does: "Designs the interface of a bakery" },
  { topic: "tram-dispatch", does: "Plans which tram leaves which depot" },
  { topic: "glacier-maps", does: "Draws maps of glaciers as they were" },
  { topic: "puppet-theatre", does: "Books a puppet theatre and its puppeteers" },
];
