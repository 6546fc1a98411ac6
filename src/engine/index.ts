/** The engine's one door. */
export { openEngine, type AgentAccess, type Engine, type EngineOptions, type PersonAccess } from './engine';
export { asStetError, StetError, invalidInput, noFolder, signingKeyMissing, unreachable, type ErrorCode } from './errors';
export {
  kinds,
  guidanceKinds,
  states,
  type Anchor,
  type Content,
  type Evidence,
  type Kind,
  type Memory,
  type State,
} from './domain/memory';
export { draftSchema, limits, parse, proposalFields, type Draft, type Proposal } from './domain/input';
export type { Decision } from './domain/states';
export type { AgentSession, Receipt, Seen } from './ledger/commands';
export { keyId, pinFile, readPinFile, type PinFile } from './ledger/keyring';
export type { ChainState } from './ledger/chain';
export type { HistoryEntry, Tampering } from './ledger/replay';
export type { Signer, TrustedKey } from './ports';
export { forFileSchema, getSchema, searchSchema } from './recall/query';
export { age, anchorText, renderFound, renderWhole } from './recall/render';
export type { Found, Item, Whole } from './recall/view';
export type { Overview, Reviewed } from './review';
export { locate, storeFile, type Place } from './scope/locate';
export type { Page, SessionSummary } from './store/memories';
