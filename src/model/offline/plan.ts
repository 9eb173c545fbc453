/** A call that a plan wants answered before it continues. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** True for searches: a second call with the same input may share the first one's answer. */
  readonly shared: boolean;
}

export interface Outcome {
  /** `not-asked`: no more calls may be made in this turn. */
  readonly type: "result" | "error" | "not-asked";
  readonly text: string;
  /** The text blocks that `text` joins. */
  readonly parts: readonly string[];
}

/**
 * A generator that yields the calls it needs, gets one outcome for each, and returns what it found. It keeps no state
 * between turns: each request runs it again from the start over the results in the conversation.
 */
export type OfflinePlan<T> = Generator<readonly PlannedCall[], T, readonly Outcome[]>;

/** The result of a plan. `ok`: the task was done or the question answered. */
export interface PlanResult {
  readonly ok: boolean;
  readonly text: string;
}

const NOT_ASKED: Outcome = { type: "not-asked", text: "no more calls may be made in this turn", parts: [] };

/** Runs a plan over the existing results: returns the calls without one, or the plan's result. */
export function advance<T>(
  plan: OfflinePlan<T>,
  answer: (call: PlannedCall) => Outcome | undefined,
  isLastTurn: boolean,
): { readonly calls: readonly PlannedCall[] } | T {
  let step = plan.next();
  while (!step.done) {
    const outcomes = step.value.map((call) => answer(call) ?? (isLastTurn ? NOT_ASKED : call));
    const calls = outcomes.filter((one) => "tool" in one);
    if (calls.length > 0) return { calls };
    step = plan.next(outcomes.filter((one) => "type" in one));
  }
  return step.value;
}

/** Answers tasks in parallel: their calls of the same round go into one reply. Each result is under its task, if there are several. */
export function* together(
  tasks: readonly string[],
  planOf: (task: string) => OfflinePlan<PlanResult>,
): OfflinePlan<PlanResult> {
  const plans = tasks.map(planOf);
  const steps = plans.map((plan) => plan.next());
  while (steps.some(({ done }) => !done)) {
    const wanted = steps.map((step) => (step.done ? [] : step.value));
    const outcomes = [...(yield wanted.flat())];
    for (const [at, plan] of plans.entries())
      if (!steps[at]?.done) steps[at] = plan.next(outcomes.splice(0, wanted[at]?.length ?? 0));
  }
  const results = steps.flatMap((step) => (step.done ? [step.value] : []));
  const [first, ...more] = results;
  if (first !== undefined && more.length === 0) return first;
  const failed = results.filter(({ ok }) => !ok).length;
  const parts = results.map(({ text }, at) => `## ${tasks[at] ?? ""}\n\n${text}`);
  if (failed > 0) parts.push(`${failed} of ${results.length} were not answered or not done.`);
  return { ok: failed === 0, text: parts.join("\n\n") };
}

export const NEEDS_MODEL =
  "This needs a model, and the offline model only looks things up: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own, and ask again.";

/** What was found does not answer the question. */
export function unsure(found: string): PlanResult {
  return { ok: false, text: found === "" ? NEEDS_MODEL : `${found}\n\n${NEEDS_MODEL}` };
}
