import type { CompactBegin, Compacted, CompactRequest, Trigger } from "../../mailbox/compacted.ts";
import {
  addUsage,
  type MessageParam,
  noUsage,
  type ToolDefinition,
  type Usage,
} from "../../mailbox/conversation.ts";
import type { ActorSpec, Turn } from "../../mailbox/messages.ts";
import type { Services } from "../../mailbox/services.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { ModelRequest } from "../../model/client.ts";
import { type Bounds, boundsOf, USUAL_WINDOW } from "./bounds.ts";
import { type CompactedView, foldedMessage, notCompacted } from "./compacted-view.ts";
import {
  elidableTurn,
  estimated,
  factorOf,
  isDoubtful,
  lastSummarised,
  ratioOf,
  tokensSavedByEliding,
  viewSize,
} from "./size.ts";
import { type SummaryContext, summarizeHistory } from "./summarize-history.ts";
import { charsIn } from "./tokens.ts";

/** Consecutive failures after which no summary is requested (fault 66). */
export const MAX_FAILURES = 3;
/** Eliding results alone must save so much that it need not be repeated soon. */
const WON_ENOUGH = 0.8;

/** Characters kept of each long result of the last turn. */
const KEPT_CHARS = 400;

const TOO_LITTLE = "There is too little yet: a summary would be no shorter.";
const NO_SHORTER = "The summary was no shorter than what it would have replaced.";

export interface Compacting extends SummaryContext {
  readonly services: Pick<Services, "compacting" | "compacted">;
}

/** The server's rejection of a request as too large. */
export interface Overflow {
  /** The window that it reports. */
  readonly window: number | null;
  /** Of a reply that it cut off. */
  readonly wasted: Usage;
  /** True if a summary may be requested. */
  readonly summaries: boolean;
}

/** The conversation of an actor, for the loop between two turns. */
export interface Compactable {
  readonly spec: ActorSpec;
  readonly shown: CompactedView;
  /** Completed turns. */
  readonly turns: number;
  readonly system: readonly string[];
  readonly requestTools: readonly ToolDefinition[];
  readonly messages: MessageParam[];
  /** The user's request to compact it. */
  compactRequest: CompactRequest | null;
  /** Sets what the model sees from now on. */
  show(compacted: Compacted): void;
}

/** One attempt, with the state at its start. */
interface Attempt {
  readonly state: Compactable;
  readonly context: Compacting;
  readonly bounds: Bounds;
  readonly before: number;
  /** `before` divided by our estimate of the same: all sizes of an attempt are scaled by it. */
  readonly ratio: number;
  /** The same, limited to what is believed of a server: for what may be sent by our own count. */
  readonly factor: number;
  /** The window that the server reported, if it is smaller than assumed. */
  readonly learned: number | null;
  /** Usage of a reply that is in no turn. */
  readonly wasted: Usage;
  /** True if a summary may be requested. */
  readonly summaries: boolean;
}

/** What the model will see, and why a needed summary is missing. */
interface Outcome {
  readonly next: Compacted;
  readonly reason?: string;
}

/** Returns the limits of an agent's context. */
export function boundsIn({ spec, shown }: Compactable): Bounds {
  return boundsOf(spec.window ?? USUAL_WINDOW, spec, shown.compacted?.window);
}

/**
 * Fits the conversation to its model's window before a request (A19.1, C24): first it elides long results of old
 * turns, which can be read again if they are kept; then it summarizes the older turns, unless (`summaries`) the next
 * reply is the last one anyway and needs what is left of the budget. Returns false if it cannot be made to fit: then
 * the next reply must be the last one. History is only ever replaced by something durable; otherwise it stays as it
 * was.
 */
export async function compactToFit(
  state: Compactable,
  summaries: boolean,
  context: Compacting,
): Promise<boolean> {
  const { spec } = state;
  let ratio = 1;
  if (state.compactRequest && summaries) {
    ratio = ratioOf(state.shown, spec, viewSize(state.shown, spec));
    await compactByHand(state.compactRequest, state, context);
  }
  const { auto } = spec.window ?? USUAL_WINDOW;
  if (!auto) return true;
  const { limit, full } = boundsIn(state);
  // Once between two replies, as only the next reply tells the true size. Again only if nothing would fit.
  let done = state.turns > 0 && state.shown.compacted?.turn === state.turns;
  for (let tries = 0; tries <= MAX_FAILURES; tries += 1) {
    const bound = done ? full : limit;
    // Once: the same ratio applies to what is left after that.
    const counted = tries === 0 ? await countOf(state, bound, context) : null;
    if (context.signal.aborted) return true;
    const before = counted ?? viewSize(state.shown, spec, ratio);
    if (before < bound) return true;
    const attempt = { ...begin(state, context, before), summaries };
    ratio = attempt.ratio;
    const outcome = await automatic(attempt, limit, full);
    if (context.signal.aborted) return true;
    if (!isNews(outcome.next, state)) return before < full;
    await finish(attempt, "auto", outcome);
    done = true;
  }
  return viewSize(state.shown, spec, ratio) < full;
}

/** Returns what the requests of a conversation begin with. */
export function prefixOf({
  spec,
  system,
  requestTools,
}: Pick<Compactable, "spec" | "system" | "requestTools">): Pick<ModelRequest, "system" | "tools"> {
  return { system: [...spec.system, ...system], tools: requestTools };
}

/** Returns the model's own count of the next request if the estimate is in doubt, or null. */
async function countOf(
  state: Compactable,
  limit: number,
  { model, signal }: Compacting,
): Promise<number | null> {
  const { spec } = state;
  if (!model.countTokens || !isDoubtful(state.shown, spec, limit)) return null;
  const { id, model: name, thinkingTokens } = spec;
  const request = { ...prefixOf(state), actor: id, model: name, messages: state.messages };
  const thinking = thinkingTokens === undefined ? {} : { thinkingTokens };
  return model.countTokens({ ...request, maxTokens: 1, ...thinking }, signal);
}

/** Compacts once after the server rejected the request. Returns false if nothing more can be removed (fault 8). */
export async function compactAfterRefusal(
  { window, wasted, summaries }: Overflow,
  state: Compactable,
  context: Compacting,
): Promise<boolean> {
  const { spec } = state;
  if (!(spec.window ?? USUAL_WINDOW).auto) return false;
  const attempt = { ...begin(state, context, viewSize(state.shown, spec), window), wasted, summaries };
  // Whatever we counted, it was too much.
  const target = Math.min(attempt.bounds.limit, attempt.before * 0.6);
  const outcome = await automatic(attempt, target, target);
  if (context.signal.aborted || !isNews(outcome.next, state)) return false;
  const changes = isShownAnew(outcome.next, state);
  await finish(attempt, "auto", outcome);
  return changes;
}

/** Compacts at the user's request: a summary now, whatever the size. Returns the outcome as a sentence. */
async function compactByHand(
  { instructions }: CompactRequest,
  state: Compactable,
  context: Compacting,
): Promise<string> {
  state.compactRequest = null;
  const attempt = begin(state, context, viewSize(state.shown, state.spec));
  const { next, reason } = await summary(attempt, { trigger: "manual", instructions });
  if (reason === undefined) await finish(attempt, "manual", { next });
  // A failure at the user's request is reported and not counted, but its tokens were used.
  else await finish(attempt, "manual", { next: { ...current(attempt), usage: next.usage }, reason });
  return reason ?? "The conversation was made shorter.";
}

/** Does what the user has requested, if that is still to be done. Returns the outcome as a sentence. */
export async function compactAsRequested(state: Compactable, context: Compacting): Promise<string> {
  return state.compactRequest ? compactByHand(state.compactRequest, state, context) : "";
}

function begin(
  state: Compactable,
  context: Compacting,
  before: number,
  window: number | null = null,
): Attempt {
  const { spec } = state;
  const said = window ?? state.shown.compacted?.window;
  const believed = spec.window ?? USUAL_WINDOW;
  const learned = said !== undefined && said < believed.tokens ? said : null;
  const bounds = boundsOf(believed, spec, learned ?? undefined);
  const ratio = ratioOf(state.shown, spec, before);
  return {
    state,
    context,
    before,
    bounds,
    learned,
    wasted: noUsage,
    summaries: true,
    ratio,
    factor: factorOf(ratio),
  };
}

/** Elides results of old turns; summarizes if that is not enough; if that fails, elides results of all turns. */
async function automatic(attempt: Attempt, target: number, most: number): Promise<Outcome> {
  const { state, before, ratio } = attempt;
  const { shown } = state;
  const now = current(attempt);
  const old = Math.max(now.elided, elidableTurn(shown));
  const won = tokensSavedByEliding(shown, now, old) * ratio;
  const elided = won > 0 ? { ...now, elided: old } : now;
  if (before - won <= target * WON_ENOUGH) return { next: elided };

  const mayTry = attempt.summaries && now.failures < MAX_FAILURES;
  const outcome = mayTry ? await summary(attempt, { trigger: "auto", instructions: "" }) : null;
  if (outcome === null) return { next: withRoom(elided, attempt, most) };
  const { next, reason } = outcome;
  if (reason === undefined) return { next: withRoom(next, attempt, most) };
  const failed = { ...elided, failures: next.failures, usage: next.usage };
  return { next: withRoom(failed, attempt, most), reason };
}

/**
 * Elides results of the newest turns too if needed, as they can be read in parts. Those of the last turn keep their
 * start, or the model would not know the results of its calls.
 */
function withRoom(next: Compacted, attempt: Attempt, most: number): Compacted {
  const { shown, turns } = attempt.state;
  if (sizeAfter(attempt, next) < most) return next;
  const all = charsIn(attempt.bounds.results / 4);
  const tries = [all / Math.max(1, callsIn(shown.turns.at(-1))), 0].map((chars) => ({
    ...{ ...next, elided: turns },
    newest: { turn: turns, chars: Math.max(KEPT_CHARS, Math.floor(chars)) },
  }));
  const fitting = tries.find((one) => sizeAfter(attempt, one) < most) ?? tries.at(-1) ?? next;
  return sizeAfter(attempt, fitting) < sizeAfter(attempt, next) ? fitting : next;
}

function callsIn(turn: Turn | undefined): number {
  return (turn?.messages ?? []).flatMap(blocksOf).filter(({ type }) => type === "tool_result").length;
}

async function summary(attempt: Attempt, compaction: CompactBegin): Promise<Outcome> {
  const { state, context, bounds, factor } = attempt;
  const { spec, shown } = state;
  const { trigger } = compaction;
  const now = current(attempt);
  const through = lastSummarised(shown, bounds.recent / factor, trigger === "manual");
  if (through === null) return { next: now, reason: "There is nothing yet that a summary could replace." };
  const folded = (text: string): Compacted => {
    const message = foldedMessage(shown, through, { text, trigger }, bounds.words / factor);
    return { ...now, messages: [message], through, failures: 0 };
  };
  // If the server rejects even small requests, size is not the problem; the user's request must save tokens.
  const mustWin = trigger === "manual";
  if (mustWin && !isShorter(attempt, folded(""))) return { next: now, reason: TOO_LITTLE };
  const prefix = prefixOf(attempt.state);
  const made = await summarizeHistory({ spec, prefix, shown, through, bounds, factor, compaction }, context);
  const { usage } = made;
  if (made.type === "none") {
    return { next: { ...now, usage, failures: now.failures + 1 }, reason: made.reason };
  }
  const next = { ...folded(made.text), usage };
  if (!mustWin || isShorter(attempt, next)) return { next };
  return { next: { ...now, usage, failures: now.failures + 1 }, reason: NO_SHORTER };
}

/** Returns the current state as the basis of the next. */
function current({ state, learned }: Attempt): Compacted {
  const now = state.shown.compacted ?? notCompacted("");
  return learned === null ? now : { ...now, window: learned };
}

function sizeAfter({ state, ratio }: Attempt, next: Compacted): number {
  return estimated(state.shown, state.spec, next) * ratio;
}

function isShorter(attempt: Attempt, next: Compacted): boolean {
  return sizeAfter(attempt, next) < sizeAfter(attempt, current(attempt));
}

/** True if the model would see something else. */
function isShownAnew(next: Compacted, { shown: { compacted } }: Compactable): boolean {
  const now = compacted ?? notCompacted("");
  return next.messages[0] !== now.messages[0] || next.elided !== now.elided;
}

function isNews(next: Compacted, state: Compactable): boolean {
  const now = state.shown.compacted ?? notCompacted("");
  return isShownAnew(next, state) || next.failures !== now.failures || next.window !== now.window;
}

/** Records the result durably before the model sees it. */
async function finish(attempt: Attempt, trigger: Trigger, { next, reason }: Outcome): Promise<void> {
  const { state, before, context } = attempt;
  const { folder: _, ...rest } = next;
  const kept = { ...rest, usage: addUsage(rest.usage, attempt.wasted) };
  const anew = isShownAnew(next, state);
  const shown = await context.services.compacted({
    trigger,
    compacted: anew ? { ...kept, turn: state.turns } : kept,
    before: Math.round(before),
    after: Math.round(anew ? sizeAfter(attempt, next) : before),
    ...(reason === undefined ? {} : { reason }),
  });
  if (shown) state.show(shown);
}
