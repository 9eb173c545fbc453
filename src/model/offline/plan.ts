/** A call that a plan wants answered before it goes on. */
export interface Wish {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** A second wish for the same call may share the first one's answer: true for searches, never for changes. */
  readonly shared: boolean;
}

/** What became of a wish, as the conversation tells it. */
export type Outcome =
  /** `parts`: the blocks of the result, which `text` joins. */
  | { readonly type: "result"; readonly text: string; readonly parts: readonly string[] }
  | { readonly type: "error"; readonly text: string; readonly parts: readonly string[] }
  /** No call may be made any more (the last turn is text). */
  | { readonly type: "not-asked" };

/**
 * A line of work: yields the calls it needs, gets one outcome for each, returns what it came to. It keeps
 * nothing between turns: each decision runs it again from its start over the answers in the conversation,
 * so it goes on in any thread and after any resume.
 */
export type Plan<T> = Generator<readonly Wish[], T, readonly Outcome[]>;

export type Progress<T> =
  | { readonly type: "done"; readonly value: T }
  | { readonly type: "calls"; readonly wishes: readonly Wish[] };

/** Runs a plan over the answers there are. `last`: nothing may be asked, so it ends with what is known. */
export function advance<T>(
  plan: Plan<T>,
  answer: (wish: Wish) => Outcome | undefined,
  last: boolean,
): Progress<T> {
  let step = plan.next();
  while (!step.done) {
    const outcomes: Outcome[] = [];
    const missing: Wish[] = [];
    for (const wish of step.value) {
      const outcome = answer(wish) ?? (last ? notAsked : undefined);
      if (outcome === undefined) missing.push(wish);
      else outcomes.push(outcome);
    }
    if (missing.length > 0) return { type: "calls", wishes: missing };
    step = plan.next(outcomes);
  }
  return { type: "done", value: step.value };
}

const notAsked: Outcome = { type: "not-asked" };

/** Runs plans side by side: what they want in the same round is asked for in one reply. */
export function* together<T>(plans: readonly Plan<T>[]): Plan<T[]> {
  const steps = plans.map((plan) => ({ plan, step: plan.next() }));
  for (;;) {
    const open = steps.filter(({ step }) => !step.done);
    const wishes = open.flatMap(({ step }) => (step.done ? [] : step.value));
    if (open.length === 0) return steps.flatMap(({ step }) => (step.done ? [step.value] : []));
    const outcomes = yield wishes;
    let from = 0;
    for (const entry of open) {
      const count = entry.step.done ? 0 : entry.step.value.length;
      entry.step = entry.plan.next(outcomes.slice(from, from + count));
      from += count;
    }
  }
}
