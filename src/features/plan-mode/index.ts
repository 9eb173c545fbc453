import { errorMessage } from "../../lib/errors.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import { allowsOf } from "../../tools/plan/allowed-prompts.ts";
import {
  MAX_PLAN_CHARS,
  type PlanEnd,
  type PlanRefused,
  type PlanService,
} from "../../tools/plan/plan-mode.ts";
import { projectCommands } from "../../tools/plan/project-commands.ts";
import type { AskContext, SessionAsks } from "../gate/asking.ts";
import type { SessionMode } from "../gate/session-rules.ts";
import type { PlanFiles } from "./plan-files.ts";

export interface PlanModeParts {
  readonly mode: SessionMode;
  readonly asks: SessionAsks;
  readonly files: PlanFiles;
  /** The project, to which `allowedPrompts` refers. */
  readonly cwd: string;
}

/** Larger plans are too long for a user to read. */
const MAX_PLAN_BYTES = 4 * MAX_PLAN_CHARS;

/**
 * Plan mode from the first question to the approval (A14.9). The mode changes with the answer, before any other
 * question is handled, so that no waiting call passes in between. Uses no joint: its tools call it.
 */
export function planService({ mode, asks, files, cwd }: PlanModeParts): PlanService {
  return {
    async enter(context) {
      if (context.actor !== MAIN) return refused(NOT_AN_AGENTS);
      if (mode.current() === "plan") return { type: "entered", file: files.current };
      const outcome = await asks.permission(
        {
          ...{
            tool: "EnterPlanMode",
            level: "read",
            input: {},
            cwd,
            title: "plan before anything is changed",
            details: [],
          },
          scope: { root: cwd, additionalDirs: [], tree: null },
          reason: "Until you approve its plan, neither the conversation nor its agents change anything.",
          grants: [],
          always: true,
          onAllowed: () => mode.set("plan"),
        },
        context,
      );
      return outcome.type === "allow" ? { type: "entered", file: files.current } : refused(outcome.reason);
    },
    async leave(given, prompts, context) {
      if (context.actor !== MAIN) return refused(NOT_AN_AGENTS);
      if (mode.current() !== "plan")
        return refused("Plan mode is not on, so there is nothing to leave. Go on.");
      const plan = given === null ? await readPlan(files) : await keepPlan(files, given);
      if (typeof plan !== "string") return plan;
      const locked = mode.whyNot("default");
      if (locked !== null)
        return refused(
          `Plan mode cannot be left here. ${locked} Give the plan in your reply and end your turn.`,
        );
      return askFor(plan, prompts, context);
    },
  };

  async function askFor(plan: string, prompts: readonly string[], context: AskContext): Promise<PlanEnd> {
    const file = files.current;
    const allows = prompts.length === 0 ? [] : allowsOf(prompts, await projectCommands(cwd));
    const onApproved = (next: PermissionMode) => {
      mode.set(mode.whyNot(next) === null ? next : "default");
      // The next plan must not overwrite the one being carried out.
      files.next();
    };
    const outcome = await asks.plan({ plan, file, allows, onApproved }, context);
    if (outcome.type === "approved") return { type: "approved", mode: outcome.mode, plan, file, allows };
    return refused(notApproved(outcome.reason, outcome.by === "person"));
  }
}

const NOT_AN_AGENTS =
  "Only the main conversation enters and leaves plan mode. Return your plan as your report: the caller decides.";

function notApproved(reason: string, byPerson: boolean): string {
  const next = byPerson
    ? "Change the plan as they say and call ExitPlanMode again."
    : "Give the plan in your reply and end your turn.";
  return `The plan was not approved, and plan mode stays on. ${reason} ${next}`;
}

async function keepPlan(files: PlanFiles, given: string): Promise<string | PlanRefused> {
  // The user sees what the file can hold.
  const plan = given.toWellFormed();
  const complaint = whyNoPlan(plan);
  if (complaint !== null) return refused(complaint);
  try {
    await files.write(plan);
    return plan;
  } catch (error) {
    return refused(
      `The plan could not be saved (${errorMessage(error)}). Tell the user, with the plan in your reply.`,
    );
  }
}

async function readPlan(files: PlanFiles): Promise<string | PlanRefused> {
  try {
    const plan = await files.read(MAX_PLAN_BYTES + 1);
    if (plan === null)
      return refused("There is no plan yet. Call ExitPlanMode again with the whole plan in `plan`.");
    const complaint = whyNoPlan(plan);
    return complaint === null ? plan : refused(complaint);
  } catch (error) {
    return refused(
      `${files.current} could not be read (${errorMessage(error)}). Give the whole plan in \`plan\`.`,
    );
  }
}

function whyNoPlan(plan: string): string | null {
  if (plan.trim() === "") return "The plan is empty. Call ExitPlanMode again with the whole plan in `plan`.";
  if (plan.length <= MAX_PLAN_CHARS) return null;
  return `The plan has ${plan.length} characters, and a person reads at most ${MAX_PLAN_CHARS}. Shorten it to what they must decide.`;
}

function refused(reason: string): PlanRefused {
  return { type: "refused", reason };
}
