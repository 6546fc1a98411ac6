/** Tombstones: laid by a person's rejection, asked by each writer first, in their scope and inside it. */
import type { Mutant, NamedTest } from './mutant';

const acts = 'src/engine/ledger/acts.ts';
const standing = 'await refuseBuried(draft.context, content, given.scope);';
const buried = (title: string): NamedTest => ({ spec: 'test/engine/ledger/buried.test.ts', title });
const rejected = (title: string): NamedTest => ({ spec: 'test/engine/ledger/tombstones.test.ts', title });

/** A writer that goes through `stand`, which asks for all of them. */
const writer = (name: string, unless: string, test: NamedTest): Mutant => ({
  name: `the tombstone lookup of ${name}`,
  mark: 'tombstone',
  file: acts,
  in: 'stand',
  find: standing,
  replace: `if (!(${unless})) ${standing}`,
  tests: [test],
});
const byHand = buried('does not come back by approving a copy that waited since before, by saving, or by editing a proposal');

export const tombstones: readonly Mutant[] = [
  {
    name: 'the tombstone lookup of a proposal',
    mark: 'tombstone',
    file: 'src/engine/ledger/append.ts',
    in: 'propose',
    find: 'await refuseBuried({ read: tx, keys, ...ledger }, memory.content, memory.content.scope);',
    replace: '',
    tests: [rejected('is refused with date and reason')],
  },
  writer('an approval', "act === 'approve'", byHand),
  writer('a save', "act === 'save' && content.derivedFrom === undefined", byHand),
  writer('an edited approval', "act === 'save' && content.derivedFrom?.length === 1", byHand),
  writer('a third text', "act === 'save' && (content.derivedFrom?.length ?? 0) > 1", buried('does not come back as the third text')),
  writer('a restoring', "act === 'restore'", buried('does not come back by restoring')),
  {
    name: 'the tombstone lookup of an undo',
    mark: 'tombstone',
    file: acts,
    in: 'undo',
    find: 'await refuseBuried(draft.context, readable(checked).stored.memory.content, before.bounds.scope, undone.event);',
    replace: 'void refuseBuried;',
    tests: [buried('does not come back by taking back an act that ended it')],
  },
  {
    name: 'the tombstone lookup of a narrowing',
    mark: 'tombstone',
    file: acts,
    in: 'checkBounds',
    find: 'await refuseBuried(draft.context, content, bounds.scope);',
    replace: 'void refuseBuried;',
    tests: [{ spec: 'test/engine/ledger/attacks.test.ts', title: 'a narrowing does not bring a value to where it was rejected' }],
  },
  {
    name: 'the tombstone lookup in the user store',
    mark: 'tombstone',
    file: 'src/engine/ledger/tombstones.ts',
    in: 'refuseBuried',
    find: 'own ?? (where.user === undefined ? undefined : (await buried(where.user.read, where.user.salt, where.keys, content))[0])',
    replace: 'own',
    tests: [buried('in the store of what holds everywhere')],
  },
  {
    name: 'a tombstone refuses inside its scope',
    mark: 'tombstone',
    file: 'src/engine/ledger/tombstones.ts',
    in: 'refuseBuried',
    find: 'contains(one.scope, scope)',
    replace: 'one.scope === scope',
    tests: [buried('is refused where it was buried and inside it')],
  },
  {
    name: 'a tombstone refuses nothing beside its scope',
    mark: 'tombstone',
    file: 'src/engine/ledger/tombstones.ts',
    in: 'refuseBuried',
    find: 'contains(one.scope, scope)',
    replace: 'contains(one.scope, one.scope)',
    tests: [buried('is refused where it was buried and inside it')],
  },
  {
    name: 'a rejection lays a tombstone',
    mark: 'tombstone',
    file: acts,
    in: 'note',
    find: "{ act: 'reject', to: 'rejected', reason: decision.reason, effects: { buries: true } }",
    replace: "{ act: 'reject', to: 'rejected', reason: decision.reason }",
    tests: [rejected('is refused with date and reason')],
  },
  {
    name: 'a forgetting lays a tombstone',
    mark: 'tombstone',
    file: acts,
    in: 'forget',
    find: ', effects: { buries: true } }',
    replace: ' }',
    tests: [buried('that was forgotten is refused')],
  },
  {
    name: 'a tombstone for the claim besides the statement',
    mark: 'tombstone',
    file: 'src/engine/domain/value-key.ts',
    in: 'valueDigests',
    find: '...(claim === undefined ? []',
    replace: '...(claim === undefined || form > 0 ? []',
    tests: [rejected('cannot be laundered')],
  },
  {
    name: 'one form for all spellings of a claim',
    mark: 'tombstone',
    file: 'src/engine/domain/value-key.ts',
    in: 'spelled',
    find: '.map((part) => canonicalText(part, form))',
    replace: '',
    tests: [rejected('cannot be laundered')],
  },
  {
    name: 'one form for all spellings of a statement',
    mark: 'tombstone',
    file: 'src/engine/domain/value-key.ts',
    in: 'spelled',
    find: 'statement: canonicalText(statement, form)',
    replace: 'statement',
    tests: [buried('that was forgotten is refused')],
  },
  {
    name: 'a refusal is an event',
    mark: 'tombstone',
    file: 'src/engine/ledger/append.ts',
    in: 'append',
    find: 'await recordRefusal(command, asStetError(thrown), ledger);',
    replace: 'void [recordRefusal, asStetError];',
    tests: [rejected('is refused with date and reason')],
  },
];
