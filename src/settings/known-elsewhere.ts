/**
 * Keys that other tools read from the same files. Troupe does nothing with them and says nothing about them;
 * any other key it does not know may be a misspelt one and is named.
 */
const KNOWN: ReadonlySet<string> = new Set(
  [
    "$schema alwaysThinkingEnabled allowManagedHooksOnly allowManagedPermissionRulesOnly apiProvider",
    "attribution autoMemoryDirectory autoMemoryEnabled autoUpdates autoUpdatesChannel availableModels",
    "awsAuthRefresh awsCredentialExport blockedMarketplaces cleanupPeriodDays companyAnnouncements",
    "disabledMcpjsonServers enableAllProjectMcpServers enabledMcpjsonServers",
    "enabledPlugins extraKnownMarketplaces fastMode feedbackSurveyRate fileSuggestion forceLoginMethod",
    "forceLoginOrgUUID gcpAuthRefresh includeCoAuthoredBy includeGitInstructions language minimumVersion",
    "modelOverrides otelHeadersHelper outputStyle plansDirectory pluginConfigs prefersReducedMotion",
    "respectGitignore showThinkingSummaries showTurnDuration skipWebFetchPreflight",
    "skipDangerousModePermissionPrompt spinnerTipsEnabled spinnerTipsOverride spinnerVerbs statusLine",
    "strictKnownMarketplaces teammateMode terminalProgressBarEnabled theme tui verbose voiceEnabled",
    "worktree.bgIsolation worktree.sparsePaths worktree.symlinkDirectories",
    "permissions.skipDangerousModePermissionPrompt",
  ].flatMap((line) => line.split(" ")),
);

/** JSON has no comments, and people write them as keys such as `_comment` or `//`. */
const REMARK = /^(?:_|\/\/|\$comment)/;

export function isKnownElsewhere(path: readonly string[]): boolean {
  return KNOWN.has(path.join(".")) || REMARK.test(path.at(-1) ?? "");
}
