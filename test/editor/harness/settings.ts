/** What the workbench looks like before a test or a picture: nothing of its own in the way, nothing that calls home. */
export function quietSettings(theme: 'light' | 'dark'): Record<string, unknown> {
  return {
    'telemetry.telemetryLevel': 'off',
    'update.mode': 'none',
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': false,
    'extensions.ignoreRecommendations': true,
    'workbench.colorTheme': theme === 'light' ? 'Light Modern' : 'Dark Modern',
    'window.autoDetectColorScheme': false,
    'workbench.startupEditor': 'none',
    'workbench.welcomePage.walkthroughs.openOnInstall': false,
    'workbench.tips.enabled': false,
    // Editors in a modal frame would keep the palette's key to themselves.
    'workbench.editor.useModal': 'off',
    'workbench.editor.empty.hint': 'hidden',
    'workbench.enableExperiments': false,
    'workbench.settings.enableNaturalLanguageSearch': false,
    'workbench.reduceMotion': 'on',
    'window.menuBarVisibility': 'compact',
    'window.commandCenter': false,
    'editor.minimap.enabled': false,
    'files.autoSave': 'off',
    'git.openRepositoryInParentFolders': 'never',
    'git.autofetch': false,
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
    // Only the chat panes are hidden. "chat.disableAIFeatures" would also take away the MCP client that Stet serves.
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'chat.titleBar.signIn.enabled': false,
    'chat.agentsControl.enabled': 'hidden',
  };
}
