import { errorMessage } from "../../lib/errors.ts";
import { textAt } from "../../lib/json.ts";
import type { Call, HookChange } from "../../mailbox/calls.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Recheck, SameCall } from "../../policy/asking/questions.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import type { HookCaller } from "../../policy/hooks/hook-results.ts";
import type { HookRunner } from "../../policy/hooks/hook-runner.ts";
import type { Grounds, JudgeContext, Judgement } from "../../policy/judgement.ts";
import type { LightCommand } from "../../policy/sandbox/light.ts";
import type { Prepared, SandboxReport, SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { runsOutside, type SandboxDecision, sandboxDecision } from "../../policy/sandbox/sandbox-decision.ts";
import type { Behaviour, Rule } from "../../settings/permissions.ts";
import type { CommandPlace } from "../../supervisor/running-call.ts";
import type { KnownTool, Toolbox } from "../../tools/toolbox.ts";
import { findHookChanges, writesIn } from "../hooks/hook-changes.ts";
import { type AskContext, namesOf, questionOf, type SessionAsks } from "./asking.ts";
import type { LookUpTracked } from "./ever-tracked.ts";
import { BASH, type CallPlace, type JudgeParts, judgeCall } from "./judge-call.ts";

/** All that the gate decides by. Mode and rules are read for every call, so that changes hold from the next one on. */
export interface GateParts extends JudgeParts {
  readonly hooks: Pick<HookRunner, "has" | "permissionRequest" | "preToolUse">;
  readonly asks: {
    /** `isFinal`: only the user may answer. */
    permission(
      question: Parameters<SessionAsks["permission"]>[0],
      context: AskContext & { readonly isFinal: boolean },
    ): ReturnType<SessionAsks["permission"]>;
  };
  /** True if any rule denies anything; otherwise no search is filtered. */
  deniesAny(): boolean;
  /** False if only the organisation's rules allow something, so that none is offered for the session. */
  canGrant(): boolean;
  /** Returns the text for the agent if the user has denied this same call for the session. */
  denied(call: SameCall): string | null;
  readonly toolbox: Pick<Toolbox, "find">;
  readonly sandbox: SandboxState;
  /** Returns the rules in force for this write scope. */
  rules(scope: WriteScope): readonly Rule[];
  /** Finds out, before a command is evaluated, whether files of rules were ever tracked. */
  readonly lookUpTracked?: LookUpTracked;
  /** Returns the caller for hooks. */
  caller(actor: ActorId, cwd: string): HookCaller;
}

/** The sandbox for commands; `report` returns null if the mode is off. */
export interface SandboxState {
  readonly settings: SandboxSettings;
  report(): Promise<SandboxReport | null>;
  /** Prepares the confinement that a decision needs; null if that is not possible. */
  prepare(
    type: "read" | "write",
    where: CallPlace,
    command: Pick<LightCommand, "rules" | "hides">,
  ): Promise<Prepared | null>;
}

export interface GatedCall extends CallPlace {
  readonly actor: ActorId;
  readonly call: Call;
  readonly tool: KnownTool;
}

/** A call with the input that it may run with, and what sandbox there is for it. */
interface Attempt extends CallPlace {
  readonly tool: KnownTool;
  readonly input: unknown;
  readonly report: SandboxReport | null;
}

/** Whether a call may run, with the input it may run with. */
export type Gated = Grounds &
  (
    | ({
        readonly type: "go";
        readonly input: unknown;
        readonly rewritten: boolean;
        /** Text of a hook for the model, in addition to the result. */
        readonly context?: string;
        /** What hooks have changed in the files that it writes. */
        readonly changed?: HookChange[];
      } & CommandPlace)
    /** `stop`: a hook ends the whole conversation for this reason. `grants`: the rules that would have allowed it. */
    | {
        readonly type: "refuse";
        readonly stop?: string;
        readonly grants?: readonly string[];
        /** Why the user had to be asked. */
        readonly asked?: string;
      }
  );

/**
 * The gate (A5, A6): hooks, then rules, then the user. Every call of every agent passes it, with its own input rather
 * than what its thread says about it. An error here denies.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** True if searches must ask which results are hidden. */
  get filters(): boolean {
    return this.#parts.deniesAny();
  }

  async judge(given: GatedCall, signal: AbortSignal): Promise<Gated> {
    try {
      return await this.#judge(given, signal);
    } catch (error) {
      const reason = `the permission check failed (${errorMessage(error)})`;
      return { type: "refuse", by: "rules", reason };
    }
  }

  /** Returns the search results this agent may not see (semantics §4.5). */
  filterResults(paths: readonly string[], { cwd, scope }: CallPlace): string[] {
    const hides = this.#parts.engine(scope).hides(cwd);
    return paths.filter((path) => {
      try {
        return hides(path);
      } catch {
        return true;
      }
    });
  }

  /** Returns how Read of a file would be decided: allow, ask or deny. */
  decideRead(path: string, where: CallPlace): Behaviour {
    const read = this.#parts.toolbox.find("Read");
    if (read === undefined) return "deny";
    try {
      return judgeCall(this.#parts, read, { file_path: path }, where).decision;
    } catch {
      return "deny";
    }
  }

  /** Evaluates a waiting call again: for the user, or (`enforced`: confined) after another call's write. */
  recheck({ tool: name, input, ...where }: SameCall, enforced = false): Recheck {
    const tool = this.#parts.toolbox.find(name);
    if (tool === undefined) return { type: "ask" };
    const { decision, reason } = judgeCall(this.#parts, tool, input, where, { enforced });
    return decision === "deny" ? { type: "deny", reason } : { type: decision };
  }

  async #judge({ actor, call, tool, ...where }: GatedCall, signal: AbortSignal): Promise<Gated> {
    const { cwd } = where;
    const { toolUse, input: asked } = call;
    const hooked = { names: namesOf(tool), input: asked, toolUseId: toolUse };
    const { said: hookAnswer, changes } = await findHookChanges(
      "PreToolUse",
      this.#parts.hooks.has("PreToolUse", hooked.names) ? writesIn(tool, asked, cwd) : [],
      () => this.#parts.hooks.preToolUse(hooked, this.#parts.caller(actor, cwd), signal),
    );
    if (hookAnswer.type === "deny") return hookRefusal(hookAnswer);
    const rewritten = hookAnswer.input !== undefined;
    const input = rewritten ? hookAnswer.input : asked;
    // A hook's input is checked like any other: it must fit the schema and is decided again.
    const claim = tool.prepare(input);
    if (claim.type === "invalid")
      return {
        type: "refuse",
        by: "hook",
        reason: `a hook rewrote its input, which no longer fits: ${claim.message}`,
      };
    const report = tool.offer.name === BASH ? await this.#parts.sandbox.report() : null;
    const permitted = {
      type: "go",
      ...{ input, rewritten },
      ...(changes.length === 0 ? {} : { changed: changes }),
      ...(hookAnswer.context ? { context: hookAnswer.context } : {}),
      outside: runsOutside(this.#parts.sandbox.settings, report, input),
    } as const;

    const command = tool.offer.name === BASH ? (textAt(input, "command") ?? "") : null;
    const everTracked = command === null ? undefined : await this.#parts.lookUpTracked?.(command, where);
    const context = everTracked === undefined ? {} : { everTracked };
    const attempt: Attempt = { tool, input, report, ...where };
    const { judgement, light } = await this.#confined(attempt, context);
    const grounds: Grounds = { by: "rules", ...groundsOf(judgement) };
    if (judgement.decision === "deny")
      return { type: "refuse", ...grounds, grants: this.#offered(judgement) };
    const refused = this.#parts.denied({ tool: tool.offer.name, input, ...where });
    if (refused !== null) return { type: "refuse", by: "person", reason: refused };
    const sandboxed = this.#decideInSandbox(attempt, context);
    if (sandboxed.type === "refuse") return { type: "refuse", by: "rules", reason: sandboxed.reason };
    // A runner may only make a decision stricter; where both ask in the same way, the question is as it is for local agents.
    const elsewhere = call.mustAsk;
    const isStricter = elsewhere !== undefined && (elsewhere.isFinal || judgement.decision === "allow");
    const mustAsk = sandboxed.type === "ask" || hookAnswer.decision === "ask" || isStricter;
    if (judgement.decision === "allow" && !mustAsk)
      return { ...permitted, ...grounds, ...(light === null ? {} : { light }) };
    // A hook or a sandbox may answer a question for the user; never override a rule or what no rule could allow.
    const canSkipUser = ({ rule, grants }: Judgement, held: SandboxDecision) =>
      held.type !== "ask" && !isStricter && !rule && grants.length > 0;
    const skipsUser = canSkipUser(judgement, sandboxed) && hookAnswer.decision !== "ask";
    if (skipsUser && hookAnswer.decision === "allow")
      return { ...permitted, by: "hook", reason: hookAnswer.reason ?? "a hook allowed it" };
    if (skipsUser && sandboxed.type === "allow" && elsewhere === undefined)
      return { ...permitted, by: "rules", reason: "it runs in the sandbox" };
    const answered = await this.#parts.hooks.permissionRequest(
      { ...hooked, input },
      this.#offered(judgement),
      this.#parts.caller(actor, cwd),
      signal,
    );
    if (answered.type === "deny") return hookRefusal(answered);
    if (answered.type === "allow" && skipsUser) {
      const allowed = { ...permitted, by: "hook", reason: answered.reason } as const;
      if (answered.input === undefined) return allowed;
      const edited = { ...attempt, input: answered.input };
      const other = judgeCall(this.#parts, tool, edited.input, where);
      if (other.decision !== "ask" || canSkipUser(other, this.#decideInSandbox(edited)))
        return this.#decideEditedInput(edited, allowed);
    }
    // It asks the user itself, with the plan.
    if (tool.offer.name === "ExitPlanMode" && !judgement.rule && !mustAsk)
      return { ...permitted, ...grounds };

    const reason =
      sandboxed.type === "ask"
        ? sandboxed.reason
        : hookAnswer.decision === "ask"
          ? (hookAnswer.reason ?? "A hook asks for it.")
          : isStricter
            ? elsewhere.reason
            : judgement.reason;
    const grants = mustAsk ? [] : this.#offered(judgement);
    const { details = [], ...preview } = (await claim.preview?.(cwd)) ?? {};
    // A yes is for the details that were shown: the next call shows other ones.
    const offered = details.length > 0 ? [] : grants;
    const shown = { ...preview, title: claim.title, details };
    const question = questionOf(tool, { input, toolUse, ...where, ...shown, reason, grants: offered });
    const always = mustAsk ? ({ always: true } as const) : {};
    const asking = { actor, call: call.id, signal, isFinal: !skipsUser };
    const answer = await this.#parts.asks.permission(
      { ...question, ...always, recheck: () => this.recheck({ tool: tool.offer.name, input, ...where }) },
      asking,
    );
    if (answer.type === "allow") {
      const allowed = { ...permitted, by: "person", reason: "the user allowed it" } as const;
      return answer.input === undefined
        ? allowed
        : this.#decideEditedInput({ ...attempt, input: answer.input }, allowed);
    }
    const by = answer.by === "agent" ? "stop" : answer.by;
    return { type: "refuse", by, reason: answer.reason, grants, asked: reason };
  }

  /** Returns the rules that the user may be offered. */
  #offered({ grants }: Judgement): readonly string[] {
    return this.#parts.canGrant() ? grants : [];
  }

  /** Checks an input that the user, or a hook for the user, has changed: it must fit, and what forbids it still does. */
  #decideEditedInput(edited: Attempt, allowed: Extract<Gated, { type: "go" }>): Gated {
    const { tool, input, report, ...where } = edited;
    const claim = tool.prepare(input);
    if (claim.type === "invalid")
      return {
        type: "refuse",
        by: allowed.by,
        reason: `${allowed.by === "hook" ? "A hook" : "The user"} allowed it with another input, which is invalid: ${claim.message}`,
      };
    const judgement = judgeCall(this.#parts, tool, input, where);
    if (judgement.decision === "deny") return { type: "refuse", by: "rules", ...groundsOf(judgement) };
    const refused = this.#parts.denied({ tool: tool.offer.name, input, ...where });
    if (refused !== null) return { type: "refuse", by: "person", reason: refused };
    const sandboxed = this.#decideInSandbox(edited);
    if (sandboxed.type === "refuse") return { type: "refuse", by: "rules", reason: sandboxed.reason };
    const outside = runsOutside(this.#parts.sandbox.settings, report, input);
    return {
      ...{ ...allowed, input, outside, rewritten: true },
      reason: `${allowed.by === "hook" ? "a hook" : "the user"} allowed it with this input instead`,
    };
  }

  #decideInSandbox({ report, input, cwd, scope }: Attempt, context: JudgeContext = {}): SandboxDecision {
    if (report === null) return { type: "silent" };
    // In plan mode only reading passes without a question.
    const readOnly = this.#parts.engine(scope).judge("plan", cwd, BASH, input, context).decision === "allow";
    return sandboxDecision(this.#parts.sandbox.settings, report, { input, readOnly });
  }

  /**
   * Allows a confined call only when its confinement is prepared. In a full sandbox writes are confined by it, so
   * only reads get a confinement of their own.
   */
  async #confined(
    { tool, input, report, ...where }: Attempt,
    context: JudgeContext,
  ): Promise<{ readonly judgement: Judgement; readonly light: Prepared | null }> {
    const alone = () => ({ judgement: judgeCall(this.#parts, tool, input, where, context), light: null });
    if (tool.offer.name !== BASH) return alone();
    const judgement = judgeCall(this.#parts, tool, input, where, { ...context, enforced: true });
    const { decision, confined } = judgement;
    const isHeld = report !== null && report.state !== "unavailable";
    if (decision !== "allow" || confined === undefined || (confined === "write" && isHeld))
      return { judgement, light: null };
    const { cwd, scope } = where;
    const light = await this.#parts.sandbox.prepare(confined, where, {
      rules: this.#parts.rules(scope),
      hides: this.#parts.engine(scope).hides(cwd, "asks-too"),
    });
    return light === null ? alone() : { judgement, light };
  }
}

function hookRefusal({ reason, stop }: { readonly reason: string; readonly stop?: string }): Gated {
  return { type: "refuse", by: "hook", reason, ...(stop === undefined ? {} : { stop }) };
}

function groundsOf({ decision, reason, rule, tier }: Judgement): Omit<Grounds, "by"> {
  return { reason, ...(rule ? { rule } : {}), ...(decision === "allow" && tier ? { tier } : {}) };
}
