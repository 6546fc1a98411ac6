/** What the parts of the save page's form are called, on the form and in what is said about them. */
import type { SavePart } from './page-messages';

export const saveLabels: Readonly<Record<SavePart, string>> = {
  kind: 'Kind',
  title: 'Title',
  appliesWhen: 'Applies when',
  statement: 'What holds',
  steps: 'Steps',
  rationale: 'Why',
  alternatives: 'Also considered',
  lines: 'It rests on',
  replaces: 'It replaces',
  appliesTo: 'Applies to',
  scope: 'Where it holds',
  tags: 'Tags',
  validFrom: 'Holds from',
  validTo: 'Holds until',
  occurredAt: 'Happened on',
  subject: 'Subject',
  predicate: 'Predicate',
  object: 'Object',
  cardinality: 'This subject and predicate hold',
  reason: 'Why does it end this way?',
};
