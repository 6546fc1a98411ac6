import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedBytes, type ActStatement } from '../../../src/engine/domain/events';
import { keyRing } from '../../../src/engine/ledger/keyring';
import { testKey, type TestKey } from '../../support/keys';
import { codeOf } from '../../support/store';

describe('a key that was replaced', () => {
  let folder: string;
  let file: string;
  const earlier = testKey();
  const present = testKey();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stet-keys-'));
    file = join(folder, 'keys.json');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const pin = (until: unknown) => {
    writeFileSync(file, JSON.stringify({ version: 1, keys: [{ ...earlier.pin, until }, present.pin] }));
  };
  const replacedAt = '2026-03-01T12:00:00.000Z';
  const signedAt = async (at: string, key: TestKey, event?: string) => {
    const statement: ActStatement = {
      version: 2,
      store: 'store',
      act: 'approve',
      authority: 'person',
      memory: 'memory',
      contentHash: '0'.repeat(64),
      scope: 'workspace',
      validFrom: null,
      validTo: null,
      evidenceHashes: [],
      from: 'pending',
      to: 'active',
      follows: null,
      reason: null,
      at,
      others: [],
      about: null,
      group: 'group',
    };
    const signature = Buffer.from(await key.sign(signedBytes(statement))).toString('base64');
    const keys = await ring.trusted();
    try {
      keys.verify({ statement, key: key.keyId, signature }, event);
      return 'trusted';
    } catch (error) {
      return codeOf(error);
    }
  };
  let ring: ReturnType<typeof keyRing>;
  beforeEach(() => void (ring = keyRing(file)));

  it('is trusted for what it signed until then and for nothing later; its successor for both', async () => {
    pin(replacedAt);
    const before = '2026-03-01T11:59:59.999Z';
    const after = '2026-03-01T12:00:00.001Z';
    assert.deepEqual(
      [
        await signedAt(before, earlier),
        await signedAt(replacedAt, earlier),
        await signedAt(after, earlier),
        await signedAt('some day', earlier),
      ],
      ['trusted', 'trusted', 'untrusted_key', 'untrusted_key'],
    );
    assert.deepEqual([await signedAt(before, present), await signedAt(after, present)], ['trusted', 'trusted']);
  });

  it('compares moments and not spellings', async () => {
    pin('2026-03-01T13:00:00+01:00');
    assert.equal(await signedAt('2026-03-01T12:00:00.000Z', earlier), 'trusted');
    assert.equal(await signedAt('2026-03-01T12:30:00.000Z', earlier), 'untrusted_key');
  });

  it('is not trusted any longer for a later act that was verified before it was replaced', async () => {
    const [sooner, later] = ['2026-02-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];
    pin(undefined);
    assert.deepEqual([await signedAt(sooner, earlier, 'event 1'), await signedAt(later, earlier, 'event 2')], ['trusted', 'trusted']);
    pin(replacedAt);
    assert.deepEqual([await signedAt(sooner, earlier, 'event 1'), await signedAt(later, earlier, 'event 2')], ['trusted', 'untrusted_key']);
  });

  it('makes the file unreadable when nobody can say when it was', async () => {
    for (const until of ['yesterday', '', null, 1_700_000_000]) {
      pin(until);
      assert.equal(await ring.trusted().catch(codeOf), 'keys_unreadable', String(until));
    }
    pin(replacedAt);
    assert.equal((await ring.trusted()).size, 2);
  });
});
