import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, flag } from "../option.ts";
import { promptJson } from "../result-json.ts";
import { denialSentence, endSentence, resultText } from "../results.ts";
import { type Finished, runSession } from "../run-session.ts";
import { safeLine } from "../safe-text.ts";
import { sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { readStdin } from "../stdin-text.ts";
import { sessionTitle } from "../task-names.ts";
import { UsageError } from "../usage-error.ts";

export const printFlag = flag({
  name: "print",
  short: "p",
  summary: "answer one prompt, then exit; the prompt may come on stdin",
});
const outputFormat = choice({
  name: "output-format",
  choices: ["text", "json"],
  summary: "what goes to stdout: the answer, or one JSON object",
  fallback: "text",
});

/** A pipe that was left open must not be waited for when there is a prompt already. */
const SILENT_MS = 3_000;

/** `troupe -p`: one prompt to the main conversation. */
export const promptCommand: Command = {
  name: "-p",
  usage: ['-p "PROMPT" [flags]', "-p [flags] < FILE"],
  summary: "ask one prompt and print the answer",
  options: [printFlag, outputFormat, ...sessionOptions],
  examples: [
    ['troupe -p "where is the wire format decided?"', "print the answer"],
    ['git diff | troupe -p "review this change"', "what comes on stdin follows the prompt"],
    ['troupe -p "list the entry points" --output-format json', "one JSON object for a script"],
  ],
  run: runPrompt,
};

async function runPrompt(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const prompt = await promptOf(args, context);
  const setup = await setUpSession(args, context, { title: sessionTitle(prompt.text) });
  const notes = [...setup.notes, ...(prompt.note === undefined ? [] : [prompt.note])];
  const job = {
    type: "main",
    description: "main conversation",
    start: (handle, signal) => handle.prompt(prompt.text, signal),
  } satisfies Parameters<typeof runSession>[2][number];
  return runSession(context, { ...setup, notes }, [job], async (finished) => {
    if (args.value(outputFormat) === "json")
      await io.stdout.write(`${JSON.stringify(promptJson(finished))}\n`);
    else await printText(finished, context);
    return finished.ends[0]?.summary.status === "done" ? exitCodes.done : exitCodes.notDone;
  });
}

async function printText({ ends, account }: Finished, { io }: Context): Promise<void> {
  const [end] = ends;
  if (end === undefined) return;
  await io.stdout.write(resultText(end.summary.text, io.stdout));
  for (const sentence of [endSentence(end), denialSentence(account)]) {
    if (sentence !== undefined) await io.stderr.write(`${sentence}\n`);
  }
}

interface Prompt {
  readonly text: string;
  readonly note?: string;
}

/** The argument, followed by what comes on stdin; either alone will do. */
async function promptOf({ positionals }: Arguments, { io }: Context): Promise<Prompt> {
  const [argument, second] = positionals;
  if (second !== undefined) {
    throw new UsageError(
      `-p takes one prompt, but ${positionals.length} arguments were given (the second is "${safeLine(second).slice(0, 60)}"); put the whole prompt in quotes.`,
    );
  }
  const given = argument?.trim() ?? "";
  if (io.stdinIsTTY) return given ? { text: given } : Promise.reject(noPrompt());
  const stdin = await readStdin(io, given ? SILENT_MS : undefined);
  if (stdin.type === "silent") {
    return {
      text: given,
      note: "Nothing came on stdin within 3 s; going on without it (< /dev/null skips the wait).",
    };
  }
  const text = [given, stdin.text.trim()].filter(Boolean).join("\n\n");
  if (text === "") throw noPrompt();
  return { text };
}

function noPrompt(): UsageError {
  return new UsageError('-p needs a prompt: troupe -p "your question", or text on stdin.');
}
