import { type Clock, within } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Hunk, SuccessOf } from "../../worktrees/protocol.ts";
import { type OverlapNotice, overlapNotice, type Touch, type TouchedLines } from "./overlap-text.ts";

/** Milliseconds after which two agents get a notice without their lines: it must arrive within a second. */
const LINES_MS = 500;
/** Pairs whose lines are compared together; a command that rewrites everything needs no comparison. */
const MAX_ASKED = 20;

export interface OverlapsParts {
  readonly clock: Clock;
  describe(actor: ActorId): string;
  tell(actor: ActorId, notice: OverlapNotice): void;
  sameLines(one: ActorId, other: ActorId, path: string): Promise<TouchedLines>;
  /** Called when what the live tree shows of an actor has changed. */
  changed(actor: ActorId): void;
}

/** Another agent that has written one of the files that an agent writes. */
export interface OtherWriter {
  readonly other: ActorId;
  readonly path: string;
  /** Of the file. */
  readonly key: string;
}

interface Pair {
  readonly agents: readonly [ActorId, ActorId];
  readonly path: string;
  /** The lines both were notified of, or null. */
  reported: TouchedLines | null;
  /** While their lines are compared; `stale`: one of them has written since that started. */
  asking: "no" | "yes" | "stale";
  /** True if one of them has ended. */
  over: boolean;
}

/** Pairs of agents that write to the same file: both get one notice for each file, and another for the same lines. */
export class Overlaps {
  readonly #parts: OverlapsParts;
  readonly #pairs = new Map<string, Pair>();

  constructor(parts: OverlapsParts) {
    this.#parts = parts;
  }

  found(actor: ActorId, others: readonly OtherWriter[]): void {
    const fresh: Pair[] = [];
    for (const other of others) {
      const pair = this.#pair(actor, other);
      if (pair.reported === "same") continue;
      if (pair.asking === "no") fresh.push(pair);
      else pair.asking = "stale";
      if (pair.reported === null) for (const one of pair.agents) this.#parts.changed(one);
    }
    if (fresh.length > 0) void this.#compare(fresh);
  }

  ended(actor: ActorId): void {
    const changed = new Set<ActorId>();
    for (const [key, pair] of this.#pairs) {
      if (!pair.agents.includes(actor)) continue;
      pair.over = true;
      this.#pairs.delete(key);
      for (const one of pair.agents) changed.add(one);
    }
    for (const one of changed) this.#parts.changed(one);
  }

  /** Returns the other actors at the same files now, those at the same lines first. */
  of(actor: ActorId): readonly Touch[] {
    return [...this.#pairs.values()]
      .filter(({ agents }) => agents.includes(actor))
      .map((pair) => this.#touch(pair, actor))
      .toSorted((a, b) => Number(b.lines === "same") - Number(a.lines === "same"));
  }

  #pair(actor: ActorId, { other, path, key }: OtherWriter): Pair {
    const agents: Pair["agents"] = actor < other ? [actor, other] : [other, actor];
    const id = `${agents.join("\0")}\0${key}`;
    const pair = this.#pairs.get(id) ?? { agents, path, reported: null, asking: "no", over: false };
    this.#pairs.set(id, pair);
    return pair;
  }

  async #compare(pairs: readonly Pair[]): Promise<void> {
    for (const pair of pairs) pair.asking = "yes";
    const found = pairs.map(
      async (pair, at): Promise<[Pair, TouchedLines]> => [
        pair,
        at < MAX_ASKED ? await this.#lines(pair) : "unknown",
      ],
    );
    this.#notify(await Promise.all(found));
    const again = pairs.filter((pair) => pair.asking === "stale" && pair.reported !== "same" && !pair.over);
    for (const pair of pairs) pair.asking = "no";
    if (again.length > 0) await this.#compare(again);
  }

  async #lines(pair: Pair): Promise<TouchedLines> {
    const { clock, sameLines } = this.#parts;
    // Even if the lines cannot be compared, the file is still the same.
    const answer = sameLines(...pair.agents, pair.path).catch((): TouchedLines => "unknown");
    if (await within(clock, LINES_MS, answer)) return answer;
    void answer.then((lines) => this.#notify([[pair, lines]]));
    return "unknown";
  }

  #notify(found: readonly (readonly [Pair, TouchedLines])[]): void {
    const touches = new Map<ActorId, Touch[]>();
    for (const [pair, lines] of found) {
      if (pair.over || (pair.reported !== null && (lines !== "same" || pair.reported === "same"))) continue;
      pair.reported = lines;
      for (const actor of pair.agents)
        touches.set(actor, [...(touches.get(actor) ?? []), this.#touch(pair, actor)]);
    }
    for (const [actor, all] of touches) {
      this.#parts.tell(actor, overlapNotice(all));
      this.#parts.changed(actor);
    }
  }

  #touch({ agents: [one, two], path, reported }: Pair, actor: ActorId): Touch {
    const other = one === actor ? two : one;
    return { other, description: this.#parts.describe(other), path, lines: reported ?? "unknown" };
  }
}

/** The lines of a file that one worktree changes, each counted from its own base. */
export type ChangedLines = Omit<SuccessOf<"changedLines">, "type">;

/** Compares the changes of two worktrees. `unknown` if they started from different contents, so that line numbers do not match. */
export function compareLines(one: ChangedLines, other: ChangedLines): TouchedLines {
  if (one.blob !== other.blob) return "unknown";
  if (one.hunks?.length === 0 || other.hunks?.length === 0) return "others";
  // A file that both created, or without lines, counts as one region.
  if (one.blob === null || one.hunks === null || other.hunks === null) return "same";
  return collide(one.hunks, other.hunks) ? "same" : "others";
}

/** True if git could not merge them: adjacent changes count as one. */
export function collide(some: readonly Hunk[], others: readonly Hunk[]): boolean {
  return some.some((one) => others.some((other) => one.end >= other.start && other.end >= one.start));
}
