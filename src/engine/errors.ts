/**
 * Every way Stet can fail, each made by a function of its own: a stable code, a sentence that says what happened, and one
 * that says what to do. Codes are listed in the README; a surface shows the error once and adds nothing to it.
 */

/** The stable codes. A code is never renamed and never means something else. */
export type ErrorCode =
  | 'invalid_input'
  | 'too_large'
  | 'not_found'
  | 'outside_root'
  | 'outside_grant'
  | 'evidence_unresolved'
  | 'path_refused'
  | 'command_id_reused'
  | 'illegal_transition'
  | 'changed_meanwhile'
  | 'tampered'
  | 'untrusted_key'
  | 'signature_invalid'
  | 'signing_key_missing'
  | 'already_recorded'
  | 'not_authorised'
  | 'rejected_before'
  | 'answered_before'
  | 'not_undoable'
  | 'paused'
  | 'store_busy'
  | 'store_unusable'
  | 'store_newer'
  | 'keys_unreadable'
  | 'no_folder'
  | 'other_folder'
  | 'head_unreadable'
  | 'store_behind'
  | 'store_missing'
  | 'store_damaged'
  | 'backup_failed'
  | 'secret_refused'
  | 'hidden_characters'
  | 'internal';

/** A failure that may be shown to a person or an agent as it is: it holds no path of the machine, no SQL and no secret. */
export class StetError extends Error {
  override readonly name = 'StetError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** What the reader can do next, one sentence. */
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const invalidInput = (what: string): StetError =>
  new StetError('invalid_input', what, 'Correct the named field and call again; nothing was stored.');

export const tooLarge = (field: string, limit: number): StetError =>
  new StetError(
    'too_large',
    `${field} is longer than ${limit} characters.`,
    'Shorten it to what has to be remembered; details can stay in the files that the evidence names.',
  );

export const notFound = (): StetError =>
  new StetError(
    'not_found',
    'There is no such memory here.',
    'Use an id that memory_search or memory_for_file returned; proposals that still wait for a person cannot be read.',
  );

export const outsideRoot = (field: string): StetError =>
  new StetError(
    'outside_root',
    `${field} leads outside the folder this server works in.`,
    'Give a path inside the folder, relative to it.',
  );

export const outsideGrant = (scope: string): StetError =>
  new StetError(
    'outside_grant',
    `The scope ${JSON.stringify(scope)} is not one this session may write to.`,
    'Leave scope out, or use "workspace" or "path:<folder>/" for a folder inside the one the agent runs in.',
  );

export const evidenceUnresolved = (what: string, cause?: unknown): StetError =>
  new StetError('evidence_unresolved', what, 'Point to something that exists now: a file and lines in this work tree, or a commit of it.', {
    cause,
  });

export const pathRefused = (what: string): StetError =>
  new StetError('path_refused', what, 'Name a tracked, ordinary source file instead.');

export const commandIdReused = (): StetError =>
  new StetError(
    'command_id_reused',
    'This command id was used before with other content.',
    'Use a new command id for a new command; repeat the same content to get the earlier receipt.',
  );

export const illegalTransition = (act: string, state: string): StetError =>
  new StetError('illegal_transition', `A memory that is ${state} cannot be ${act}.`, 'Look at its present state and choose another act.');

export const changedMeanwhile = (): StetError =>
  new StetError('changed_meanwhile', 'This memory changed after it was shown.', 'Look at it again, then decide; nothing was changed.');

export const tampered = (): StetError =>
  new StetError(
    'tampered',
    'This memory was changed by something other than Stet, so it cannot be let stand.',
    'Reject it, and have it proposed again if it is right.',
  );

export const untrustedKey = (): StetError =>
  new StetError(
    'untrusted_key',
    'The signature was made with a key that is not trusted here.',
    'Decide in the editor whose key is pinned for this machine.',
  );

export const signatureInvalid = (): StetError =>
  new StetError(
    'signature_invalid',
    'The signature does not match what was decided.',
    'Nothing was changed; open the memory and decide again.',
  );

export const signingKeyMissing = (): StetError =>
  new StetError(
    'signing_key_missing',
    'The signing key of this machine is missing, so nothing can be decided.',
    'Decide again and confirm that a new key may be made; what was let stand earlier stays.',
  );

export const alreadyRecorded = (state: string): StetError =>
  new StetError(
    'already_recorded',
    `The same memory is already here and is ${state}.`,
    'Open the one that exists instead of saving it twice.',
  );

export const notAuthorised = (act: string, authority: string): StetError =>
  new StetError(
    'not_authorised',
    `A memory cannot be ${act} in the name of ${authority === 'agent' ? 'an agent' : `a ${authority}`}.`,
    'Ask the person: only they decide, in the editor.',
  );

/**
 * @param at when it was rejected or forgotten, ISO.
 * @param reason the person's words, where they still exist.
 * @param memory the sequence number of the memory that was rejected, for the record of the refusal.
 */
export const rejectedBefore = (at: string, reason: string | undefined, memory?: number): StetError =>
  new StetError(
    'rejected_before',
    `A person decided on ${at.slice(0, 10)} that this is not to be remembered${reason === undefined ? '.' : `: ${reason}`}`,
    'Propose something different, or ask them; they can allow it again in the editor.',
    { cause: { memory } },
  );

export const answeredBefore = (at: string, reason: string | undefined): StetError =>
  new StetError(
    'answered_before',
    `A person answered exactly this on ${at.slice(0, 10)}${reason === undefined ? '.' : `: ${reason}`}`,
    'Bring new evidence, or name another memory that it contradicts.',
  );

export const notUndoable = (): StetError =>
  new StetError(
    'not_undoable',
    'This cannot be taken back any more, since something has happened to it or to a memory it touched.',
    'Look at its history and decide anew.',
  );

export const paused = (): StetError =>
  new StetError(
    'paused',
    'The person has paused memory for this folder.',
    'Go on without it; nothing is read or kept until they resume it.',
  );

export const storeBusy = (cause?: unknown): StetError =>
  new StetError(
    'store_busy',
    'Another process is writing to the memory store and did not finish in time.',
    'Try the same call again in a few seconds; nothing was stored.',
    { cause },
  );

export const storeUnusable = (what: string, cause?: unknown): StetError =>
  new StetError('store_unusable', what, 'Nothing was written. Check that the store can be read and written by you, then try again.', {
    cause,
  });

export const storeNewer = (found: number, known: number): StetError =>
  new StetError(
    'store_newer',
    `The store has schema ${found}; this Stet knows schemas up to ${known}.`,
    'Update Stet. The store was left as it is.',
  );

export const keysUnreadable = (what: string, cause?: unknown): StetError =>
  new StetError('keys_unreadable', what, 'Connect the agent again from the editor, which writes this file.', { cause });

export const noFolder = (): StetError =>
  new StetError(
    'no_folder',
    'There is no such folder that Stet can keep a memory for.',
    'Open a folder on this machine and trust it, or start the server with --root and a folder that exists.',
  );

export const otherFolder = (): StetError =>
  new StetError(
    'other_folder',
    'This store belongs to another folder.',
    'Start the server with the folder that the store was made for, as the editor does, or with another store.',
  );

export const headUnreadable = (cause?: unknown): StetError =>
  new StetError(
    'head_unreadable',
    'The record of the newest signed event of this memory store is damaged, or was not signed by a trusted key.',
    'Run Stet: Verify Store in the editor, which can sign it anew once you have confirmed it.',
    { cause },
  );

/** It names no ids and no counts: nothing of a store that was set back reaches an agent. */
export const storeBehind = (): StetError =>
  new StetError(
    'store_behind',
    'The memory store lacks events that were signed before: it was cut off, or an older copy was put back.',
    'Nothing is served from it. Run Stet: Verify Store in the editor, then restore a backup or confirm the store as it is.',
  );

export const storeMissing = (): StetError =>
  new StetError(
    'store_missing',
    'The memory store of this folder existed and is gone.',
    'Restore it from a backup, or confirm in the editor that a new and empty one may be made.',
  );

export const noSuchRecall = (): StetError =>
  new StetError(
    'not_found',
    'This session was given no such answer, or not with all of these memories.',
    'Use the recallId and ids of one reply to this session; nothing was stored.',
  );

export const storeDamaged = (what: string, cause?: unknown): StetError =>
  new StetError(
    'store_damaged',
    what,
    'Nothing was overwritten. In the editor, Restore from Backup brings back the last good copy and sets this file aside.',
    { cause },
  );

export const backupFailed = (what: string, cause?: unknown): StetError =>
  new StetError('backup_failed', what, 'The store is as it was. See that there is room on the disk, or choose another backup.', { cause });
/** Names the rule and the field, never the text. */
export const secretFound = (field: string, rule: string): StetError =>
  new StetError(
    'secret_refused',
    `${field} holds what looks like a secret (rule ${JSON.stringify(rule)}).`,
    'Leave the secret out and say where it is kept instead; nothing was stored.',
  );

/** @param codePoints as `U+202E`; each is named once, the first ten of them. */
export const hiddenCharacters = (field: string, codePoints: readonly string[]): StetError => {
  const named = [...new Set(codePoints)];
  return new StetError(
    'hidden_characters',
    `${field} holds characters that a reader does not see: ${named.slice(0, 10).join(', ')}${named.length > 10 ? ' and more' : ''}.`,
    'Send the text without them; nothing was stored.',
  );
};

/** For what should not happen. The cause stays out of the message, since it may hold paths or SQL. */
export const internal = (cause: unknown): StetError =>
  new StetError('internal', 'Stet failed in a way it did not foresee.', 'Nothing was stored. The log names the cause; please report it.', {
    cause,
  });

/** Any thrown value as a {@link StetError}; what is one already stays as it is. */
export const asStetError = (thrown: unknown): StetError => (thrown instanceof StetError ? thrown : internal(thrown));

/** Ends a switch over a closed union: the compiler refuses a missing case, and a value from outside fails loudly. */
export function unreachable(value: never): never {
  throw internal(new Error(`unexpected ${JSON.stringify(value)}`));
}
