import type { Runtime } from "./runtime.ts";

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
