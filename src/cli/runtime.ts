import type { AgentDefinition } from "../actors/definitions/definition.ts";
import type { ListedAgent } from "../features/agents/listing.ts";
import type { AgentModels } from "../model/agent-models.ts";
import type { SupervisorHandle, SupervisorOptions } from "../session/options.ts";
import type { Restoring, ResumeRequest } from "../session/resume-session.ts";
import type { CheckBaseURL } from "./model-choice.ts";

export type CreateSupervisor = (options: SupervisorOptions) => SupervisorHandle;

/** What the commands need of the runtime, loaded when it is needed: help and wrong usage never load it. */
export interface Runtime {
  createSupervisor(): Promise<CreateSupervisor>;
  /** Takes a session up again, or says why not. What is restored is held until it is released. */
  resumeSession(request: ResumeRequest): Promise<Restoring>;
  /** The built-in kinds, and these. */
  listAgents(own?: readonly AgentDefinition[], models?: AgentModels): Promise<readonly ListedAgent[]>;
  checkBaseURL(): Promise<CheckBaseURL>;
}
