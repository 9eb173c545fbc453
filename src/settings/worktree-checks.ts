import { isText, isWholeIn, type Kind, kind } from "./checks.ts";
import { isObject } from "./json.ts";

/** Milliseconds that a command about a worktree may be given. */
export const COMMAND_MS = { min: 1_000, max: 86_400_000 } as const;

/** As it stands in the file: a command, or an object with more about it. */
export type SetupSaid =
  | string
  | { readonly command: string; readonly ready?: string; readonly timeoutMs?: number };

export function setup(): Kind<SetupSaid> {
  return kind(
    "text, or object with `command`, `ready`, `timeoutMs`",
    `a command, or an object with command, and ready (a command) and timeoutMs (a whole number from ${COMMAND_MS.min} to ${COMMAND_MS.max}) where you want them`,
    // An object that was written in quotes, or did not pass on a command line, is no command.
    (value) => (isText(value) && !/^\s*\{\s*"/.test(value)) || isSetup(value),
  );
}

function isSetup(value: unknown): boolean {
  if (!isObject(value) || !Object.hasOwn(value, "command")) return false;
  return Object.entries(value).every(([name, inner]) => {
    if (name === "command" || name === "ready") return isText(inner);
    return name === "timeoutMs" && isWholeIn(inner, COMMAND_MS);
  });
}

export type Bringing = "link" | "copy";

/** What is linked or copied must be of the checkout itself: a settings file may have come with the repository. */
export function dependencies(): Kind<Readonly<Record<string, Bringing>>> {
  return kind(
    "object of `link` or `copy`",
    'a folder below the top of the repository, such as node_modules, with "link" or "copy"',
    (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, how]) => isFolderBelow(name) && (how === "link" || how === "copy")),
  );
}

/** Relative, with `/`, and neither out of the checkout nor into what is git's. */
function isFolderBelow(name: string): boolean {
  const segments = name.replace(/\/$/, "").split("/");
  return (
    !/[\\\0]/.test(name) &&
    segments.every((one) => one.trim() !== "" && one !== "." && one !== ".." && one.toLowerCase() !== ".git")
  );
}
