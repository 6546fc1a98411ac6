/** Everything that the manifest contributes by name, in one place, and what each command may be called with. */
export const contributed = {
  container: 'stet',
  views: {
    forThisFile: 'stet.forThisFile',
    pending: 'stet.pending',
    standing: 'stet.standing',
    contested: 'stet.contested',
    retired: 'stet.retired',
  },
  commands: {
    saveMemory: 'stet.saveMemory',
    saveSelection: 'stet.saveSelection',
    searchMemory: 'stet.searchMemory',
    reviewPending: 'stet.reviewPending',
    approve: 'stet.approve',
    reject: 'stet.reject',
    retire: 'stet.retire',
    openMemory: 'stet.openMemory',
    showMore: 'stet.showMore',
    forget: 'stet.forget',
    allowAgain: 'stet.allowAgain',
    restore: 'stet.restore',
    supersede: 'stet.supersede',
    contest: 'stet.contest',
    resolveContested: 'stet.resolveContested',
    goToDrifted: 'stet.goToDrifted',
    forgetSession: 'stet.forgetSession',
    forgetAllHere: 'stet.forgetAllHere',
    showHistory: 'stet.showHistory',
    showAuditLog: 'stet.showAuditLog',
    showOlderEntries: 'stet.showOlderEntries',
    verifyStore: 'stet.verifyStore',
    rebuildIndexes: 'stet.rebuildIndexes',
    restoreFromBackup: 'stet.restoreFromBackup',
    startAnew: 'stet.startAnew',
    takeOverMoved: 'stet.takeOverMoved',
    pauseMemory: 'stet.pauseMemory',
    resumeMemory: 'stet.resumeMemory',
    connectAgents: 'stet.connectAgents',
    tryAgain: 'stet.tryAgain',
    showLog: 'stet.showLog',
  },
  mcpServerDefinitionProvider: 'stet.mcp',
} as const;

/**
 * The arguments of each command. Where it is `unknown`, anybody may send anything: it can only choose what is shown. No argument
 * of any command decides anything, because VS Code turns plain JSON into a view's own objects on the way to a command.
 */
export interface CommandArguments {
  readonly saveMemory: [];
  readonly saveSelection: [];
  readonly searchMemory: [];
  readonly reviewPending: [];
  readonly approve: [target: unknown, selection?: unknown];
  readonly reject: [target: unknown];
  readonly retire: [target: unknown];
  readonly openMemory: [target: unknown];
  readonly showMore: [row: unknown];
  readonly forget: [target: unknown, selection?: unknown];
  readonly allowAgain: [target: unknown];
  readonly restore: [target: unknown];
  readonly supersede: [target: unknown];
  readonly contest: [target: unknown];
  /** A row of a contest, or one of the memories in it. */
  readonly resolveContested: [target: unknown];
  readonly goToDrifted: [];
  /** The row of a session. */
  readonly forgetSession: [target: unknown];
  readonly forgetAllHere: [];
  readonly showHistory: [target: unknown];
  readonly showAuditLog: [];
  readonly showOlderEntries: [];
  readonly verifyStore: [];
  readonly rebuildIndexes: [];
  readonly restoreFromBackup: [];
  readonly startAnew: [];
  readonly takeOverMoved: [];
  readonly pauseMemory: [];
  readonly resumeMemory: [];
  readonly connectAgents: [];
  readonly tryAgain: [];
  readonly showLog: [];
}

export type CommandName = keyof typeof contributed.commands;

/** Set once the stores are known: `open`, `notOnDisk`, or the code of what keeps the only store shut. */
export const memoryContext = 'stet.memory';

/** Whether memory is paused somewhere, and whether it is not paused somewhere. */
export const pausedContext = 'stet.paused';
export const runningContext = 'stet.running';

/** The scheme of what Stet shows as read-only text. */
export const documentScheme = 'stet';

export const reviewWindowSetting = 'stet.reviewWindowDays';
