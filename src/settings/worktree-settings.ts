import * as z from "zod/mini";
import { MergeMode } from "../mailbox/worktree.ts";
import { entries, inRange, nonBlank, oneOf, setting, textSetting, wholeSetting } from "./setting.ts";

const COMMAND_MS = { min: 1_000, max: 86_400_000 };

/** The settings of worktrees: where agents that edit work, and how their edits are merged. */
export const worktreeSettings = {
  baseRef: setting(
    "worktree.baseRef",
    oneOf(["checkout", "head", "fresh"]),
    "What an agent's worktree starts from: the checkout with its uncommitted changes, its HEAD alone, or the remote's default branch.",
    { fallback: "`checkout`" },
  ),
  dependencies: setting(
    "worktree.dependencies",
    entries(
      'a directory below the top of the repository, such as node_modules, with "link" or "copy"',
      z.record(z.string().check(z.refine(isDirBelow)), z.enum(["link", "copy"])),
    ),
    'Directories that git ignores and a build needs, by their path from the top of the repository, such as `{ "node_modules": "link" }`: linked or copied into each worktree if they exist. `worktree.symlinkDirectories` of Claude Code, a list, links them.',
  ),
  setup: setting(
    "worktree.setup",
    {
      what: `a command, or an object with command, and ready (a command) and timeoutMs (a whole number from ${COMMAND_MS.min} to ${COMMAND_MS.max}) if you want them`,
      schema: worktreeSetup(),
    },
    "A shell command that runs in a new worktree before its agent starts; `ready` is a command that then repeats until it exits 0. `timeoutMs` is for both together.",
    { fallback: "none; `timeoutMs` 300000" },
  ),
  check: setting(
    "worktree.check",
    textSetting("a command"),
    "A shell command, such as the test suite, that runs on the merged result before it reaches the checkout; unless it exits 0, nothing is merged.",
  ),
  checkTimeoutMs: setting(
    "worktree.checkTimeoutMs",
    wholeSetting(COMMAND_MS),
    "Milliseconds that `worktree.check` can take.",
    { fallback: "600000" },
  ),
  merge: setting(
    "worktree.merge",
    oneOf(MergeMode.options),
    "How an agent's edits are merged: into the files of the checkout, as a commit as well, not at all (they stay on their branch), or after a question.",
    { fallback: "`apply`" },
  ),
  overlap: setting(
    "worktree.overlap",
    oneOf(["tell", "wait", "refuse", "off"]),
    "What happens when two running agents write to the same file: both are notified, the second waits for the first, the second is refused, or nothing.",
    { fallback: "`tell`" },
  ),
} as const;

/** A command, or an object with more about it. An object in quotes is not a command. Five minutes if it sets no time. */
function worktreeSetup() {
  const command = nonBlank();
  const complete = (setup: Pick<z.infer<typeof whole>, "command">) => ({ timeoutMs: 300_000, ...setup });
  const whole = z.strictObject({
    ...{ command, ready: z.exactOptional(command), timeoutMs: z.exactOptional(inRange(COMMAND_MS, z.int())) },
  });
  const alone = command.check(z.refine((value) => !/^\s*\{\s*"/.test(value)));
  return z.union([
    z.pipe(
      alone,
      z.transform((text: string) => complete({ command: text })),
    ),
    z.pipe(whole, z.transform(complete)),
  ]);
}

/** Relative, with `/`, and neither out of the checkout nor into git's own directory: the file can come with the repository. */
function isDirBelow(name: string): boolean {
  const segments = name.replace(/\/$/, "").split("/");
  const isOwn = (one: string) =>
    one.trim() !== "" && one !== "." && one !== ".." && one.toLowerCase() !== ".git";
  return !/[\\\0]/.test(name) && segments.every(isOwn);
}
