import assert from 'node:assert/strict';
import { parse, proposalFields } from '../../../src/engine';
import { reportUseSchema } from '../../../src/engine/audit/exposure-query';
import { searchSchema } from '../../../src/engine/recall/query';
import { aProposal, codeOf } from '../../support/store';

describe('what is wrong with an argument', () => {
  const said = (schema: typeof searchSchema | typeof proposalFields | typeof reportUseSchema, value: unknown): string => {
    try {
      parse(schema, value);
      return 'nothing';
    } catch (error) {
      assert.equal(codeOf(error), 'invalid_input');
      return (error as Error).message;
    }
  };
  const asked = (fields: object) => said(searchSchema, { query: 'tide', ...fields });
  const dates = 'must be a date or an instant with a zone, such as 2026-05-01 or 2026-05-01T12:00:00Z.';

  const table: [string, string, string][] = [
    ['a number at its largest', asked({ k: 20 }), 'nothing'],
    ['a number that is too large', asked({ k: 21 }), '"k" must be at most 20.'],
    ['a number at its smallest', asked({ k: 1 }), 'nothing'],
    ['a number that is too small', asked({ maxTokens: 199 }), '"maxTokens" must be at least 200.'],
    ['a number with a fraction', asked({ k: 1.5 }), '"k" must be a whole number.'],
    ['a date', asked({ since: '2026-05-01' }), 'nothing'],
    ['an instant with a zone', asked({ since: '2026-05-01T12:00:00+02:00' }), 'nothing'],
    ['a day in words', asked({ since: 'yesterday' }), `"since" ${dates}`],
    ['an instant without a zone', asked({ until: '2026-05-01T12:00:00' }), `"until" ${dates}`],
    ['a date that is a number', asked({ since: 20260501 }), `"since" ${dates}`],
    ['a year of five digits', asked({ since: '9999-12-31T23:59:59-14:00' }), '"since": must lie in the years 0 to 9999.'],
    ['a text that is missing', said(searchSchema, {}), '"query" is missing.'],
    ['a choice', said(proposalFields, aProposal()), 'nothing'],
    ['a choice that is missing', said(proposalFields, { ...aProposal(), kind: undefined }), '"kind" is missing.'],
    ['a choice that is none', asked({ kinds: ['rumour'] }), '"kinds.0" must be one of decision, constraint, preference, lesson, workflow, fact.'], // prettier-ignore
    ['an empty list with a reason to be none', said(proposalFields, { ...aProposal(), evidence: [] }), '"evidence": needs at least one pointer: what does this rest on?'], // prettier-ignore
    ['too many entries', asked({ tags: Array.from({ length: 51 }, () => 'a') }), '"tags" has more than 50 entries.'],
    ['an empty list', said(reportUseSchema, { recallId: crypto.randomUUID(), ids: [] }), '"ids": names none.'],
  ];
  for (const [what, found, expected] of table)
    it(`is told of ${what}`, () => {
      assert.equal(found, expected);
    });
});
