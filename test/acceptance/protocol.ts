/** What the acceptance protocol asks: its rows, the surfaces each is asked on, and what a pass does not prove. */

/** The surfaces, by the letter of their column. */
export const columns = {
  M: 'tools over MCP',
  R: 'resources and prompts over MCP',
  H: 'agent hooks',
  S: 'the webview views of the sidebar',
  T: 'the tree views',
  V: 'read-only stet: documents',
  C: 'editor commands',
  X: 'export, import and copies in another scope',
  J: 'housekeeping',
  B: 'tables and bytes on disk',
  L: 'a language model, or an index made by one',
} as const;

export type Column = keyof typeof columns;

export interface Row {
  /** Letters of the columns it is asked on. */
  readonly on: string;
  readonly doesNotProve: string;
}

/** The portable tests. */
const portable = {
  'scope.cross_tenant_absent': { on: 'MRHSTVCX', doesNotProve: 'that the identity of a folder is authenticated' },
  'scope.caller_cannot_widen': { on: 'MRX', doesNotProve: 'that a process of the same user who edits the launch is stopped' },
  'scope.background_respects_boundary': { on: 'MJL', doesNotProve: 'that forgetting reaches derived rows' },
  'evidence.claim_resolves_to_source': { on: 'MRH', doesNotProve: 'that the source is right, or still says it' },
  'evidence.source_delete_reaches_derived': { on: 'MBL', doesNotProve: 'that bytes left the disk' },
  'evidence.rebuild_from_retained': { on: 'MHJL', doesNotProve: 'that two models make the same index' },
  'gateway.no_bypass_path': { on: 'MCXJB', doesNotProve: 'a path of the future, or a raw edit of the file' },
  'gateway.model_cannot_claim_human_authority': { on: 'MTC', doesNotProve: 'that the person was right' },
  'tombstone.laundering_sequence': { on: 'MTC', doesNotProve: 'anything of another slot or scope' },
  'tombstone.survives_ttl_and_prune': { on: 'MXJ', doesNotProve: 'a budget of growth' },
  'tombstone.key_normalization_attack': { on: 'M', doesNotProve: 'that a paraphrase is blocked' },
  'tombstone.reextraction_stays_inactive': { on: 'MHX', doesNotProve: 'whether it was refused or absorbed' },
  'tombstone.no_second_memory_unit': { on: 'MB', doesNotProve: 'how strong the normal form is' },
  'deletion.absent_after_reindex_and_restart': { on: 'MRHSTVCXJBL', doesNotProve: 'more than its steps 1 to 10 show' },
  'deletion.absent_from_shared_copies': { on: 'XJ', doesNotProve: 'copies of third parties, or an agent’s own chat' },
  'correction.survives_reindex': { on: 'MTVB', doesNotProve: 'that a model uses the new value' },
  'correction.retraction_without_replacement': { on: 'MHTJ', doesNotProve: 'that it survives pruning' },
  'retrieval.k_is_an_upper_bound': { on: 'MH', doesNotProve: 'that k is right' },
  'prompt.recall_is_fenced_as_data': { on: 'MRHSTV', doesNotProve: 'that a model obeys' },
  'prompt.model_ignores_embedded_instructions': { on: 'L', doesNotProve: 'immunity' },
} as const satisfies Record<string, Row>;

/** The thirteen steps of one deletion, in their order. */
const steps = {
  'step 1: approved, and quiet': { on: 'MTL', doesNotProve: '' },
  'step 2: recalled': { on: 'MRHSTVC', doesNotProve: '' },
  'step 3: forgotten by the person': { on: 'TB', doesNotProve: '' },
  'step 4: absent': { on: 'MRHSTVC', doesNotProve: '' },
  'step 5: fed again by another path': { on: 'MHCX', doesNotProve: '' },
  'step 6: still absent, no copy waits': { on: 'MRHSTVC', doesNotProve: '' },
  'step 7: every job has run': { on: 'JXL', doesNotProve: '' },
  'step 8: absent after a restart': { on: 'MRHSTVC', doesNotProve: '' },
  'step 9: absent from each derived store': { on: 'MXBL', doesNotProve: '' },
  'step 10: the audit knows it without words': { on: 'VB', doesNotProve: '' },
  'step 11: copies made before': { on: 'XJ', doesNotProve: '' },
  'step 12: the copies are reached too': { on: 'XJ', doesNotProve: '' },
  'step 13: absent from the copies': { on: 'XJ', doesNotProve: '' },
} as const satisfies Record<string, Row>;

export const shapes = ['replacement', 'polarity flip', 'retraction', 'partial supersession', 'bounded validity'] as const;
export type Shape = (typeof shapes)[number];

/** What each shape of contradiction is scored on, and where. */
export const scores = {
  A: { on: 'M', asks: 'the answer is current' },
  B: { on: 'M', asks: 'the old value is never asserted unqualified' },
  C: { on: 'MJ', asks: 'the same after all jobs' },
  'C′': { on: 'M', asks: 'the same after day one was fed again by another path' },
  D: { on: 'MV', asks: 'the old value is known through history' },
  E: { on: 'TB', asks: 'what is derived agrees' },
} as const;
export type Score = keyof typeof scores;

const contradictions = Object.fromEntries(
  shapes.flatMap((shape) => Object.entries(scores).map(([score, { on }]) => [scoreRow(shape, score as Score), { on, doesNotProve: '' }])),
) as Record<string, Row>;

export function scoreRow(shape: Shape, score: Score): string {
  return `${shape}: ${score}`;
}

export type StepId = keyof typeof steps;
export const stepIds = Object.keys(steps) as StepId[];

/** Every row with its columns, in the order in which they are printed. */
export const protocol: Readonly<Record<string, Row>> = {
  'every member has a probe': { on: 'MSTVCJ', doesNotProve: 'that the probe asks enough' },
  ...portable,
  ...steps,
  ...contradictions,
};
