/** A call that a plan wants answered before it continues. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** True for searches: a second call with the same input may share the first one's answer. */
  readonly shared: boolean;
}

/**
 * A generator that yields the calls it needs, gets one outcome for each, and returns what it found. It keeps no state
 * between turns: each request runs it again from the start over the results in the conversation.
 */
export type OfflinePlan<T = PlanResult> = Generator<readonly PlannedCall[], T, readonly PlanResult[]>;

/** The result of a call or a plan. `ok`: the task was done or the question answered. */
export interface PlanResult {
  readonly ok: boolean;
  readonly text: string;
}

/** Makes a plan for one task. */
export type Planner = (task: string) => OfflinePlan;

/** Finds the result of an earlier call. A result is used once, unless calls may share it. */
export type KnownResults = (call: PlannedCall) => PlanResult | undefined;

/** The next message: calls, or the text that ends the run. */
export type ReplyPlan = { readonly calls: readonly PlannedCall[] } | PlanResult;

const NOT_ASKED: PlanResult = { ok: false, text: "no more calls may be made in this turn" };

/** All of them are one result. */
export function joinResults(results: readonly PlanResult[], between: string): PlanResult {
  return { ok: results.every(({ ok }) => ok), text: results.map(({ text }) => text).join(between) };
}

/** Runs a plan over the existing results: returns the calls without one, or the plan's result. */
export function advance(plan: OfflinePlan, answer: KnownResults, isLastTurn: boolean): ReplyPlan {
  let step = plan.next();
  while (!step.done) {
    const outcomes = step.value.map((call) => answer(call) ?? (isLastTurn ? NOT_ASKED : call));
    const calls = outcomes.filter((one) => "tool" in one);
    if (calls.length > 0) return { calls };
    step = plan.next(outcomes.filter((one) => "ok" in one));
  }
  return step.value;
}

/** Answers tasks in parallel: their calls of the same round go into one reply. Each result is under its task, if there are several. */
export function* together(tasks: readonly string[], planOf: Planner): OfflinePlan {
  const running = tasks.map(planOf).map((plan) => ({ plan, step: plan.next() }));
  while (running.some(({ step }) => !step.done)) {
    const outcomes = [...(yield running.flatMap(({ step }) => (step.done ? [] : step.value)))];
    for (const one of running)
      if (!one.step.done) one.step = one.plan.next(outcomes.splice(0, one.step.value.length));
  }
  const results = running.flatMap(({ step }) => (step.done ? [step.value] : []));
  if (results.length === 1) return joinResults(results, "");
  const failed = results.filter(({ ok }) => !ok).length;
  const parts = results.map(({ ok, text }, at) => ({ ok, text: `## ${tasks[at] ?? ""}\n\n${text}` }));
  const count = { ok: false, text: `${failed} of ${results.length} were not answered or not done.` };
  return joinResults(failed > 0 ? [...parts, count] : parts, "\n\n");
}

const NEEDS_MODEL =
  "This needs a model, and the offline model only looks things up: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own, and ask again.";

/** What was found does not answer the question. */
export function unsure(found: string): PlanResult {
  return { ok: false, text: found === "" ? NEEDS_MODEL : `${found}\n\n${NEEDS_MODEL}` };
}
