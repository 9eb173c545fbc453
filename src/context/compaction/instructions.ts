import type { Trigger } from "../../mailbox/compacted.ts";

/** Why a summary is requested. */
const WHY: Readonly<Record<Trigger, string>> = {
  auto: "The context window is nearly full.",
  manual: "The user wants this conversation to be compacted.",
};

/** Why the conversation was removed, for the model. */
const WHY_GONE: Readonly<Record<Trigger, string>> = {
  auto: "The conversation up to here no longer fit into the context window.",
  manual: "The user had the conversation up to here compacted.",
};

/** Returns the request to the model in place of its next step. `wanted`: instructions of the user and of hooks. */
export function summaryRequest(wanted: string, trigger: Trigger): string {
  const more = wanted.trim();
  return `<system-reminder>
${WHY[trigger]} Everything above will be removed and replaced by what you write now, except for the task, the messages of the user, and the newest turns, which stay as they are. You will continue from your notes and know nothing else of what came before. Call no tool and do no other work in this reply: write only the notes, complete in themselves, and as short as possible without losing what is needed.

Write under these headings, leaving out one that would be empty:
1. Task: what to do and what the result must be like, with every condition that was set, including those of an earlier summary.
2. Done: what has been done and found, each with its evidence; what was tried and did not work, so that it is not tried again.
3. Decisions: what was decided and why; what was ruled out.
4. Files: every file that matters, by its absolute path, with what is in it (names of functions, line numbers) and what was changed.
5. Commands and errors: exact commands that are still needed and how they ended; error messages verbatim, if they are not solved.
6. Open: what is left, in order, and what you were about to do next.

Copy names, paths, numbers, identifiers and messages exactly. Claim nothing that is not above.${more === "" ? "" : `\n\nMore instructions for this summary:\n${more}`}
</system-reminder>`;
}

/** Returns the summary as the model will see it, marked as text of the runtime. */
export function summaryText(summary: string, trigger: Trigger): string {
  return `<system-reminder>
${WHY_GONE[trigger]} These are your own notes of it; the task above is unchanged, and the newest turns follow unchanged. To see a result that was removed, read the file or make the call again.

${summary.trim()}
</system-reminder>`;
}

export const WORDS_SINCE =
  "<system-reminder>\nThe messages to you since the task was given, verbatim:\n</system-reminder>";
