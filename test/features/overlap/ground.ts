import { type OverlapParts, Overlaps } from "../../../src/features/overlap/overlaps.ts";
import type { RepoFile } from "../../../src/features/overlap/repo-file.ts";
import type { Touch, TouchedLines } from "../../../src/features/overlap/touch.ts";
import type { ActorId } from "../../../src/mailbox/ids.ts";
import { FakeClock } from "../../support/fake-clock.ts";

export function file(path: string, repository = "/repo"): RepoFile {
  return { repository, path };
}

/** A radar whose surroundings the test decides, and all that it told. */
export function radar(change: Partial<OverlapParts> = {}) {
  const clock = new FakeClock();
  const told: { readonly to: ActorId; readonly touches: readonly Touch[] }[] = [];
  const changed: ActorId[] = [];
  const overlaps = new Overlaps({
    clock,
    mode: () => "tell",
    describe: (actor) => `the task of ${actor}`,
    awaits: () => [],
    sameLines: async () => "others",
    tell: (to, { touches }) => told.push({ to, touches }),
    changed: (actor) => changed.push(actor),
    ...change,
  });
  /** In short, since the last time it was asked for: who was told of whom, where. */
  const news = () => told.splice(0).flatMap(({ to, touches }) => touches.map((touch) => short(to, touch)));
  return { overlaps, clock, told, changed, news };
}

function short(to: ActorId, { other, path, lines }: Touch): string {
  return `${to}: ${other} in ${path}, ${lines}`;
}

/** Questions about lines that the test answers, in the order in which they were asked. */
export function heldLines() {
  const asked: { readonly path: string; answer(lines: TouchedLines): void; fail(error: Error): void }[] = [];
  const sameLines = (_: ActorId, __: ActorId, path: string): Promise<TouchedLines> => {
    const { promise, resolve, reject } = Promise.withResolvers<TouchedLines>();
    asked.push({ path, answer: resolve, fail: reject });
    return promise;
  };
  return { asked, sameLines };
}
