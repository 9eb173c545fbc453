import { noTasks } from "../mailbox/task-graph.ts";
import { askUserQuestionTool, type QuestionDesk } from "../tools/ask-user-question.ts";
import { backgroundTools } from "../tools/background/all.ts";
import type { BackgroundDesk } from "../tools/background/desk.ts";
import { mailTools } from "../tools/mail/all.ts";
import type { MailDesk } from "../tools/mail/desk.ts";
import { planTools } from "../tools/plan/all.ts";
import type { PlanDesk } from "../tools/plan/desk.ts";
import { seal } from "../tools/sealed.ts";
import { taskTools } from "../tools/tasks/all.ts";
import type { TaskStore } from "../tools/tasks/store.ts";
import type { CustomTool } from "./custom-tools.ts";

/** What the tools on the supervisor's side reach of the session. */
export interface SessionParts {
  readonly tasks: TaskStore;
  /** Null: nothing can be started in the background, so there is nothing to look after. */
  readonly background: BackgroundDesk | null;
  /** Where nobody can be asked, each says so. */
  readonly questions: QuestionDesk;
  readonly plan: PlanDesk;
  readonly mail: MailDesk;
}

/** The built-in tools on the supervisor's side, in the order models see them; Agent is made of a list of the others. */
export function sessionTools({
  tasks,
  background,
  questions,
  plan,
  mail,
}: SessionParts): readonly CustomTool[] {
  return [
    ...taskTools(tasks),
    ...(background === null ? [] : backgroundTools(background)),
    seal(askUserQuestionTool(questions)),
    ...planTools(plan),
    ...mailTools(mail),
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
};
