import type { AgentDefinition } from "../context/agents/definition.ts";
import type { ListedAgent } from "../features/agents/listing.ts";
import type { ThreadsAhead } from "../lib/threads.ts";
import type { AgentModels } from "../model/model-names.ts";
import type { SupervisorOptions } from "../session/options.ts";
import type { Restoring, ResumeRequest } from "../session/resume-session.ts";
import type { SupervisorHandle } from "../session/supervisor-handle.ts";
import type { CheckBaseURL } from "./model-choice.ts";

export type CreateSupervisor = (options: SupervisorOptions) => SupervisorHandle;

/** What the commands need of the runtime. */
export interface Runtime {
  createSupervisor(): Promise<CreateSupervisor>;
  /** Reads a session to resume it, or says why it cannot be resumed. It is held until it is released. */
  resumeSession(request: ResumeRequest): Promise<Restoring>;
  /** The built-in agent types, and these. */
  listAgents(own?: readonly AgentDefinition[], models?: AgentModels): Promise<readonly ListedAgent[]>;
  checkBaseURL(): Promise<CheckBaseURL>;
}

/** The real runtime. Each part is loaded when it is first needed: help and wrong usage load none of it. */
export const lazyRuntime: Runtime = {
  async createSupervisor() {
    const { Supervisor } = await import("../session/supervisor.ts");
    return (options) => new Supervisor(options);
  },
  resumeSession: async (request) => (await import("../session/resume-session.ts")).resumeSession(request),
  checkBaseURL: async () => (await import("../model/base-url.ts")).checkBaseURL,
  listAgents: async (own, models) => (await import("../features/agents/listing.ts")).listAgents(own, models),
};

/** The same, with sessions that take the threads that are ahead. */
export function withThreads(runtime: Runtime, { start }: ThreadsAhead): Runtime {
  return {
    ...runtime,
    async createSupervisor() {
      const create = await runtime.createSupervisor();
      return (options) => create({ ...options, startThread: start });
    },
  };
}
