import type { Clock } from "../lib/clock.ts";
import type { TrustedSettings } from "../policy/trust/trust.ts";
import { untrustedNote } from "../policy/trust/trust-text.ts";
import type { SupervisorHandle } from "../session/supervisor-handle.ts";
import { whyNotMode } from "../settings/permissions.ts";
import { schema } from "../settings/schema.ts";
import { settingName } from "../settings/setting.ts";
import { watchSettings } from "../settings/watch-settings.ts";
import type { SessionSettings } from "./session-settings.ts";

interface FollowPorts {
  note(line: string): void;
  /** Applies what is not the session's. */
  onChange?(fresh: TrustedSettings): void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Applies changes of settings to a running session: rules and hooks from the next call on; a mode that is no longer
 * allowed is left. Ends with the signal. The answer returns the settings as they were read last.
 */
export function followSettings(
  session: Pick<SupervisorHandle, "replaceSettings" | "mode" | "setMode">,
  { read, reader }: Pick<SessionSettings, "read" | "reader">,
  { note, onChange: applyElsewhere, clock, signal }: FollowPorts,
): () => TrustedSettings {
  let current = read;
  const onChange = (fresh: TrustedSettings) => {
    const servers = JSON.stringify(fresh.settings.mcpServers) !== JSON.stringify(current.settings.mcpServers);
    const left = untrustedNote(fresh.trust);
    const isNewlyUntrusted = left !== null && left !== untrustedNote(current.trust);
    const isSeen = withoutLook(fresh) === withoutLook(current);
    current = fresh;
    applyElsewhere?.(fresh);
    const { rules, managedRulesOnly, hooks } = fresh;
    session.replaceSettings({ rules, managedRulesOnly, hooks });
    const why = whyNotMode(session.mode(), fresh);
    if (why !== null) session.setMode(fresh.mode ?? "default");
    if (!isSeen) note("Settings have changed; their rules and hooks apply from now on.");
    if (isNewlyUntrusted) note(left);
    if (why !== null) note(`${why} The session continues in ${session.mode()}.`);
    if (servers) note("The MCP servers of settings have changed; they take effect in the next session.");
    for (const warning of fresh.warnings) note(warning);
  };
  watchSettings({ known: read, read: () => reader.read(), onChange, onProblem: note, clock, signal });
  return () => current;
}

/** What of a change is not seen without a word: how the terminal looks and behaves. */
function withoutLook({ settings, rules, hooks, managedRulesOnly, warnings }: TrustedSettings): string {
  const { editorMode: _, notification: __, ...others } = settings;
  return JSON.stringify({ others, rules, hooks, managedRulesOnly, warnings });
}

/** What applies to a running session; all other settings take effect in the next one. */
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
    schema.statusLine,
    schema.notification,
    schema.editorMode,
  ].map(settingName),
);

export function appliesImmediately(name: string): boolean {
  return FOLLOWED.has(name);
}
