import { type Clock, within } from "../../mailbox/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { overlapNotice } from "./overlap-text.ts";
import { fileKey, type RepoFile } from "./repo-file.ts";
import type { OverlapNotice, Touch, TouchedLines } from "./touch.ts";

/** Milliseconds after which two agents get a notice without their lines: it must arrive within a second. */
const LINES_MS = 500;
/** Pairs whose lines are compared together; a command that rewrites everything needs no comparison. */
const MAX_ASKED = 20;

export interface TouchesParts {
  readonly clock: Clock;
  describe(actor: ActorId): string;
  tell(actor: ActorId, notice: OverlapNotice): void;
  sameLines(one: ActorId, other: ActorId, path: string): Promise<TouchedLines>;
  /** Called when the touches of an actor have changed. */
  changed(actor: ActorId): void;
}

interface Pair {
  readonly one: ActorId;
  readonly other: ActorId;
  readonly path: string;
  /** The lines both were notified of, or null. */
  told: TouchedLines | null;
  /** True while the lines are compared. */
  asking: boolean;
  /** True if one of them has written since that comparison started. */
  stale: boolean;
  /** True if one of them has ended. */
  over: boolean;
}

type Found = readonly [Pair, TouchedLines];

/**
 * Which actors write to the same files. Both of a pair get one notice for each file, and another if they write the
 * same lines.
 */
export class Touches {
  readonly #parts: TouchesParts;
  readonly #writers = new Map<string, Set<ActorId>>();
  readonly #pairs = new Map<string, Pair>();

  constructor(parts: TouchesParts) {
    this.#parts = parts;
  }

  /** `apart`: true if a write of one does not concern the other. */
  wrote(actor: ActorId, files: readonly RepoFile[], apart: (other: ActorId) => boolean): void {
    const fresh: Pair[] = [];
    for (const file of files) {
      const key = fileKey(file);
      const writers = this.#writers.get(key) ?? new Set();
      this.#writers.set(key, writers.add(actor));
      for (const other of writers) {
        if (other === actor || apart(other)) continue;
        const pair = this.#pair(actor, other, file);
        if (pair.told === "same") continue;
        if (pair.asking) pair.stale = true;
        else fresh.push(pair);
        if (pair.told === null) for (const one of [pair.one, pair.other]) this.#parts.changed(one);
      }
    }
    if (fresh.length > 0) void this.#look(fresh);
  }

  released(actor: ActorId): void {
    for (const [key, writers] of this.#writers) {
      writers.delete(actor);
      if (writers.size === 0) this.#writers.delete(key);
    }
    const over = new Set<ActorId>();
    for (const [key, pair] of this.#pairs) {
      const { one, other } = pair;
      if (one !== actor && other !== actor) continue;
      pair.over = true;
      this.#pairs.delete(key);
      over.add(one).add(other);
    }
    for (const one of over) this.#parts.changed(one);
  }

  /** Returns the other actors at the same files now, those at the same lines first. */
  of(actor: ActorId): readonly Touch[] {
    return [...this.#pairs.values()]
      .filter(({ one, other }) => one === actor || other === actor)
      .map((pair) => this.#touch(pair, actor, pair.told ?? "unknown"))
      .toSorted((a, b) => Number(b.lines === "same") - Number(a.lines === "same"));
  }

  #pair(actor: ActorId, other: ActorId, file: RepoFile): Pair {
    const [one, two] = actor < other ? [actor, other] : [other, actor];
    const key = `${one}\0${two}\0${fileKey(file)}`;
    const known = this.#pairs.get(key);
    if (known) return known;
    const pair: Pair = {
      one,
      other: two,
      path: file.path,
      told: null,
      asking: false,
      stale: false,
      over: false,
    };
    this.#pairs.set(key, pair);
    return pair;
  }

  async #look(pairs: readonly Pair[]): Promise<void> {
    for (const pair of pairs) {
      pair.asking = true;
      pair.stale = false;
    }
    this.#found(await Promise.all(pairs.map((pair, at) => this.#lines(pair, at < MAX_ASKED))));
    for (const pair of pairs) pair.asking = false;
    const again = pairs.filter((pair) => pair.stale && pair.told !== "same" && !pair.over);
    if (again.length > 0) await this.#look(again);
  }

  async #lines(pair: Pair, ask: boolean): Promise<Found> {
    if (!ask) return [pair, "unknown"];
    const { clock, sameLines } = this.#parts;
    // Even if the lines cannot be compared, the file is still the same.
    const answer = sameLines(pair.one, pair.other, pair.path).catch((): TouchedLines => "unknown");
    if (await within(clock, LINES_MS, answer)) return [pair, await answer];
    void answer.then((lines) => this.#found([[pair, lines]]));
    return [pair, "unknown"];
  }

  #found(found: readonly Found[]): void {
    const news = found.filter(
      ([pair, lines]) => !pair.over && (pair.told === null || (lines === "same" && pair.told !== "same")),
    );
    const touches = new Map<ActorId, Touch[]>();
    for (const [pair, lines] of news) {
      pair.told = lines;
      for (const actor of [pair.one, pair.other])
        touches.set(actor, [...(touches.get(actor) ?? []), this.#touch(pair, actor, lines)]);
    }
    for (const [actor, all] of touches) {
      this.#parts.tell(actor, overlapNotice(all));
      this.#parts.changed(actor);
    }
  }

  #touch({ one, other, path }: Pair, actor: ActorId, lines: TouchedLines): Touch {
    const them = one === actor ? other : one;
    return { other: them, description: this.#parts.describe(them), path, lines };
  }
}
