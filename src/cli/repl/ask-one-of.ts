import { type Choices, chosenKey } from "../../terminal/dialogs/choice-form.ts";
import type { Dialog, Terminal } from "./terminal.ts";

const WHOLE_WORDS: Readonly<Record<string, string>> = { yes: "y", no: "n", all: "a" };

/** Asks until one of the answers is chosen, and resolves to its key, or to null if the user or the terminal goes. */
export async function askOneOf(
  { paint }: Pick<Terminal, "paint">,
  { print, question }: Dialog,
  { prompt, signal = new AbortController().signal, ...choices }: Choices & AskedWith,
): Promise<string | null> {
  const keys = choices.answers.map(({ key }) => key);
  const isNumbered = keys[0] === "1";
  const offered = isNumbered
    ? `a number from 1 to ${keys.length}`
    : `${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}`;
  for (;;) {
    const line = await question(prompt, signal, choices);
    if (line === null) return null;
    const word = chosenKey(line, choices).trim().toLowerCase();
    const key = WHOLE_WORDS[word] ?? word;
    if (keys.includes(key) || key === choices.escape) return key;
    print(paint("yellow", `Type ${offered}, and Enter.`));
  }
}

interface AskedWith {
  readonly prompt: string;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}
