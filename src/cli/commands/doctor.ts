import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON" });
const { cwd, trust } = sessionFlags;

/** `troupe doctor`: what holds commands on this machine, and what is missing for it. */
export const doctorCommand: Command = {
  name: "doctor",
  usage: ["doctor [--json] [flags]"],
  summary: "try what confines commands on this machine, and say what is missing",
  details: [
    "The confinement of commands that only read, and the sandbox if settings switch it on, are tried with a program that attempts what it must not be able to do.",
    "The exit code is 0 if all that settings ask for works here, and 1 if something does not.",
  ],
  options: [json, cwd, trust],
  examples: [["troupe doctor", "what holds commands here"]],
  run: runDoctor,
};

async function runDoctor(args: Arguments, { io }: Context): Promise<number> {
  if (args.positionals.length > 0) throw new UsageError("doctor takes no words; write troupe doctor.");
  const { diagnose } = await import("../doctor.ts");
  const { checks, notes } = await diagnose(io, { cwd: args.value(cwd), trusts: args.value(trust) });
  const fails = checks.some(({ state }) => state === "failing");
  if (args.value(json)) await io.stdout.write(`${JSON.stringify({ checks, notes }, null, 2)}\n`);
  else {
    for (const note of notes) await io.stderr.write(`${safeLine(note)}\n`);
    for (const { name, state, reason } of checks)
      await io.stdout.write(
        `${name.padEnd(12)} ${safeLine(`${state}${reason === "" ? "" : `: ${reason}`}`)}\n`,
      );
  }
  return fails ? exitCodes.notDone : exitCodes.done;
}
