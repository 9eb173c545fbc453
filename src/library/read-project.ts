import { parseArguments } from "../cli/arguments.ts";
import { processIO } from "../cli/process-io.ts";
import { lazyRuntime } from "../cli/runtime.ts";
import { sessionFlags } from "../cli/session-flags.ts";
import { setUpSession } from "../cli/session-setup.ts";
import type { RunnersOptions } from "../features/runners/index.ts";
import { given } from "../lib/json.ts";
import type { UserHandler } from "../policy/user-requests.ts";
import type { SupervisorOptions } from "../session/options.ts";
import type { ResumableSession } from "../session/resume-session.ts";
import type { PermissionMode } from "../settings/permissions.ts";
import type { CustomTool } from "../tools/define-tool.ts";

/** What a program adds to a project's settings. They are the command line's flags of the same meaning, with its rules. */
export interface ProjectOptions {
  /** Counts the directory's own settings, agents and servers although no user has trusted it (default false). */
  readonly trust?: boolean;
  /** Alias or full ID. */
  readonly model?: string;
  /** Uses the offline model even if there is a key. */
  readonly offline?: boolean;
  readonly permissionMode?: PermissionMode;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Dollars for the whole session. */
  readonly maxBudgetUsd?: number;
  /** Absent: no user is there, and what would be a question is refused. */
  readonly permissionHandler?: UserHandler;
  readonly tools?: readonly CustomTool[];
  /** Other machines on which agents can run (default: those of the settings). */
  readonly runners?: Pick<RunnersOptions, "pool"> & Partial<Pick<RunnersOptions, "engine">>;
  readonly title?: string;
  readonly resume?: ResumableSession;
}

/** Reads a project as the command line does. Rejects with one sentence if its settings or the options cannot be used. */
export async function readProject(
  cwd: string,
  options: ProjectOptions,
): Promise<{ readonly project: SupervisorOptions; readonly notes: string[] }> {
  const { permissionHandler, tools, title, resume } = options;
  const args = parseArguments([`--cwd=${cwd}`, ...flagsOf(options)], Object.values(sessionFlags));
  const io = processIO(process.cwd());
  const context = { io, runtime: lazyRuntime, startedAt: io.clock.now() };
  const setup = await setUpSession(args, context, {
    ...given({ title, resume }),
  });
  return {
    project: {
      ...setup.options,
      ...given({ person: permissionHandler, tools }),
    },
    notes: [...setup.notes],
  };
}

function flagsOf({
  trust,
  model,
  offline,
  permissionMode,
  allowedTools,
  disallowedTools,
  maxBudgetUsd,
  runners,
}: ProjectOptions): string[] {
  const flag = ({ name }: { readonly name: string }, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name}=${value}`];
  const { allowedTools: allowed, disallowedTools: disallowed } = sessionFlags;
  return [
    ...(trust ? [`--${sessionFlags.trust.name}`] : []),
    ...(offline ? [`--${sessionFlags.offline.name}`] : []),
    ...flag(sessionFlags.model, model),
    ...flag(sessionFlags.permissionMode, permissionMode),
    ...(allowedTools ?? []).flatMap((rule) => flag(allowed, rule)),
    ...(disallowedTools ?? []).flatMap((rule) => flag(disallowed, rule)),
    ...flag(sessionFlags.maxBudgetUsd, maxBudgetUsd),
    ...flag(sessionFlags.engine, runners?.engine),
    ...flag(sessionFlags.runners, runners?.pool),
  ];
}
