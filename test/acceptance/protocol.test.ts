/** The acceptance protocol as far as it needs no editor; `npm run acceptance` asks all of it, and prints the matrix. */
import assert from 'node:assert/strict';
import { Matrix } from './matrix';
import { askAgents, askStories } from './run';
import { absentColumns } from './surfaces';

describe('the acceptance protocol, without an editor', function () {
  this.timeout(600_000);

  it('fails in no cell', async () => {
    const matrix = new Matrix(await absentColumns(false));
    await askAgents(matrix);
    await askStories(matrix);
    const { lines, failed } = matrix.print();
    assert.equal(failed, 0, lines.join('\n'));
  });

  it('fails a cell that nothing asks, that nothing controls, or whose control does not hold', async () => {
    const matrix = new Matrix({});
    const row = 'tombstone.key_normalization_attack';
    assert.equal(matrix.verdict(row, 'M').is, 'failed');
    const asked = async (control: boolean | undefined, must: boolean) => {
      const fresh = new Matrix({});
      await fresh.ask(row, 'M', (check) => {
        if (control !== undefined) check.control('it is there', control);
        check.must('it is not', must);
      });
      return fresh.verdict(row, 'M').is;
    };
    assert.deepEqual(
      [await asked(true, true), await asked(undefined, true), await asked(false, true), await asked(true, false)],
      ['passed', 'failed', 'failed', 'failed'],
    );
    assert.deepEqual(new Matrix({ M: 'not there' }).verdict(row, 'M'), { is: 'unexercised', because: 'not there' });
  });
});
