import * as z from "zod/mini";
import { NOT_IN_PROJECT } from "./limit-settings.ts";
import { oneOf, rooted, setting, textSetting, wholeSetting } from "./setting.ts";

/** In words, after "must be". */
export const REMOTE_ADDRESS =
  "https://HOST/PATH, ssh://HOST/PATH, USER@HOST:PATH or an absolute path, without a password (git has its own credentials)";

/** True for an address over which files may travel: `ext::` would run a program, `http` and `git` do not authenticate the server. */
export function isRemoteAddress(text: string): boolean {
  if (/^(?:https|ssh|file):\/\/\S+$/.test(text)) return URL.canParse(text) && new URL(text).password === "";
  return /^\/[^\0\n]+$/.test(text) || /^[\w.-]+@[\w.-]+:[^\s:]\S*$/.test(text);
}

/** The settings of runners: other machines on which agents can run. */
export const runnersSettings = {
  engine: setting(
    "troupe.runners.engine",
    {
      what: "redis://HOST, rediss://HOST, postgres://HOST/DATABASE or ssh://HOST",
      schema: z.string().check(z.refine(isEngineAddress)),
    },
    `The engine through which agents reach runners, such as \`redis://localhost:6379\`, \`postgres://…\` or \`ssh://HOST\`. \`--engine\` does the same for one run. ${NOT_IN_PROJECT}`,
    { trust: "never" },
  ),
  key: setting(
    "troupe.runners.key",
    { what: "a path that starts with / or ~/", schema: rooted() },
    `The file with the key of the fleet, which \`troupe runners key\` makes. ${NOT_IN_PROJECT}`,
    { fallback: "`~/.troupe/fleet-key`", trust: "never" },
  ),
  remote: setting(
    "troupe.runners.remote",
    { what: REMOTE_ADDRESS, schema: z.string().check(z.refine(isRemoteAddress)) },
    `A git repository that the session and its runners reach, for the first copy of a repository and for files over 64 MiB, which do not go through the engine. Set it on both; the addresses may differ. ${NOT_IN_PROJECT}`,
    { trust: "never" },
  ),
  setup: setting(
    "troupe.runners.setup",
    textSetting("a command"),
    `A shell command that runs once in each new worktree on a runner, before its agent starts. ${NOT_IN_PROJECT}`,
    { trust: "never" },
  ),
  credentials: setting(
    "troupe.runners.credentials",
    oneOf(["runner", "lend"]),
    `Whose credentials agents on runners ask models with. \`runner\`: the runner's own. \`lend\`: those of the session, which each agent's runner has in its memory while the agent runs. ${NOT_IN_PROJECT}`,
    { fallback: '`"runner"`', trust: "never" },
  ),
  maxAgents: setting(
    "troupe.runners.maxAgents",
    wholeSetting({ min: 1, max: 100_000 }),
    `How many agents of a session are on runners, or wait for one, at the same time; others wait for those. Agents that an agent on a runner has started are not held back. ${NOT_IN_PROJECT}`,
    { fallback: "256", trust: "never" },
  ),
} as const;

/** True for a text that can be the address of an engine; whether it is safe to use depends on its password, too. */
function isEngineAddress(text: string): boolean {
  return /^(?:rediss?|postgres(?:ql)?|ssh):\/\/\S+$/.test(text) && URL.canParse(text);
}
