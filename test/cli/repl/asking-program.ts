/**
 * Troupe in a terminal, with a tool that asks the person whatever its input says. Started by tests, so that
 * the asks of a real session are answered through a real terminal.
 */
import * as z from "zod/mini";
import { main } from "../../../src/cli/main.ts";
import { processIO } from "../../../src/cli/process-io.ts";
import { lazyRuntime } from "../../../src/cli/runtime.ts";
import type { UserHandler, UserRequest } from "../../../src/policy/user-requests.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";

const input = z.object({ ask: z.unknown() });

function asking(person: UserHandler) {
  return defineTool<z.infer<typeof input>, string>({
    runsIn: "caller",
    name: "AskThem",
    description: "Asks the person.",
    inputSchema: input,
    permissionLevel: "read",
    call: async ({ ask }, { signal }) => JSON.stringify(await person.ask(ask as UserRequest, signal)),
  });
}

process.exitCode = await main(process.argv.slice(2), processIO(process.cwd()), {
  ...lazyRuntime,
  async createSupervisor() {
    const create = await lazyRuntime.createSupervisor();
    return (options: SupervisorOptions & { person?: UserHandler }) => {
      const { person, ...rest } = options;
      return create(person ? { ...rest, tools: [asking(person)] } : rest);
    };
  },
});
