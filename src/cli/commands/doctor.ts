import { type Paint, paintFor } from "../../terminal/colour.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import type { DoctorCheck } from "../doctor/check.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson } from "../print.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

/** `troupe doctor`: what works here, what does not, and what to do about it. */
export const doctorCommand: Command = {
  name: "doctor",
  usage: ["doctor [--json] [flags]"],
  takes: "",
  summary: "check this machine, the model, settings and servers, and say what to do",
  details: [
    "It looks at Node, git and ripgrep, the confinement of commands and the sandbox, the terminal, settings, trust, hooks and plug-ins.",
    "If a key or a server is set, it sends the model one request for one token, which costs next to nothing; --offline sends none.",
    "MCP servers are started, asked for their tools and ended. Nothing of a directory that is not trusted is started.",
    "The exit code is 1 if something is wrong, and 0 if there are only warnings.",
  ],
  options: [
    jsonFlag,
    sessionFlags.cwd,
    sessionFlags.trust,
    sessionFlags.model,
    sessionFlags.offline,
    sessionFlags.pluginDir,
  ],
  examples: [
    ["troupe doctor", "what works here, and what does not"],
    ["troupe doctor --offline --json", "the same for a script, without a request to the model"],
  ],
  run: runDoctor,
};

async function runDoctor(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { diagnose } = await import("../doctor/diagnose.ts");
  const isJson = args.value(jsonFlag);
  const checks = await diagnose(args, context, isJson);
  const isWrong = checks.some(({ state }) => state === "wrong");
  if (isJson) await printJson(io, { ok: !isWrong, checks });
  else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const paint = paintFor(io.stdout, io.env);
    await io.stdout.write(checks.flatMap((check) => linesOf(check, width, paint)).join(""));
  }
  return isWrong ? exitCodes.notDone : exitCodes.done;
}

const MARKS = {
  ok: ["green", "ok     "],
  warning: ["yellow", "warning"],
  wrong: ["red", "wrong  "],
} as const;

function linesOf(
  { name, state, text, todo, lines = [] }: DoctorCheck,
  width: number,
  paint: Paint,
): string[] {
  const [colour, mark] = MARKS[state];
  const lead = " ".repeat(mark.length + width + 4);
  // The spaces before a line show what it belongs to.
  const more = lines.map((line) => `${lead}${/^ */.exec(line)?.[0] ?? ""}${safeLine(line)}\n`);
  return [
    `${paint(colour, mark)}  ${name.padEnd(width)}  ${safeLine(text)}\n`,
    ...more,
    ...(todo === undefined ? [] : [`${lead}→ ${safeLine(todo)}\n`]),
  ];
}
