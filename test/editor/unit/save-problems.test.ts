import assert from 'node:assert/strict';
import { saveProblem } from '../../../src/editor/save-problems';

describe('a refusal of the engine on the save page', () => {
  const placed: readonly (readonly [message: string, part: string, text: string])[] = [
    ['"title" is longer than 200 characters.', 'title', '“Title” is longer than 200 characters.'],
    ['"validTo": must be later than validFrom.', 'validTo', '“Holds until” must be later than “Holds from”.'],
    ['"anchors.1" leads outside the folder.', 'appliesTo', '“Applies to”, line 2, leads outside the folder.'],
    ['"anchors.0.glob": is empty.', 'appliesTo', '“Applies to”, line 1, is empty.'],
    ['"steps.2" is longer than 500 characters.', 'steps', '“Steps”, line 3, is longer than 500 characters.'],
    ['"claim.object" is longer than 500 characters.', 'object', '“Object” is longer than 500 characters.'],
    ['"replaces": there is no memory 1 here that stands.', 'replaces', '“It replaces” there is no memory 1 here that stands.'],
    ['"evidence.0.endLine": must not be before startLine.', 'lines', '“It rests on” must not be before startLine.'],
  ];
  for (const [message, part, text] of placed)
    it(`is placed and put in the form’s words: ${message}`, () => {
      assert.deepEqual(saveProblem({ code: 'invalid_input', message }), { part, text });
    });

  it('about a file it rests on is placed at the lines', () => {
    const message = 'There is no file "a.ts" in this work tree.';
    assert.deepEqual(saveProblem({ code: 'evidence_unresolved', message }), { part: 'lines', text: message });
  });

  it('about no part of the form is placed nowhere', () => {
    assert.equal(saveProblem({ code: 'store_busy', message: 'Another process is writing.' }), undefined);
    assert.equal(saveProblem({ code: 'invalid_input', message: '"commandId": there is no such thing here.' }), undefined);
  });
});
