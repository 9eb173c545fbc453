import type { Trigger } from "../../mailbox/compacted.ts";

/** Why a summary is asked for: the person may want one whatever the size. */
const WHY: Readonly<Record<Trigger, string>> = {
  auto: "The context window is nearly full.",
  manual: "The person wants this conversation to be made shorter.",
};

/** Why the conversation is not there any more, as the model will find it. */
const WHY_GONE: Readonly<Record<Trigger, string>> = {
  auto: "The conversation up to here did not fit into the context window any more.",
  manual: "The person had the conversation up to here made shorter.",
};

/** What the model is asked for in place of its next step. `wanted`: the person's and the hooks' words to it. */
export function summaryRequest(wanted: string, trigger: Trigger): string {
  const more = wanted.trim();
  return `<system-reminder>
${WHY[trigger]} Everything above will be taken out and replaced by what you write now, except for the task, what the person said, and the newest turns, which stay as they are. You will go on from your own words, and know nothing else of what came before. Call no tool and do not go on with the work in this reply: write only the notes, complete in themselves, as short as they can be without losing what is needed.

Write under these headings, leaving out one that would be empty:
1. Task: what is to be done and what the result must be like, with every condition that was set, also those of an earlier summary.
2. Done: what has been done and found out, each with its evidence; what was tried and did not work, so that it is not tried again.
3. Decisions: what was decided and why; what was ruled out.
4. Files: every file that matters, by its absolute path, with what is in it (names of functions, line numbers) and what was changed.
5. Commands and errors: exact commands that are still needed and how they ended; error messages word for word, if they are not solved.
6. Open: what is left, in order, and what you were about to do next.

Names, paths, numbers, identifiers and messages are copied exactly. Nothing is claimed that does not stand above.${more === "" ? "" : `\n\nFor this summary you were also told:\n${more}`}
</system-reminder>`;
}

/** The summary as the model will find it. Marked like the runtime's other words: nobody said it. */
export function summaryText(summary: string, trigger: Trigger): string {
  return `<system-reminder>
${WHY_GONE[trigger]} These are your own notes of it; the task above stands as it was given, and the newest turns follow as they were. Results that are not here any more can be had again: read the file or make the call once more.

${summary.trim()}
</system-reminder>`;
}

export const WORDS_SINCE =
  "<system-reminder>\nWhat was said to you since the task was given, word for word:\n</system-reminder>";
