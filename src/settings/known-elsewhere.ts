/** Keys that other tools read from the same files, and that mean nothing here. */
const IGNORED = `$schema alwaysThinkingEnabled apiProvider attribution autoMemoryDirectory autoMemoryEnabled autoUpdates
  autoUpdatesChannel awsAuthRefresh awsCredentialExport cleanupPeriodDays companyAnnouncements disabledMcpjsonServers
  enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins extraKnownMarketplaces fastMode feedbackSurveyRate
  fileSuggestion forceLoginMethod gcpAuthRefresh includeCoAuthoredBy includeGitInstructions language minimumVersion
  modelOverrides otelHeadersHelper outputStyle plansDirectory pluginConfigs prefersReducedMotion respectGitignore
  showThinkingSummaries showTurnDuration skipWebFetchPreflight skipDangerousModePermissionPrompt spinnerTipsEnabled
  spinnerTipsOverride spinnerVerbs statusLine teammateMode terminalProgressBarEnabled theme tui verbose voiceEnabled
  worktree.bgIsolation worktree.sparsePaths worktree.symlinkDirectories
  permissions.skipDangerousModePermissionPrompt`;

/** Keys that restrict something elsewhere. Troupe does not enforce them, and says so. */
const UNENFORCED = `availableModels blockedMarketplaces forceLoginOrgUUID strictKnownMarketplaces`;

/** True for keys to say nothing about: those of other tools, and remarks, which users write as `_comment` or `//`. */
export function isIgnoredHere(path: readonly string[]): boolean {
  return includes(IGNORED, path) || /^(?:_|\/\/|\$comment)/.test(path.at(-1) ?? "");
}

export function isUnenforced(path: readonly string[]): boolean {
  return includes(UNENFORCED, path);
}

function includes(names: string, path: readonly string[]): boolean {
  return names.split(/\s+/).includes(path.join("."));
}
