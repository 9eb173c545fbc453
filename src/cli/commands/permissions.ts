import type { Arguments } from "../arguments.ts";
import { paintFor } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, flag, quoted, text } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON" });
const input = text({
  name: "input",
  value: "JSON",
  summary: `the whole input of the tool, such as '{"file_path": "src/a.ts"}'`,
});
const { cwd, addDir, trust, allowedTools, disallowedTools, permissionMode } = sessionFlags;
const mode = choice({
  name: "mode",
  aliases: ["permission-mode"],
  choices: ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"],
  also: { bypass: "bypassPermissions" },
  summary: permissionMode.summary,
  fallback: "that of your settings, else default",
});

/** `troupe permissions`: what would happen to a call, and why, without making it (A6.9). */
export const permissionsCommand: Command = {
  name: "permissions",
  usage: [
    "permissions explain 'TOOL(INPUT)' [flags]",
    "permissions explain TOOL --input JSON",
    "permissions list [flags]",
  ],
  summary: "explain whether a call would be allowed, and list the rules in force",
  details: [
    "A call is written as Bash(COMMAND), Read(PATH), Edit(PATH), Write(PATH), WebFetch(URL), Agent(TYPE), or a tool's name with --input.",
    "explain ends with exit code 0 where the call would run without a question, and 1 where it would be asked about or refused.",
    "Nothing is run: neither the call, nor hooks, nor the sandbox.",
  ],
  options: [mode, input, json, cwd, addDir, trust, allowedTools, disallowedTools],
  examples: [
    ["troupe permissions explain 'Bash(npm test && git push)'", "each part with its decision"],
    ["troupe permissions explain 'Edit(.git/config)' --mode acceptEdits", "in another mode"],
    ["troupe permissions list", "the rules in force, with their files"],
  ],
  run: runPermissions,
};

async function runPermissions(args: Arguments, context: Context): Promise<number> {
  const [action, call, ...more] = args.positionals;
  switch (action) {
    case "explain":
      if (call === undefined || more.length > 0)
        throw new UsageError(
          "explain takes one call, in quotes: troupe permissions explain 'Bash(git push)'.",
        );
      return runExplain(call, args, context);
    case "list":
      if (call !== undefined) throw new UsageError("Write it as troupe permissions list.");
      return runList(args, context);
    default:
      throw new UsageError(
        action === undefined
          ? "permissions needs to know what to do: permissions explain 'Bash(git push)', or permissions list."
          : `permissions cannot ${quoted(action)}; it can explain and list.`,
      );
  }
}

async function runExplain(words: string, args: Arguments, { io }: Context): Promise<number> {
  const { askedCall, patternNote } = await import("../permissions/call.ts");
  const { explain } = await import("../permissions/explain.ts");
  const { callWords, explanationText } = await import("../permissions/format.ts");
  const call = askedCall(words, args.value(input));
  const found = await standingOf(args, io);
  const explanation = explain(call, found);
  if (args.value(json)) {
    const { decision, tier, reason, rule, parts, grants, besides } = explanation;
    const answer = {
      ...{ tool: call.tool, input: call.input, decision, reason, rule: rule ?? null, parts, grants, besides },
      ...(tier === undefined ? {} : { tier }),
      ...{ mode: found.mode, workspace: found.workspace, problems: found.problems, notes: found.notes },
    };
    await io.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  } else {
    const note = patternNote(call);
    for (const line of [...found.notes, ...found.problems, ...(note === null ? [] : [note])])
      await io.stderr.write(`${safeLine(line)}\n`);
    await io.stdout.write(explanationText(callWords(call), explanation, found, paintFor(io.stdout, io.env)));
  }
  return explanation.decision === "allow" ? exitCodes.done : exitCodes.notDone;
}

async function runList(args: Arguments, { io }: Context): Promise<number> {
  const { standingText } = await import("../permissions/format.ts");
  const found = await standingOf(args, io);
  const { mode, workspace, rules, problems, notes } = found;
  if (args.value(json)) {
    await io.stdout.write(`${JSON.stringify({ mode, workspace, rules, problems, notes }, null, 2)}\n`);
    return exitCodes.done;
  }
  for (const note of notes) await io.stderr.write(`${safeLine(note)}\n`);
  await io.stdout.write(standingText(found, paintFor(io.stdout, io.env)));
  return exitCodes.done;
}

/** Loaded when it is asked for: no other command needs the engine on this thread. */
async function standingOf(args: Arguments, io: Context["io"]) {
  const { activeRules } = await import("../permissions/active-rules.ts");
  return activeRules(
    {
      cwd: args.value(cwd),
      addDir: args.value(addDir),
      mode: args.value(mode),
      trusts: args.value(trust),
      allowedTools: args.value(allowedTools),
      disallowedTools: args.value(disallowedTools),
    },
    io,
  );
}
