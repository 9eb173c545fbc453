import type { AgentView } from "../../events/event.ts";
import { noUsage } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { JsonSchema, Summary } from "../../mailbox/messages.ts";
import { noReceipts } from "../../mailbox/turns.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { agentName } from "../agent-text.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { type Job, type JobEnd, MAIN_JOB, promptJob } from "../jobs.ts";
import { choice, duration, flag, text } from "../option.ts";
import { printNotes } from "../print.ts";
import { rootRefusal } from "../process-io.ts";
import { readFlagObject, readStdin } from "../read-input.ts";
import { promptJson } from "../result-json.ts";
import { endSentence, formatResultText, lastEnd, printRefusals, unfinishedSentence } from "../results.ts";
import { runSession, type SessionEnd } from "../run-session.ts";
import {
  limitPatience,
  mainOptions,
  permissionPromptTool,
  resumeOptions,
  STDIO,
  sessionOptions,
  wantedSession,
} from "../session-flags.ts";
import type { SessionSettings } from "../session-settings.ts";
import type { SessionSetup } from "../session-setup.ts";
import { limitStart, setUpSessionOrResume } from "../setup-or-resume.ts";
import { whyNotCalled } from "../skills.ts";
import { unfinishedText } from "../unfinished.ts";
import { sessionTitle } from "../user-text.ts";

export const printFlag = flag({
  name: "print",
  short: "p",
  summary: "answer one prompt, then exit; the prompt may come on stdin",
});
const outputFormat = choice({
  name: "output-format",
  choices: ["text", "json", "stream-json"],
  summary: "what goes to stdout: the answer, one JSON object, or one per event",
  fallback: "text",
});
const inputFormat = choice({
  name: "input-format",
  choices: ["text", "stream-json"],
  summary: "what comes on stdin: a prompt, or lines of JSON",
  fallback: "text",
});
const partialMessages = flag({
  name: "include-partial-messages",
  summary: "with stream-json: pieces of the reply as it is written",
});
const jsonSchema = text({
  name: "json-schema",
  value: "JSON|FILE",
  summary: "what the answer must be: a JSON Schema that it is checked against",
});
const verbose = flag({
  name: "verbose",
  summary: "for scripts that give it; stream-json is complete without it",
});
const backgroundTimeout = duration({
  name: "background-timeout",
  value: "TIME",
  summary: "how long to wait for background work, such as 10m",
  fallback: "until it ends",
});

/** Flags of `-p` only. */
export const promptOptions = [
  ...[outputFormat, inputFormat, jsonSchema, partialMessages, verbose],
  ...[backgroundTimeout, limitPatience, permissionPromptTool],
];

/** A pipe that was left open is not awaited if there is a prompt already. */
const SILENT_MS = 3_000;

/** `troupe -p`: one prompt to the main conversation. */
export const promptCommand: Command = {
  name: "-p",
  usage: ['-p "PROMPT" [flags]', "-p [flags] < FILE", '-p --continue|--resume ID ["PROMPT"] [flags]'],
  summary: "ask one prompt and print the answer",
  options: [printFlag, ...resumeOptions, ...promptOptions, ...mainOptions, ...sessionOptions],
  examples: [
    ['troupe -p "where is the wire format decided?"', "print the answer"],
    ['git diff | troupe -p "review this change"', "what comes on stdin follows the prompt"],
    ['troupe -p "list the entry points" --output-format json', "one JSON object for a script"],
    ['troupe -p --continue "and the tests?"', "one more prompt in the newest conversation"],
    ["troupe -p --resume 3fk2", "finish what was cut off"],
  ],
  run: runPrompt,
};

/** Sends one prompt, or finishes what was cut off if a session is resumed without one. */
export async function runPrompt(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const format = args.value(outputFormat) ?? "text";
  const readsLines = args.value(inputFormat) === "stream-json";
  checkFormats(args, format, readsLines);
  if (readsLines && args.positionals.length > 0)
    throw new UsageError(
      "With --input-format stream-json prompts come on stdin; leave out the one after -p.",
    );
  const outputSchema = await schemaOf(args, context);
  const prompt = readsLines ? { text: "" } : await promptOf(args, context, wantedSession(args) !== null);
  const setup = await limitStart(
    io,
    setUpSessionOrResume(args, context, { title: sessionTitle(prompt.text) }),
  );
  const problem = await whyNotCalled([prompt.text], setup.options);
  if (problem !== null) {
    setup.options.resume?.release();
    throw new UsageError(problem);
  }
  const notes = [...setup.notes, ...("note" in prompt ? [prompt.note] : [])];
  const stream = format === "stream-json" ? await openStream(args, context, setup) : null;
  const asksProgram = stream !== null && args.value(permissionPromptTool) === STDIO;
  const options = {
    ...setup.options,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(asksProgram ? { person: stream.user } : {}),
  };
  return runSession(
    context,
    { ...setup, options, notes },
    {
      jobs(session, note) {
        stream?.begin(session);
        if (stream !== null && readsLines) return [stream.job];
        if (prompt.text !== "") return [promptJob(prompt.text)];
        return [resumeJob(session, note, setup.options.resume?.ended ?? false)];
      },
      ...(stream === null ? {} : { onEvent: stream.onEvent }),
      backgroundMs: args.value(backgroundTimeout) ?? timeoutInSettings(setup.settings),
      async report(finished) {
        if (stream !== null) await stream.end(finished);
        else if (format === "json") await io.stdout.write(`${JSON.stringify(promptJson(finished))}\n`);
        else await io.stdout.write(formatResultText(answerText(lastEnd(finished)?.summary), io.stdout));
        await printNotes(io, notesOn(finished, args, io.clock.now()));
        await printRefusals(io, finished.account);
        return lastEnd(finished)?.summary.status === "done" ? exitCodes.done : exitCodes.notDone;
      },
    },
  );
}

async function schemaOf(args: Arguments, { io }: Context): Promise<JsonSchema | undefined> {
  const given = args.value(jsonSchema);
  if (given === undefined) return undefined;
  if (wantedSession(args) !== null)
    throw new UsageError(
      "--json-schema is for a new conversation; one that is resumed keeps what its answers must be. Leave it out.",
    );
  const schema = await readFlagObject("--json-schema", given, io.cwd, "an object, which is a JSON Schema");
  const { outputSchemaFault } = await import("../../context/agents/check-problem.ts");
  const fault = outputSchemaFault(schema);
  if (fault !== null) throw new UsageError(`--json-schema: the schema ${fault}.`);
  return { ...schema };
}

/** Data is printed without what a model writes around it. */
function answerText(summary: Summary | undefined): string {
  return summary?.output === undefined ? (summary?.text ?? "") : JSON.stringify(summary.output, null, 2);
}

/** Only a program that reads lines of JSON can write them. */
function checkFormats(args: Arguments, format: string, readsLines: boolean): void {
  if (format === "stream-json" && (readsLines || args.value(permissionPromptTool) !== STDIO)) return;
  if (args.value(partialMessages))
    throw new UsageError("--include-partial-messages needs --output-format stream-json.");
  if (readsLines) throw new UsageError("--input-format stream-json needs --output-format stream-json.");
  if (args.value(permissionPromptTool) === STDIO)
    throw new UsageError(
      "--permission-prompt-tool stdio needs --input-format stream-json and --output-format stream-json.",
    );
}

/** Loaded only by those who ask for it. */
async function openStream(args: Arguments, { io }: Context, { options }: SessionSetup) {
  const { openJsonStream } = await import("../stream-json/json-stream.ts");
  return openJsonStream({
    ...{ io, partial: args.value(partialMessages) },
    whyNot: (mode) => options.whyNotMode?.(mode) ?? rootRefusal(mode, io),
    note: (line) => void io.stderr.write(`${safeLine(line)}\n`),
  });
}

/** 0 minutes mean no limit. */
function timeoutInSettings({ read }: SessionSettings): number | undefined {
  const { backgroundMinutes = 0 } = read.settings.limits;
  return backgroundMinutes === 0 ? undefined : backgroundMinutes * 60_000;
}

/** Throws if nothing was cut off and the session was closed: then its result was printed before. */
function resumeJob(session: SupervisorHandle, note: (line: string) => void, ended: boolean): Job {
  const who = unfinishedText(session.unfinished());
  if (who === null && (ended || session.tree().length === 0)) {
    throw new UsageError(
      `Nothing in session ${session.session} was cut off, and there is no prompt: troupe -p --resume ${session.session} "your question".`,
    );
  }
  note(
    who === null
      ? `Session ${session.session} was killed after its work was done; this is its recorded result.`
      : `Resuming session ${session.session}: ${who} cut off.`,
  );
  return {
    ...MAIN_JOB,
    start: async (handle, signal) => (await handle.resumeUnfinished(signal)) ?? withoutMain(handle.tree()),
  };
}

/** A fan-out has no main conversation: the result is all its reports, since none was printed. */
function withoutMain(views: readonly AgentView[]): JobEnd {
  const own = views.filter(({ id, parent }) => parent === null && id !== MAIN);
  const text = own.map((view) => `## ${agentName(view)}\n\n${view.summary?.text ?? ""}`).join("\n\n");
  const status = own.every(({ summary }) => summary?.status === "done") ? "done" : "partial";
  const summary = { status, text, turns: 0, usage: noUsage, receipts: noReceipts } as const;
  return { ...MAIN_JOB, id: null, summary, durationMs: 0 };
}

/** What the user should know in addition to the answer; JSON has most of it. */
function notesOn(finished: SessionEnd, args: Arguments, now: number): readonly (string | undefined)[] {
  const end = lastEnd(finished);
  const isText = (args.value(outputFormat) ?? "text") === "text";
  const inText = isText && end !== undefined ? [endSentence(end)] : [];
  return [...inText, unfinishedSentence(finished, now)];
}

interface Prompt {
  /** Empty if a session is resumed as it is. */
  readonly text: string;
  readonly note?: string;
}

/** The argument, followed by what comes on stdin; one is enough, and a resumed session needs neither. */
async function promptOf({ positionals }: Arguments, { io }: Context, mayBeEmpty: boolean): Promise<Prompt> {
  const [argument, second] = positionals;
  if (second !== undefined) {
    throw new UsageError(
      `-p takes one prompt, but ${positionals.length} arguments were given (the second is "${safeLine(second).slice(0, 60)}"); put the whole prompt in quotes.`,
    );
  }
  const given = argument?.trim() ?? "";
  const enough = given !== "" || mayBeEmpty;
  if (io.stdinIsTTY) return enough ? { text: given } : Promise.reject(noPrompt());
  const stdin = await readStdin(io, enough ? SILENT_MS : undefined);
  if (stdin === null) {
    return {
      text: given,
      note: "Nothing came on stdin within 3 s, so it is ignored (< /dev/null skips the wait).",
    };
  }
  const text = [given, stdin.trim()].filter(Boolean).join("\n\n");
  if (text === "" && !mayBeEmpty) throw noPrompt();
  return { text };
}

function noPrompt(): UsageError {
  return new UsageError('-p needs a prompt: troupe -p "your question", or text on stdin.');
}
