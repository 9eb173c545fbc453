import fc from "fast-check";
import type { KilledOp } from "./killed-op.ts";
import type { How } from "./killing-git.ts";
import type { MergeStep } from "./merge-steps.ts";

/** What happens to one tree and to the checkout: by the agent, by the person, by us, and by who kills us. */
export type Step =
  | { readonly do: "write" | "delete"; readonly path: string }
  | { readonly do: "write-ignored"; readonly path: string }
  | {
      readonly do:
        | "commit"
        | "commit and reset"
        | "stage"
        | "gc"
        | "snapshot"
        | "remove"
        | "sweep"
        | "restore";
    }
  | { readonly do: "person"; readonly what: "write" | "delete" | "stage"; readonly path: string }
  | { readonly do: MergeStep }
  | { readonly do: "kill"; readonly op: KilledOp; readonly at: number; readonly how: How };

const PATHS = ["a.txt", "b/c.txt", "b/new.txt", "deep/er/x", "ü ñ.txt"];
const IGNORED = [".env", "build/out.js"];
/** Of the person; what the agent writes, too, is rarely among them, else everything would be a conflict. */
const PERSONS = ["p.txt", "p.txt", "mine/of own.txt", "mine/new.txt", "deep/er/x"];

/** Most operations have few commands. */
const AT = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 30 }) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), path: fc.constantFrom(...PATHS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("delete" as const), path: fc.constantFrom(...PATHS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("write-ignored" as const), path: fc.constantFrom(...IGNORED) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...([
          "commit",
          "commit and reset",
          "stage",
          "gc",
          "snapshot",
          "snapshot",
          "remove",
          "sweep",
          "restore",
        ] as const),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("person" as const),
      what: fc.constantFrom("write" as const, "write" as const, "delete" as const, "stage" as const),
      path: fc.constantFrom(...PERSONS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom<MergeStep>("prepare", "check", "apply", "apply", "apply", "undo"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("kill" as const),
      op: fc.constantFrom<KilledOp>(
        ...(["snapshot", "snapshot", "remove", "remove", "restore", "sweep", "keep", "create"] as const),
      ),
      at: AT,
      how: fc.constantFrom<How>("before", "after", "orphan", "torn"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("kill" as const),
      op: fc.constantFrom<KilledOp>("prepare", "check", "apply", "apply", "undo"),
      at: AT,
      how: fc.constantFrom<How>("before", "after", "orphan", "torn", "disk", "disk"),
    }),
  },
);
