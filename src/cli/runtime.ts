import type { ListedAgent } from "../supervisor/listing.ts";
import type { SupervisorHandle, SupervisorOptions } from "../supervisor/options.ts";
import type { CheckBaseURL } from "./model-choice.ts";

export type CreateSupervisor = (options: SupervisorOptions) => SupervisorHandle;

/** What the commands need of the runtime, loaded when it is needed: help and wrong usage never load it. */
export interface Runtime {
  createSupervisor(): Promise<CreateSupervisor>;
  listAgents(): Promise<readonly ListedAgent[]>;
  checkBaseURL(): Promise<CheckBaseURL>;
}
