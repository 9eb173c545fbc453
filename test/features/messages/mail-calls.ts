import type { ModelRequest } from "../../../src/model/client.ts";
import { taskOf, textsOf, type World } from "../../supervisor/resume-world.ts";

/** Calls that scripted agents make where they start each other and write to each other. */
export const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: `task ${prompt}`, prompt, subagent_type: "worker", ...more },
});

export const behind = (prompt: string) => agent(prompt, { run_in_background: true });

export const send = (to: string, message: string) => ({ name: "SendMessage", input: { to, message } });

export const isMain = ({ actor }: ModelRequest) => actor === "main";

/** All that the last request for this task says. */
export function lastOf({ model }: World, task: string): string {
  const last = model.requests.findLast((request) => taskOf(request) === task);
  if (last === undefined) throw new Error(`Nobody was asked to "${task}".`);
  return textsOf(last);
}
