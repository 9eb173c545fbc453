import type { Call } from "../../mailbox/messages.ts";
import type { RunRequest } from "../../mailbox/runs.ts";
import { ripgrepPath } from "../../tools/grep/ripgrep.ts";

/** A call that the gate allowed, as it evaluated it. */
export interface JudgedCall {
  readonly input: Call["input"];
  /** The agent's working directory. */
  readonly cwd: string;
}

/** Options with which ripgrep starts another program. */
const STARTS_ANOTHER = /^(--pre\b|--pre-glob\b|--hostname-bin\b|--search-zip\b|-[a-zA-Z]*z)/;

/** Returns why a thread may not start this command, or null. A decision covers one command in one directory. */
export function commandRefusal(
  request: { readonly command: string; readonly cwd: string },
  judged: JudgedCall,
  root: string,
): string | null {
  const { input } = judged;
  const allowed = typeof input === "object" && input !== null ? Reflect.get(input, "command") : undefined;
  if (request.command !== allowed) return "another command than the one that was allowed";
  // If its directory no longer exists, a command runs at the agent's root.
  return request.cwd === judged.cwd || request.cwd === root
    ? null
    : "another folder than the one it was allowed in";
}

/**
 * Returns why a thread may not start this program, or null. Except for commands only our ripgrep is allowed, without
 * options that start other programs.
 */
export function searchRefusal({ file, args }: Pick<RunRequest, "file" | "args">): string | null {
  if (file !== ripgrepPath()) return "a program that no built-in tool runs";
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const odd = options.find((option) => STARTS_ANOTHER.test(option));
  return odd === undefined ? null : `ripgrep with ${odd}`;
}
