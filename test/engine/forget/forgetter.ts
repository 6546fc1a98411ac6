/** The person's process: forgets some memories with a key of its own. Run by a test, and perhaps killed by it. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { keyId, openEngine, type Signer } from '../../../src/engine';

const { key: pem, ids, ...options } = JSON.parse(process.argv[2] ?? '{}') as { key: string; ids: string[]; storeFile: string; root: string; keysFile: string }; // prettier-ignore
const key = createPrivateKey(pem);
const signer: Signer = {
  keyId: keyId(createPublicKey(key).export({ format: 'der', type: 'spki' })),
  authority: 'person',
  sign: (bytes) => Promise.resolve(sign(null, bytes, key)),
};

void (async () => {
  const engine = await openEngine(options);
  const person = engine.forPerson();
  const memories = (await person.several(ids)).flatMap(({ id, seen }) => (seen === undefined ? [] : [{ id, seen }]));
  process.stdout.write('forgetting\n');
  const { erased } = await person.decide({ act: 'forget', memories, questions: [] }, signer);
  process.stdout.write(`${erased ?? ''}\n`);
  await engine.close();
})();
