import { resolve } from "node:path";
import type { ShellWord, Step } from "../shell/script.ts";

/** The possible working directories of a command. */
export interface Whereabouts {
  readonly folders: readonly string[];
  /** It may also be anywhere else. */
  readonly lost: boolean;
}

/** Follows the working directory through a script: `&&` means that what was before succeeded, `;` does not. */
export class Directories {
  #now: Whereabouts;
  #failed: Whereabouts[] = [];
  readonly #outer: { now: Whereabouts; failed: Whereabouts[] }[] = [];
  /** True after a `cd`. */
  left = false;

  constructor(start: Whereabouts) {
    this.#now = start;
  }

  get now(): Whereabouts {
    return this.#now;
  }

  step(step: Exclude<Step["type"], "part" | "redirects" | "data" | "together">): void {
    switch (step) {
      case "enter":
      case "branch":
        this.#outer.push({ now: this.#now, failed: this.#failed });
        this.#failed = [];
        return;
      case "leave": {
        const outer = this.#outer.pop();
        if (outer) [this.#now, this.#failed] = [outer.now, outer.failed];
        return;
      }
      case "join": {
        const outer = this.#outer.pop();
        if (!outer) return;
        this.#now = union([outer.now, this.#now, ...this.#failed]);
        this.#failed = outer.failed;
        return;
      }
      case "settle":
        this.#now = union([this.#now, ...this.#failed]);
        this.#failed = [];
        return;
      case "lost":
        this.#now = { ...this.#now, lost: true };
        this.left = true;
        return;
      default:
        step satisfies never;
    }
  }

  /** Applies `cd` to a directory; null for an unknown one. */
  move(to: string | null): void {
    this.left = true;
    this.#failed.push(this.#now);
    if (to === null) this.#now = { folders: this.#now.folders, lost: true };
    else if (to.startsWith("/")) this.#now = { folders: [resolve(to)], lost: false };
    else
      this.#now = { folders: this.#now.folders.map((folder) => resolve(folder, to)), lost: this.#now.lost };
  }
}

function union(all: readonly Whereabouts[]): Whereabouts {
  const [first] = all;
  if (first && all.length === 1) return first;
  return { folders: [...new Set(all.flatMap(({ folders }) => folders))], lost: all.some(({ lost }) => lost) };
}

/** The effect of a `cd`. */
export type DirectoryChange = { readonly to: string } | { readonly to: null; readonly reason: string };

/** Returns the target of a `cd` as it is written. */
export function cdTarget(words: readonly ShellWord[], home: string): DirectoryChange {
  const rest = words.slice(1);
  const end = rest.findIndex(({ value }) => !/^-[LPe@]+$/.test(value));
  const from = end < 0 ? [] : rest.slice(end);
  const operands = from[0]?.value === "--" ? from.slice(1) : from;
  const [target, ...more] = operands;
  if (!target || more.length > 0)
    return { to: null, reason: "cd without one directory leads to a place that is not written" };
  const [first, ...others] = target.pieces;
  const own = first?.type === "tilde" && first.text === "~" && others.every(({ type }) => type === "text");
  if (own) return { to: `${home}${others.map(({ text }) => text).join("")}` };
  if (!target.literal || target.value === "" || target.value === "-" || target.value.startsWith("~"))
    return { to: null, reason: `where cd ${target.raw} leads is not known` };
  return { to: target.value };
}
