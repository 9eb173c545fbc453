import type { CommandLimits } from "../mailbox/messages.ts";
import { MAX_OUTPUT_CHARS } from "./command-output.ts";
import { naming, type ToolPrompt } from "./tool.ts";

/** A longer sleep in the foreground is advised against, in the prompt and in the result (A4.4). */
export const LONGEST_SLEEP_SECONDS = 5;

/** Tools that are better than a command (A4.2). */
const instead = [
  naming`- Find files by name: ${"Glob"}, not find or ls.`,
  naming`- Search in files: ${"Grep"}, not grep or rg.`,
  naming`- Look at a file: ${"Read"}, not cat, head or tail.`,
  naming`- Change a file: ${"Edit"}, not sed or awk.`,
  naming`- Write a file: ${"Write"}, not echo > or a heredoc.`,
  "- Tell the user something: the text of your reply, not echo or printf.",
];

/** A4.3. */
const several = [
  "Several commands:",
  "- Commands that do not depend on each other are separate calls in one reply: they run at the same time.",
  "- Commands that depend on each other are one call, joined by &&.",
  "- Use ; only if an earlier failure does not matter.",
  "- Never separate commands by line breaks; a line break inside a quoted text is fine.",
];

/** A4.4. */
const sleeping = [
  "Waiting:",
  "- Do not sleep between commands that can run right away; run them.",
  "- For a command that takes long use run_in_background: you are notified when it ends, so no sleep is needed.",
  "- Do not repeat a failing command in a loop with sleep; find out why it fails.",
  naming`- Do not poll what runs in the background: ${"TaskOutput"} waits for its end, ${"Monitor"} notifies you of new lines.`,
  `- If you must sleep, then for 1-${LONGEST_SLEEP_SECONDS} seconds.`,
];

/** A4.5. */
const git = [
  "Git:",
  "- Never change git's configuration.",
  "- Nothing that destroys work (push --force, reset --hard, checkout ., restore ., clean -f, branch -D) unless the user asked for exactly that; look for a harmless way first.",
  "- Never skip hooks or signatures (--no-verify, --no-gpg-sign) unless the user asked for it.",
  "- Never force-push to main or master; if the user asks for it, warn first.",
  "- Make a new commit and do not amend one, unless the user asked for that: when a hook fails, no commit was made, and amending would change the one before.",
  "- Stage files by their names; git add -A and git add . take in secrets and large files unseen.",
  "- Never commit unless the user asked for it.",
];

/** At most 1,500 characters together. */
export const commitWorkflow = [
  "A commit that the user asked for:",
  "- In one reply, look at git status, git diff HEAD and git log -5 --oneline.",
  "- Word the message in the style of that log: one line that says why, a body only if it needs one. Leave out files with secrets, and say so.",
  "- In one call, add the files by their names and commit with the message from a heredoc: git add a.ts b.ts && git commit -F - <<'EOF' … EOF. Then look at git status.",
  "- When a hook fails, there is no commit: correct the cause, add the files again and make a new commit. When a hook changed files, add those, too.",
  "- Do not push unless the user asked for it.",
  "A pull request that the user asked for:",
  "- In one reply, look at git status, at git log and git diff of BASE...HEAD (all commits since the base, not only the last), and whether the branch follows a remote one.",
  '- Push with -u if the remote does not have the branch, then gh pr create --title "…" --body "$(cat <<\'EOF\' … EOF)": what changes and why, and how it was tested, over all of its commits.',
  "- End your reply with the address that gh prints.",
];

/** The Bash tool's description. Nothing in it differs between machines, people or sessions (A4.7). */
export function bashPrompt({ usual, most }: CommandLimits): ToolPrompt {
  return {
    what: "Runs a command in a shell and returns what it printed and its exit code. The working directory persists between calls; variables, functions and aliases do not, because each call starts a new shell without profiles.",
    when: "for what only a shell can do: builds, tests, linters, package managers, git, starting a program.",
    whenNot: ["if a tool or your reply does it better:", ...instead],
    how: [
      "command is the whole command; put paths with spaces in double quotes. Prefer absolute paths to cd.",
      `description says in five to ten words what the command does. timeout is in milliseconds. run_in_background: true returns immediately with an id; do not add & yourself.`,
      naming`The id is for ${"TaskOutput"} and ${"TaskStop"}.`,
      ...several,
      ...sleeping,
      ...git,
      ...commitWorkflow,
    ],
    recover:
      "an exit code other than 0 is a result: read what was printed, correct the command or the cause, and do not send the same command again. After a timeout, ask for more time or use run_in_background.",
    limits: [
      `${minutes(usual)} unless timeout says otherwise, ${minutes(most)} (${most} ms) at most; then the command and all it started are ended. Output over ${MAX_OUTPUT_CHARS} characters is cut with a mark, and all of it is in a file that the result names.`,
      naming`${"Read"} shows that file part by part.`,
      "stdin is closed, so use no command that asks or opens an editor (git rebase -i, git add -i). Whatever a command started ends with you at the latest.",
    ],
  };
}

function minutes(ms: number): string {
  return `${ms / 60_000} minutes`;
}
