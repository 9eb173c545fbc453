import { type Redaction, redactJson } from "../../journal/redact-event.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Spending } from "../budget/spending.ts";
import { runScript, type ScriptEnd, type ScriptParts, type ScriptRequest } from "./index.ts";
import type { ScriptCall } from "./script-call.ts";
import {
  estimateScript,
  type ScriptEstimate,
  type ScriptEstimateParts,
  scriptRunName,
} from "./script-estimate.ts";
import { runFolder } from "./script-file.ts";

export interface ScriptRunsParts
  extends Pick<ScriptParts, "clock" | "budgetTokens" | "definition" | "startThread"> {
  /** Of the session. */
  readonly folder: string;
  readonly redaction: Redaction;
  /** Of the main conversation. */
  readonly model: string;
  readonly spending: Pick<Spending, "past" | "ledger">;
  readonly estimate: ScriptEstimateParts["estimate"];
  readonly actors: Pick<Actors, "find">;
  /** Starts the agent of a call, or finds the one that has this key; `onStart` is called with either. */
  startCall(
    call: ScriptCall,
    options: { readonly key: string; readonly signal: AbortSignal; onStart(id: ActorId): void },
  ): Promise<{ readonly id: ActorId; readonly summary: Summary; readonly description: string }>;
  /** Returns why the brake did not let this agent start, or null. */
  stopped(id: ActorId): string | null;
}

/** How a run ended, and the dollars of its agents, also those that they spent before it was resumed. */
export interface ScriptRunEnd {
  readonly end: ScriptEnd;
  readonly agents: number;
  readonly costUsd: number;
}

/** Runs the scripts of a session. Whatever they say leaves through here, without secrets. */
export class ScriptRuns {
  readonly #parts: ScriptRunsParts;

  constructor(parts: ScriptRunsParts) {
    this.#parts = parts;
  }

  estimate(script: Pick<ScriptRequest, "name" | "path" | "source">): ScriptEstimate {
    const { model, spending, estimate } = this.#parts;
    const { past, ledger } = spending;
    return estimateScript(script, { model, past, leftUsd: ledger.left(null).usd, estimate });
  }

  /** `run`: the ID of one of several in the session; null for the script that the session is for. */
  async run(request: ScriptRequest, run: string | null): Promise<ScriptRunEnd> {
    const { folder, startCall, stopped, spending, model } = this.#parts;
    const { onNews } = request;
    const used = new Set<ActorId>();
    const given: ScriptRequest = onNews
      ? { ...request, onNews: (news) => onNews(this.#clean(news)) }
      : request;
    const end = await runScript(given, {
      ...{ ...this.#parts, run, folder: run === null ? folder : runFolder(folder, run) },
      async runCall(call, key, signal) {
        const ended = await startCall(call, { key, signal, onStart: (id) => used.add(id) });
        return { ...ended, stopped: stopped(ended.id) };
      },
    });
    const costUsd = [...used].reduce((sum, id) => sum + this.#costOf(id), 0);
    // A run that failed has cost only a part; it counts when it has been resumed and has returned.
    if (end.type === "returned" && costUsd > 0) spending.past.record(scriptRunName(request), model, costUsd);
    return { end: this.#clean(end), agents: used.size, costUsd };
  }

  #costOf(id: ActorId): number {
    const actor = this.#parts.actors.find(id);
    if (actor === undefined) return 0;
    return actor.children.reduce((sum, child) => sum + this.#costOf(child), actor.costUsd);
  }

  #clean<T>(data: T): T {
    return JSON.parse(redactJson(JSON.stringify(data), this.#parts.redaction));
  }
}
