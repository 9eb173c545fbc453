import { seeded } from "../shell/random-commands.ts";

/** Random choices that are the same for the same seed. */
export interface Dice {
  /** True with this probability. */
  readonly chance: (probability: number) => boolean;
  /** An integer from 0 up to, and without, the limit. */
  readonly below: (limit: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** Between `least` and `most` results of `make`. */
  readonly several: <Item>(least: number, most: number, make: () => Item) => Item[];
  readonly shuffle: <Item>(items: readonly Item[]) => Item[];
}

export function makeDice(seed: number): Dice {
  const random = seeded(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const several = <Item>(least: number, most: number, make: () => Item): Item[] =>
    Array.from({ length: least + below(most - least + 1) }, make);
  return {
    chance: (probability) => random() < probability,
    below,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item,
    several,
    shuffle: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0] as (typeof left)[number]);
    },
  };
}

/** Words and pieces of command lines, parted by blanks and `;;`, so that a list of them stays readable. */
export const list = (text: string): readonly string[] => text.trim().split(/\s+;;\s+/);
