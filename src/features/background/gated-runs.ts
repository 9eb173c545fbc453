import type { Call } from "../../mailbox/messages.ts";
import type { RunRequest } from "../../mailbox/runs.ts";
import { ripgrepPath } from "../../tools/grep/ripgrep.ts";

/** A call that was let go, as the gate judged it. */
export interface JudgedCall {
  readonly input: Call["input"];
  /** Where the agent stood. */
  readonly cwd: string;
}

/** ripgrep's ways to start another program. */
const STARTS_ANOTHER = /^(--pre\b|--pre-glob\b|--hostname-bin\b|--search-zip\b|-[a-zA-Z]*z)/;

/**
 * Why a thread may not have this started, or null. A verdict is for one command in one folder: a thread that
 * asks for another does not get it.
 */
export function commandRefusal(
  request: { readonly command: string; readonly cwd: string },
  judged: JudgedCall,
  root: string,
): string | null {
  const { input } = judged;
  const allowed = typeof input === "object" && input !== null ? Reflect.get(input, "command") : undefined;
  if (request.command !== allowed) return "another command than the one that was allowed";
  // Where its folder is gone, a command runs at the agent's root.
  return request.cwd === judged.cwd || request.cwd === root
    ? null
    : "another folder than the one it was allowed in";
}

/** Outside of commands a thread may have one program started: our ripgrep, without its ways to start others. */
export function searchRefusal({ file, args }: Pick<RunRequest, "file" | "args">): string | null {
  if (file !== ripgrepPath()) return "a program that no tool of ours runs";
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const odd = options.find((option) => STARTS_ANOTHER.test(option));
  return odd === undefined ? null : `ripgrep with ${odd}`;
}
