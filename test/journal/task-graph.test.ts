import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { JournalRecord } from "../../src/journal/session-events.ts";
import { sessionStateOf } from "../../src/journal/session-state.ts";
import { afterChange, noTasks, type TaskChange, type TaskGraph } from "../../src/journal/task-graph.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { decideCreate, decideUpdate, type TaskUpdate } from "../../src/tools/tasks/decisions.ts";

/** What models may ask, most of it nonsense: unknown ids, circles, several at once. */
const id = fc.integer({ min: 1, max: 8 }).map(String);
const some = fc.option(fc.array(id, { maxLength: 3 }), { nil: undefined });
const update: fc.Arbitrary<TaskUpdate> = fc.record({
  taskId: id,
  subject: fc.option(fc.string(), { nil: undefined }),
  status: fc.constantFrom(undefined, "pending", "in_progress", "completed", "deleted" as const),
  addBlocks: some,
  addBlockedBy: some,
  owner: fc.constantFrom(undefined, "ann", "bob", ""),
  metadata: fc.option(
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.constantFrom<unknown[]>(null, 1, { deep: [1] })),
    { nil: undefined },
  ),
});
const ask = fc.oneof(
  { weight: 1, arbitrary: fc.record({ subject: fc.string(), description: fc.string() }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constantFrom("ann", "bob"), update }) },
);

/** All that was decided, and the graph after it. */
function played(asks: readonly (typeof ask extends fc.Arbitrary<infer Ask> ? Ask : never)[]): {
  changes: TaskChange[];
  graph: TaskGraph;
} {
  const changes: TaskChange[] = [];
  let graph = noTasks;
  for (const one of asks) {
    const before = JSON.stringify([...graph.tasks]);
    const decided = "update" in one ? decideUpdate(graph, one.update, one.by) : decideCreate(graph, one);
    expect(JSON.stringify([...graph.tasks]), "a decision changes nothing by itself").toBe(before);
    if (decided.type === "tool-failure") continue;
    changes.push(decided);
    graph = afterChange(graph, decided);
  }
  return { changes, graph };
}

describe("whatever is asked in whatever order", () => {
  const graphs = fc.array(ask, { maxLength: 40 }).map((asks) => played(asks));

  test("stores edges at both ends, to existing tasks, without a cycle (A14.6)", () => {
    fc.assert(
      fc.property(graphs, ({ graph }) => {
        for (const task of graph.tasks.values()) {
          for (const other of task.blocks) expect(graph.tasks.get(other)?.blockedBy).toContain(task.id);
          for (const other of task.blockedBy) expect(graph.tasks.get(other)?.blocks).toContain(task.id);
          for (const ids of [task.blocks, task.blockedBy]) expect(new Set(ids).size).toBe(ids.length);
        }
        expect(inOrder(graph)).toHaveLength(graph.tasks.size);
      }),
      { seed: 7 },
    );
  });

  test("lets an owner work on one task at a time, and on none without an owner (A22.7)", () => {
    fc.assert(
      fc.property(graphs, ({ graph }) => {
        const begun = [...graph.tasks.values()].filter(({ status }) => status === "in_progress");
        const owners = begun.map(({ owner }) => owner);
        expect(owners).not.toContain(null);
        expect(new Set(owners).size).toBe(owners.length);
      }),
      { seed: 8 },
    );
  });

  test("the graph is the fold of the journal's lines (promise 4)", () => {
    fc.assert(
      fc.property(graphs, ({ changes, graph }) => {
        const lines = changes.map((change, at) =>
          JSON.stringify({ seq: at + 1, at: "", event: { type: "task", actor: MAIN, change } }),
        );
        const records = lines.map((line) => z.parse(JournalRecord, JSON.parse(line)));
        expect(plain(sessionStateOf(records).tasks)).toEqual(plain(graph));
      }),
      { seed: 9 },
    );
  });

  test("does not reuse numbers", () => {
    fc.assert(
      fc.property(graphs, ({ changes }) => {
        const ids = changes.flatMap((change) => (change.type === "created" ? [change.id] : []));
        expect(ids).toEqual(ids.map((_, at) => String(at + 1)));
      }),
      { seed: 10 },
    );
  });
});

/** The tasks, each after all it waits for; fewer where they go in a circle. */
function inOrder({ tasks }: TaskGraph): string[] {
  const done = new Set<string>();
  for (let before = -1; before !== done.size; ) {
    before = done.size;
    for (const task of tasks.values())
      if (task.blockedBy.every((other) => done.has(other))) done.add(task.id);
  }
  return [...done];
}

function plain({ tasks, next }: TaskGraph): unknown {
  return JSON.parse(JSON.stringify({ tasks: [...tasks], next }));
}
