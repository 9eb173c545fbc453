import type { Runtime } from "./runtime.ts";

/** The real runtime. Each part is loaded when it is first needed: help and wrong usage load none of it. */
export const lazyRuntime: Runtime = {
  async createSupervisor() {
    const { Supervisor } = await import("../supervisor/supervisor.ts");
    return (options) => new Supervisor(options);
  },
  checkBaseURL: async () => (await import("../model/base-url.ts")).checkBaseURL,
  async listAgents() {
    const [{ builtInAgents }, { Toolbox }] = await Promise.all([
      import("../actors/definitions/index.ts"),
      import("../supervisor/toolbox.ts"),
    ]);
    const toolbox = new Toolbox([], { mode: "default", allowedTools: [], disallowedTools: [], folders: [] });
    return builtInAgents.map(({ name, aliases = [], whenToUse, tools, disallowedTools = [], model }) => ({
      name,
      aliases,
      whenToUse,
      // Agent is the session's own tool, made with it.
      tools: [
        ...toolbox.select(tools, disallowedTools).map((tool) => tool.name),
        ...(tools === "all" ? ["Agent"] : []),
      ],
      ...(model === undefined ? {} : { model }),
    }));
  },
};
