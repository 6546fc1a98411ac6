/** What the parts of the save page's form are called, on the form and in what is said about them. */
import type { SavePart } from './page-messages';

export const saveLabels: Readonly<Record<SavePart, string>> = {
  kind: 'Kind',
  title: 'Title',
  appliesWhen: 'Applies when',
  statement: 'What holds',
  steps: 'Steps',
  rationale: 'Why',
  lines: 'It rests on',
  appliesTo: 'Applies to',
  tags: 'Tags',
  validFrom: 'Holds from',
  validTo: 'Holds until',
};
