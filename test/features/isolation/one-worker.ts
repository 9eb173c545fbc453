import { join } from "node:path";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { taskOf } from "../../supervisor/resume-world.ts";
import { textsOf } from "../../support/texts-of.ts";

/** The model of a session in which one agent with a worktree of its own writes one file. */
export function turnOf(request: ModelRequest): ScriptedTurn {
  const root = /Working directory: (.+)/.exec(request.system.join("\n"))?.[1] ?? "";
  if (taskOf(request) !== "go")
    return textsOf(request).includes("was created")
      ? { text: "Written." }
      : { calls: [{ name: "Write", input: { file_path: join(root, "new.txt"), content: "new\n" } }] };
  const input = { description: "write", prompt: "write", subagent_type: "worker", isolation: "worktree" };
  return textsOf(request).includes("merged") ? { text: "Over." } : { calls: [{ name: "Agent", input }] };
}
