import type { ReplSetup } from "./repl-session.ts";
import type { Terminal } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";
import { wrapText } from "./wrap.ts";

/** What the session starts with: set up anew after a yes, else as it is, with nothing of the folder in force. */
export async function askTrust(
  { dialog, paint, columns }: Terminal,
  setup: ReplSetup,
  setUp: () => Promise<ReplSetup>,
): Promise<ReplSetup> {
  const { trust } = setup;
  const question = trust?.trustQuestion() ?? null;
  if (!trust || question === null) return setup;
  const yes = await dialog(async ({ print, question: ask }) => {
    print(wrapText(visibleText(question.text), columns()).join("\n"));
    for (;;) {
      // It ends with an answer, or with the terminal.
      const line = await ask("trust this folder? y or n › ", new AbortController().signal);
      const word = line?.trim().toLowerCase() ?? "n";
      if (/^(?:y|yes)$/.test(word)) return true;
      if (/^(?:n|no)$/.test(word)) return false;
      print(paint("yellow", "Type y or n, and Enter."));
    }
  });
  if (!yes) return setup;
  await trust.trust();
  return setUp();
}
