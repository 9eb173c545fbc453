import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printNotes, tableLines } from "../print.ts";
import { safeLine } from "../safe-text.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

/** `troupe doctor`: what confines commands on this machine, and what is missing for it. */
export const doctorCommand: Command = {
  name: "doctor",
  usage: ["doctor [--json] [flags]"],
  takes: "",
  summary: "try what confines commands on this machine, and say what is missing",
  details: [
    "The confinement of commands that only read, and the sandbox if settings switch it on, are tried with a program that attempts what it must not be able to do.",
    "The exit code is 0 if all that settings ask for works here, and 1 if something does not.",
  ],
  options: [jsonFlag, sessionFlags.cwd, sessionFlags.trust],
  examples: [["troupe doctor", "what confines commands here"]],
  run: runDoctor,
};

async function runDoctor(args: Arguments, { io }: Context): Promise<number> {
  const { diagnose } = await import("../doctor.ts");
  const { checks, notes } = await diagnose(args, io);
  if (args.value(jsonFlag)) await printJson(io, { checks, notes });
  else {
    await printNotes(io, notes);
    const rows = checks.map(({ name, state, reason }) => [
      name,
      safeLine(reason === "" ? state : `${state}: ${reason}`),
    ]);
    await io.stdout.write(`${tableLines(rows).join("\n")}\n`);
  }
  return checks.some(({ state }) => state === "failing") ? exitCodes.notDone : exitCodes.done;
}
