/**
 * Development only: brings a store into any state through the ledger, so that the built server can be tried from outside.
 *
 *   npm run seed -- --store FILE --root FOLDER --keys FILE --from FILE.jsonl
 *
 * Each line of the input is a proposal with an `act`; each line of the output is what became of it. The key pair is made here and
 * its public half pinned in `--keys`; no store of the editor trusts it, and this script touches no store and no key it did not make.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  asStetError,
  invalidInput,
  keyId,
  openEngine,
  parse,
  pinFile,
  servedStates,
  type AgentAccess,
  type PersonAccess,
  type PersonAct,
  type PinFile,
  type SeenMemory,
  type Signer,
} from '../src/engine';

/** The person's acts after the proposal. */
type Decision = 'approve' | 'reject' | 'lapse' | 'retire' | 'contest' | 'forget';
const acts: Record<string, readonly Decision[]> = {
  propose: [],
  approve: ['approve'],
  reject: ['reject'],
  lapse: ['lapse'],
  retire: ['approve', 'retire'],
  contest: ['approve', 'contest'],
  forget: ['approve', 'forget'],
};

const lineSchema = z.looseObject({ act: z.enum(Object.keys(acts) as [string, ...string[]]), reason: z.string().optional() });

/** The private half and the stores it was used on, kept beside the pin file. */
const secretFile = z.strictObject({
  madeBy: z.literal('npm run seed'),
  keyId: z.string(),
  privateKey: z.string(),
  stores: z.array(z.string()),
});
type SecretFile = z.infer<typeof secretFile>;

class Refusal extends Error {}

async function main(): Promise<number> {
  const { store, root, keys, from } = options();
  const existed = existsSync(store);
  const foreignStore = new Refusal(`${store} is a store that this script did not make; it was left as it is.`);
  if (existed && !existsSync(keys)) throw foreignStore;
  const secret = secretFor(keys);
  const lines = readFileSync(from, 'utf8').split('\n');
  const engine = await openEngine({ storeFile: store, root, keysFile: keys });
  try {
    if (existed && !secret.stores.includes(engine.storeId)) throw foreignStore;
    if (!existed) keepSecret(keys, { ...secret, stores: [...secret.stores, engine.storeId] });
    const session = { id: crypto.randomUUID(), client: 'stet-seed', clientVersion: '0', startedAt: new Date().toISOString() };
    const doors = { agent: engine.forAgent(() => session), person: engine.forPerson(), signer: signerOf(secret) };
    let failed = 0;
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const answer = await become(line, doors).catch((thrown: unknown) => {
        failed += 1;
        const { code, message, hint } = asStetError(thrown);
        return { line: index + 1, error: { code, message, hint } };
      });
      console.log(JSON.stringify(answer));
    }
    return failed === 0 ? 0 : 1;
  } finally {
    await engine.close();
  }
}

async function become(
  line: string,
  { agent, person, signer }: { agent: AgentAccess; person: PersonAccess; signer: Signer },
): Promise<{ id: string; state: string }> {
  const { act, reason, ...proposal } = parse(lineSchema, json(line));
  let { id, state } = await agent.propose(proposal);
  for (const decision of acts[act] ?? []) {
    if (decision === 'approve' && servedStates.includes(state)) continue; // the same value stands already
    const seen = (await person.one(id))?.seen;
    if (seen === undefined) throw new Error(`${id} cannot be decided on`);
    ({ id, state } = await person.decide(actOf(decision, { id, seen }, reason ?? `seeded as ${act}`), signer));
  }
  return { id, state };
}

function actOf(decision: Decision, memory: SeenMemory, reason: string): PersonAct {
  switch (decision) {
    case 'approve':
      return { act: 'approve', ...memory };
    case 'forget':
      return { act: 'forget', memories: [memory], questions: [] };
    default:
      return { act: decision, ...memory, reason };
  }
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw invalidInput('The line is not JSON.');
  }
}

function options(): { store: string; root: string; keys: string; from: string } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { store: text, root: text, keys: text, from: text } });
  const { store, root, keys, from } = values;
  if (store === undefined || root === undefined || keys === undefined || from === undefined)
    throw new Refusal('usage: npm run seed -- --store FILE --root FOLDER --keys FILE --from FILE.jsonl');
  return { store, root, keys, from };
}

/** The key pair that belongs to a pin file; made with it where neither is there. */
function secretFor(keys: string): SecretFile {
  const beside = secretBeside(keys);
  if (!existsSync(keys) && !existsSync(beside)) return makeSecret(keys);
  if (!existsSync(keys) || !existsSync(beside))
    throw new Refusal(`${keys} is a key file that this script did not make; it was left as it is.`);
  const secret = secretFile.parse(JSON.parse(readFileSync(beside, 'utf8')));
  const pinned = pinFile.parse(JSON.parse(readFileSync(keys, 'utf8'))).keys.map((key) => key.id);
  if (pinned.length !== 1 || pinned[0] !== secret.keyId)
    throw new Refusal(`${keys} pins other keys than the one this script made; it was left as it is.`);
  return secret;
}

function makeSecret(keys: string): SecretFile {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const id = keyId(spki);
  const pin: PinFile = { version: 1, keys: [{ id, publicKey: spki.toString('base64'), since: new Date().toISOString() }] };
  const secret: SecretFile = {
    madeBy: 'npm run seed',
    keyId: id,
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    stores: [],
  };
  mkdirSync(dirname(keys), { recursive: true });
  keepSecret(keys, secret);
  writeFileSync(keys, JSON.stringify(pin, undefined, 2) + '\n', { flag: 'wx' });
  return secret;
}

const secretBeside = (keys: string) => `${keys}.development-secret`;

const keepSecret = (keys: string, secret: SecretFile) => {
  writeFileSync(secretBeside(keys), JSON.stringify(secret, undefined, 2) + '\n', { mode: 0o600 });
};

function signerOf(secret: SecretFile): Signer {
  const key = createPrivateKey({ key: Buffer.from(secret.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { keyId: secret.keyId, authority: 'person', sign: (bytes) => Promise.resolve(sign(null, bytes, key)) };
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const { message, hint } = error instanceof Refusal ? { message: error.message, hint: '' } : asStetError(error);
    console.error(`${message} ${hint}`.trim());
    process.exitCode = 2;
  },
);
