import { troupeHome } from "../journal/place.ts";
import { whyNoSessions } from "../journal/usable-home.ts";
import { aliasesFrom } from "../model/aliases.ts";
import { maxAgentsIn, readPersonSettings } from "../policy/settings.ts";
import type { SupervisorOptions } from "../supervisor/options.ts";
import type { Arguments } from "./arguments.ts";
import type { Context } from "./command.ts";
import { existingFolder } from "./folders.ts";
import { chooseModel } from "./model-choice.ts";
import { sessionFlags as flags } from "./session-flags.ts";
import { UsageError } from "./usage-error.ts";

/** What a session is started with, and lines for the person that must be seen before it starts. */
export interface SessionSetup {
  readonly options: SupervisorOptions;
  readonly notes: readonly string[];
}

/**
 * From flags, environment and the person's settings to a session. Throws a `UsageError` on bad input, and an
 * ordinary one where no session can be kept: said once, before any agent starts.
 */
export async function setUpSession(
  args: Arguments,
  { io, runtime }: Context,
  own: { readonly title: string; readonly maxAgents?: number | undefined },
): Promise<SessionSetup> {
  const { env, homedir, clock } = io;
  const cwd = await existingFolder("--cwd", args.value(flags.cwd) ?? ".", io.cwd);
  const additionalDirs = await Promise.all(
    args.value(flags.addDir).map((folder) => existingFolder("--add-dir", folder, io.cwd)),
  );
  const fromEnv = maxAgentsIn(env);
  if ("problem" in fromEnv) throw new UsageError(fromEnv.problem);
  const { settings, warning } = await readPersonSettings(homedir);
  const asked = {
    model: args.value(flags.model),
    offline: args.value(flags.offline),
    settingsModel: settings.model,
  };
  const choice = chooseModel(asked, env, await runtime.checkBaseURL());
  const home = troupeHome(env, homedir);
  const why = whyNoSessions(home);
  if (why !== null) throw new Error(why);
  const maxAgents = own.maxAgents ?? fromEnv.value;
  const maxTurns = args.value(flags.maxTurns);
  const permissionMode = args.value(flags.permissionMode);
  const appendSystemPrompt = args.value(flags.appendSystemPrompt);
  return {
    notes: [warning, choice.note].filter((line) => line !== undefined),
    options: {
      cwd,
      source: choice.source,
      ...(choice.model === undefined ? {} : { model: choice.model }),
      aliases: aliasesFrom(env, settings.aliases),
      additionalDirs,
      ...(permissionMode === undefined ? {} : { permissionMode }),
      allowedTools: args.value(flags.allowedTools),
      disallowedTools: args.value(flags.disallowedTools),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
      limits: {
        ...settings.limits,
        ...(maxAgents === undefined ? {} : { maxAgents }),
        ...(maxTurns === undefined ? {} : { maxTurns }),
      },
      home,
      title: own.title,
      clock,
    },
  };
}
