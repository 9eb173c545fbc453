import type { SupervisorHandle, SupervisorOptions } from "../supervisor/options.ts";
import type { CheckBaseURL } from "./model-choice.ts";

export type CreateSupervisor = (options: SupervisorOptions) => SupervisorHandle;

/** One agent type, as `troupe agents` lists it. */
export interface AgentInfo {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly whenToUse: string;
  readonly tools: readonly string[];
  readonly model?: string;
}

/** What the commands need of the runtime, loaded when it is needed: help and wrong usage never load it. */
export interface Runtime {
  createSupervisor(): Promise<CreateSupervisor>;
  listAgents(): Promise<readonly AgentInfo[]>;
  checkBaseURL(): Promise<CheckBaseURL>;
}
