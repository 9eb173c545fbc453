import { noTasks } from "../journal/task-graph.ts";
import { askUserQuestionTool, type QuestionService } from "./ask-user-question.ts";
import { type BackgroundService, monitorTool, taskOutputTool, taskStopTool } from "./background.ts";
import { bindTool, type SealedTool } from "./bind-tool.ts";
import type { CustomTool } from "./define-tool.ts";
import { type LanguageService, lspTool } from "./lsp.ts";
import { listAgentsTool, type MessageService, sendMessageTool } from "./messages.ts";
import { enterPlanModeTool, exitPlanModeTool, type PlanService } from "./plan/plan-mode.ts";
import { type SkillService, skillTool } from "./skill.ts";
import {
  type TaskStore,
  taskCreateTool,
  taskGetTool,
  taskListTool,
  taskUpdateTool,
} from "./tasks/task-tools.ts";
import type { TimerService } from "./timers/service.ts";
import { cronCreateTool, cronDeleteTool, cronListTool, scheduleWakeupTool } from "./timers/timer-tools.ts";
import { type WebService, webFetchTool, webSearchTool } from "./web.ts";
import { type WorkflowService, workflowTool } from "./workflow.ts";
import { enterWorktreeTool, exitWorktreeTool, type WorktreeService } from "./worktree.ts";

/** The services behind the tools on the session's side. */
export interface SessionParts {
  readonly tasks: TaskStore;
  /** Null if the session has no background tasks. */
  readonly background: BackgroundService | null;
  readonly questions: QuestionService;
  readonly plan: PlanService;
  readonly workflows: () => Promise<WorkflowService>;
  readonly mail: MessageService;
  /** Null without a repository. */
  readonly worktree: WorktreeService | null;
  /** Null if the session has no skills. */
  readonly skills: SkillService | null;
  readonly web: WebService;
  /** Null if the program ends with its reply. */
  readonly timers: TimerService | null;
  /** Null if no language server may be started. */
  readonly languages: LanguageService | null;
}

/** Returns the built-in tools on the session's side, in the order models see them, without Agent. */
export function sessionTools(parts: SessionParts): readonly CustomTool[] {
  const { background, mail, worktree, skills, web, timers, languages } = parts;
  return [
    ...taskTools(parts.tasks),
    ...(background === null ? [] : backgroundTools(background)),
    bindTool(askUserQuestionTool(parts.questions)),
    ...planTools(parts.plan),
    bindTool(workflowTool(parts.workflows)),
    bindTool(sendMessageTool(mail)),
    bindTool(listAgentsTool(mail)),
    ...(worktree === null ? [] : worktreeTools(worktree)),
    ...(skills === null ? [] : [bindTool(skillTool(skills))]),
    bindTool(webFetchTool(web)),
    ...(web.search === null ? [] : [bindTool(webSearchTool(web.search))]),
    ...(timers === null ? [] : timerTools(timers)),
    ...(languages === null ? [] : [bindTool(lspTool(languages))]),
  ];
}

export function taskTools(tasks: TaskStore): readonly SealedTool[] {
  return [
    bindTool(taskCreateTool(tasks)),
    bindTool(taskGetTool(tasks)),
    bindTool(taskUpdateTool(tasks)),
    bindTool(taskListTool(tasks)),
  ];
}

export function backgroundTools(service: BackgroundService): readonly SealedTool[] {
  return [bindTool(taskOutputTool(service)), bindTool(taskStopTool(service)), bindTool(monitorTool(service))];
}

export function planTools(service: PlanService): readonly SealedTool[] {
  return [bindTool(enterPlanModeTool(service)), bindTool(exitPlanModeTool(service))];
}

export function worktreeTools(service: WorktreeService): readonly SealedTool[] {
  return [bindTool(enterWorktreeTool(service)), bindTool(exitWorktreeTool(service))];
}

function timerTools(service: TimerService): readonly SealedTool[] {
  return [
    bindTool(cronCreateTool(service)),
    bindTool(cronListTool(service)),
    bindTool(cronDeleteTool(service)),
    bindTool(scheduleWakeupTool(service)),
  ];
}

function absent(): never {
  throw new Error("There is no session.");
}

/** For lists and documents, without a session. */
export const noSession: SessionParts = {
  tasks: { graph: noTasks, change: absent },
  background: {
    ...{ find: absent, running: absent, wait: absent },
    ...{ output: absent, stop: absent, follow: absent },
  },
  questions: { question: absent },
  plan: { enter: absent, leave: absent },
  workflows: absent,
  mail: { agents: absent, actors: absent, send: absent },
  worktree: { enter: absent, exit: absent },
  skills: { load: absent },
  web: { fetch: absent, search: absent },
  timers: { create: absent, list: absent, remove: absent, wakeUp: absent },
  languages: { ask: absent },
};
