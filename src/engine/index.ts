/** The engine's one door. */
export type { AgentAccess } from './agent';
export { openEngine, type Engine, type EngineOptions } from './engine';
export { adoptStore, findMovedStores, type AdoptOptions, type MovedStore } from './moving';
export type { PersonAccess, Preview, PreviewedStep } from './person';
export { asStetError, StetError, invalidInput, noFolder, signingKeyMissing, unreachable, type ErrorCode } from './errors';
export {
  kinds,
  guidanceKinds,
  states,
  type Anchor,
  type Bounds,
  type Content,
  type Evidence,
  type Kind,
  type Memory,
  type State,
} from './domain/memory';
export { draftSchema, limits, parse, proposalFields, type Draft, type Proposal } from './domain/input';
export { servedStates, withdrawnStates } from './domain/states';
export type { EvidenceState } from './evidence/check';
export { contestSchema, requestRetireSchema, type OpenChallenge } from './ledger/challenges';
export type { AgentSession, ChallengeReceipt, DecisionReceipt, Outcome, PersonAct, Receipt, Seen, SeenMemory } from './ledger/commands';
export { keyId, pinFile, readPinFile, type PinFile } from './ledger/keyring';
export { knownStore } from './ledger/heads';
export type { HistoryEntry, Tampering } from './ledger/replay';
export type { Rebuilt } from './ledger/rebuild';
export type { StoreState, Watch } from './ledger/verify';
export type { AuditEntry } from './audit/log';
export { reportUseSchema } from './audit/exposure-query';
export { historySchema, type Remembered, type Timeline } from './audit/history';
export type { Finding } from './audit/integrity';
export type { Leaving, LeavingElsewhere, Leavings } from './audit/leavings';
export type { UseCounts } from './audit/use';
export type { Signer, TrustedKey } from './ports';
export { forFileSchema, getSchema, searchSchema } from './recall/query';
export { age, anchorText, fenced, harmless, renderFound, renderWhole } from './recall/render';
export { renderTimeline } from './render-timeline';
export type { Found, Item, Whole } from './recall/view';
export type { Nearby, Overview, Reviewed } from './review';
export { restoreBackup, type CarriedOver, type Restored, type RestoreOptions } from './restoring';
export { locate, storeFile, type Place } from './scope/locate';
export { startAnew, type StartAnewOptions } from './starting-anew';
export { listBackups, type Backup } from './store/backup';
export type { Health } from './store/health';
export { moveStore } from './store/moved';
export type { JournalHealth } from './store/journal';
export type { Page, ProposingSession, SessionSummary } from './store/memories';
