import type { SupervisorOptions } from "../../session/options.ts";

/** What a client's model is told of the server once, before it knows any tool. */
export function instructionsFor({ cwd, source, permissionMode = "default" }: SupervisorOptions): string {
  return [
    `Troupe runs agents on ${cwd}: each is a conversation of its own with its own context window and tools, works by itself and returns one report.`,
    "Use fan_out for several independent tasks at once, spawn_agent for one; with background and agent_result for long ones. A prompt must stand alone: agents know nothing of this conversation. Reports are what agents say; statements that nothing they read or ran is behind are marked.",
    `What agents may do is the server's to decide (permission mode ${permissionMode}); a call that is not allowed is named in the result.`,
    ...(source.provider === "offline"
      ? [
          "No model is configured: the embedded offline model answers, which searches and cites but does not reason.",
        ]
      : []),
  ].join("\n\n");
}
