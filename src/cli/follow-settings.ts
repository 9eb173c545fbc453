import type { Clock } from "../mailbox/clock.ts";
import type { TrustedSettings } from "../policy/trust/trust.ts";
import { untrustedNote } from "../policy/trust/trust-text.ts";
import type { SupervisorHandle } from "../session/options.ts";
import { whyNotMode } from "../settings/modes.ts";
import { schema } from "../settings/schema.ts";
import { nameOf } from "../settings/setting.ts";
import { watchSettings } from "../settings/watch-settings.ts";
import type { SessionSettings } from "./session-settings.ts";

/**
 * Lets changes of settings count in a running session: rules and hooks from the next call on, and a mode that is
 * no longer allowed is left. Ends with the signal. The answer tells the settings as they were read last.
 */
export function followSettings(
  session: Pick<SupervisorHandle, "replaceSettings" | "mode" | "setMode">,
  { read, reader }: Pick<SessionSettings, "read" | "reader">,
  { note, clock, signal }: { note(line: string): void; readonly clock: Clock; readonly signal: AbortSignal },
): () => TrustedSettings {
  let current = read;
  const onChange = (fresh: TrustedSettings) => {
    const servers = JSON.stringify(fresh.settings.mcpServers) !== JSON.stringify(current.settings.mcpServers);
    const left = untrustedNote(fresh.trust);
    const isLeftAnew = left !== null && left !== untrustedNote(current.trust);
    current = fresh;
    session.replaceSettings({ rules: fresh.rules, hooks: fresh.hooks });
    const why = whyNotMode(session.mode(), fresh);
    if (why !== null) session.setMode(fresh.mode ?? "default");
    note("Settings have changed; their rules and hooks hold from now on.");
    if (isLeftAnew) note(left);
    if (why !== null) note(`${why} The session goes on in ${session.mode()}.`);
    if (servers) note("The MCP servers of settings have changed; they count in the next session.");
    for (const warning of fresh.warnings) note(warning);
  };
  watchSettings({ known: read, read: () => reader.read(), onChange, onProblem: note, clock, signal });
  return () => current;
}

/** What holds in a session that runs already; all other settings count from the next one on. */
const FOLLOWED: ReadonlySet<string> = new Set(
  [
    schema.permissions.allow,
    schema.permissions.ask,
    schema.permissions.deny,
    schema.permissions.disableBypass,
    schema.permissions.managedRulesOnly,
    schema.hooks,
    schema.disableHooks,
    schema.managedHooksOnly,
  ].map(nameOf),
);

export function holdsAtOnce(name: string): boolean {
  return FOLLOWED.has(name);
}
