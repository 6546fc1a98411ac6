import assert from 'node:assert/strict';
import { canonicalText } from '../../../src/engine/domain/value-key';

describe('the canonical form of a value', () => {
  const same: [string, string][] = [
    ['Use pnpm.', '  use   PNPM '],
    ['Use pnpm', 'Use\u200b pn\u00adpm!'],
    ['version １.２', 'Version 1.2'],
    ['Straße', 'STRASSE'.replace('SS', 'ß')],
    ['a\u202eb', 'ab'],
    ['wait…', 'wait'],
  ];
  for (const [one, other] of same)
    it(`is one for ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
      assert.equal(canonicalText(one), canonicalText(other));
    });

  const different: [string, string][] = [
    ['1.2', '12'],
    ['-1', '1'],
    ['设备', '清单'],
    ['C++', 'C'],
    ['a<b', 'a>b'],
    ['数据库', ''],
  ];
  for (const [one, other] of different)
    it(`is not one for ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
      assert.notEqual(canonicalText(one), canonicalText(other));
    });
});
