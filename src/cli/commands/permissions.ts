import { paintFor } from "../../terminal/colour.ts";
import type { Arguments } from "../arguments.ts";
import { type Context, withSubcommands } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { text } from "../option.ts";
import { printJson, printNotes } from "../print.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

const input = text({
  name: "input",
  value: "JSON",
  summary: `the whole input of the tool, such as '{"file_path": "src/a.ts"}'`,
});
const { cwd, addDir, trust, allowedTools, disallowedTools, permissionMode, pluginDir } = sessionFlags;
const mode = {
  ...permissionMode,
  ...{ name: "mode", aliases: [permissionMode.name], fallback: "that of your settings, else default" },
};
const options = [mode, jsonFlag, cwd, addDir, trust, allowedTools, disallowedTools, pluginDir];

/** `troupe permissions`: what would happen to a call, and why, without making it (A6.9). */
export const permissionsCommand = withSubcommands({
  name: "permissions",
  summary: "explain whether a call would be allowed, and list the rules in force",
  details: [
    "TOOL(INPUT) is a call in quotes: Bash(COMMAND), Read(PATH), Edit(PATH), Write(PATH), WebFetch(URL), Agent(TYPE), or a tool's name with --input.",
    "explain ends with exit code 0 if the call would run without a question, and 1 if it would be asked about or refused.",
    "Nothing is run: neither the call, nor hooks, nor the sandbox.",
  ],
  options: [],
  subcommands: {
    explain: {
      takes: "'TOOL(INPUT)'",
      options: [input, ...options],
      run: ([call = ""], args, context) => explainCall(call, args, context),
    },
    list: { options, run: (_, args, context) => listRules(args, context) },
  },
  examples: [
    ["troupe permissions explain 'Bash(npm test && git push)'", "each part with its decision"],
    ["troupe permissions explain 'Edit(.git/config)' --mode acceptEdits", "in another mode"],
    ["troupe permissions list", "the rules in force, with their files"],
  ],
});

async function explainCall(words: string, args: Arguments, { io }: Context): Promise<number> {
  const { explain } = await import("../permissions/explain.ts");
  const { parseCall, patternNote } = await import("../permissions/explain.ts");
  const { explanationText } = await import("../permissions/format.ts");
  const call = parseCall(words, args.value(input));
  const active = await readRules(args, io);
  const explanation = explain(call, active);
  const { decision, tier, reason, rule, parts, grants, besides } = explanation;
  if (args.value(jsonFlag))
    await printJson(io, {
      ...{ tool: call.tool, input: call.input, decision, reason, rule: rule ?? null, parts, grants, besides },
      ...(tier === undefined ? {} : { tier }),
      ...{ mode: active.mode, workspace: active.workspace, problems: active.problems, notes: active.notes },
    });
  else {
    await printNotes(io, [...active.notes, ...active.problems, patternNote(call)]);
    await io.stdout.write(explanationText(call, explanation, active, paintFor(io.stdout, io.env)));
  }
  return decision === "allow" ? exitCodes.done : exitCodes.notDone;
}

async function listRules(args: Arguments, { io }: Context): Promise<number> {
  const { rulesText } = await import("../permissions/format.ts");
  const active = await readRules(args, io);
  const { mode, workspace, rules, problems, notes } = active;
  if (args.value(jsonFlag)) await printJson(io, { mode, workspace, rules, problems, notes });
  else {
    await printNotes(io, notes);
    await io.stdout.write(rulesText(active, paintFor(io.stdout, io.env)));
  }
  return exitCodes.done;
}

/** Loaded when it is needed: no other command uses the engine on this thread. */
async function readRules(args: Arguments, io: Context["io"]) {
  const { activeRules } = await import("../permissions/active-rules.ts");
  return activeRules(args, args.value(mode), io);
}
