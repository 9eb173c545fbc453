import { noTasks } from "../mailbox/task-graph.ts";
import { askUserQuestionTool, type QuestionService } from "./ask-user-question.ts";
import { backgroundTools } from "./background/all.ts";
import type { BackgroundService } from "./background/service.ts";
import { bindTool } from "./bind-tool.ts";
import type { CustomTool } from "./define-tool.ts";
import type { LanguageService } from "./lsp/desk.ts";
import { lspTool } from "./lsp/lsp.ts";
import { mailTools } from "./messages/all.ts";
import type { MessageService } from "./messages/service.ts";
import { planTools } from "./plan/all.ts";
import type { PlanService } from "./plan/service.ts";
import type { SkillService } from "./skill/service.ts";
import { skillTool } from "./skill/skill.ts";
import { taskTools } from "./tasks/all.ts";
import type { TaskStore } from "./tasks/store.ts";
import { timerTools } from "./timers/all.ts";
import type { TimerService } from "./timers/desk.ts";
import { webTools } from "./web/all.ts";
import type { WebService } from "./web/desk.ts";
import { worktreeTools } from "./worktree/all.ts";
import type { WorktreeService } from "./worktree/service.ts";

/** What the tools on the supervisor's side reach of the session. */
export interface SessionParts {
  readonly tasks: TaskStore;
  /** Null: nothing can be started in the background, so there is nothing to look after. */
  readonly background: BackgroundService | null;
  /** Where nobody can be asked, each says so. */
  readonly questions: QuestionService;
  readonly plan: PlanService;
  readonly mail: MessageService;
  /** Null or absent: there is no repository, so there are no worktrees. */
  readonly worktree: WorktreeService | null;
  /** Null or absent: the session has no skills. */
  readonly skills: SkillService | null;
  readonly web: WebService;
  /** Null: the program ends with its answer, so no later prompt could come. */
  readonly timers: TimerService | null;
  /** Null: there is no language server that may be started. */
  readonly languages: LanguageService | null;
}

/** The built-in tools on the supervisor's side, in the order models see them; Agent is made of a list of the others. */
export function sessionTools({
  tasks,
  background,
  questions,
  plan,
  mail,
  worktree,
  skills,
  web,
  timers,
  languages,
}: SessionParts): readonly CustomTool[] {
  return [
    ...taskTools(tasks),
    ...(background === null ? [] : backgroundTools(background)),
    bindTool(askUserQuestionTool(questions)),
    ...planTools(plan),
    ...mailTools(mail),
    ...(worktree === null ? [] : worktreeTools(worktree)),
    ...(skills === null ? [] : [bindTool(skillTool(skills))]),
    ...webTools(web),
    ...(timers === null ? [] : timerTools(timers)),
    ...(languages === null ? [] : [bindTool(lspTool(languages))]),
  ];
}

/** Where tools are only told of, as in lists and documents: there is no session behind them. */
export const noSession: SessionParts = {
  tasks: { graph: noTasks, record: () => Promise.reject(new Error("There is no session.")) },
  background: {
    find: () => null,
    running: () => [],
    wait: async () => {},
    output: async () => ({ bytes: 0, head: "", tail: null, path: null }),
    stop: async () => {},
    follow() {},
  },
  questions: { question: () => Promise.reject(new Error("There is no session.")) },
  plan: {
    enter: () => Promise.reject(new Error("There is no session.")),
    leave: () => Promise.reject(new Error("There is no session.")),
  },
  mail: { agents: () => [], send: () => Promise.reject(new Error("There is no session.")) },
  worktree: {
    enter: () => Promise.reject(new Error("There is no session.")),
    exit: () => Promise.reject(new Error("There is no session.")),
  },
  skills: { load: () => Promise.reject(new Error("There is no session.")) },
  web: {
    fetch: async () => "There is no session.",
    search: async () => "There is no session.",
  },
  timers: {
    create: async () => "there is no session.",
    list: async () => ({ timers: [], notes: [] }),
    remove: async () => "There is no session.",
    wakeUp() {
      throw new Error("There is no session.");
    },
  },
  languages: { ask: async () => ({ type: "failed", message: "There is no session." }) },
};
