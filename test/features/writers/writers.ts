import {
  FileWriters,
  type FileWritersParts,
  type WriteClaim,
} from "../../../src/features/writers/file-writers.ts";
import type { WantedFile } from "../../../src/features/writers/held-worktrees.ts";
import type { Touch, TouchedLines } from "../../../src/features/writers/overlap-text.ts";
import { type ActorId, callId } from "../../../src/mailbox/ids.ts";
import { FakeClock } from "../../support/fake-clock.ts";

export function file(path: string, repository = "/repo"): WantedFile {
  return { repository, path, file: `${repository}/${path}` };
}

/** The table of a session whose surroundings the test decides, and all that it told. */
export function fileWriters(change: Partial<FileWritersParts> = {}) {
  const clock = new FakeClock();
  const told: { readonly to: ActorId; readonly touches: readonly Touch[] }[] = [];
  const changed: ActorId[] = [];
  const writers = new FileWriters({
    clock,
    rule: "tell",
    describe: (actor) => `the task of ${actor}`,
    awaits: () => [],
    sameLines: async () => "others",
    tell: (to, { touches }) => told.push({ to, touches }),
    changed: (actor) => changed.push(actor),
    ...change,
  });
  /** In short, since the last time it was asked for: who was told of whom, where. */
  const news = () => told.splice(0).flatMap(({ to, touches }) => touches.map((touch) => short(to, touch)));
  let calls = 0;
  /** A call that ends as soon as it may write. */
  const write = async (
    actor: ActorId,
    files: readonly WantedFile[],
    signal = new AbortController().signal,
  ): Promise<WriteClaim | null> => {
    const call = callId(actor, calls++, 0);
    const claim = await writers.claim({ actor, call, description: "" }, files, signal);
    writers.release(call, actor, true);
    return claim;
  };
  return { writers, clock, told, changed, news, write };
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
