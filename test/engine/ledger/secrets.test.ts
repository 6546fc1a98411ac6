import assert from 'node:assert/strict';
import { maskSecrets, secretIn } from '../../../src/engine/ledger/secrets';

// All invented; put together here, so that no scanner of this repository takes them for real ones.
const joined = (...parts: string[]) => parts.join('');
const jwt = joined('eyJhbGciOiJIUzI1NiIs', '.eyJzdWIiOiIxMjM0NTY3', '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9');
const pem = joined('-----BEGIN RSA PRIVATE', ' KEY-----\nMIIEowIBAAKCAQEA7bq1\nx9Yw==\n-----END RSA PRIVATE', ' KEY-----');
const aws = joined('AKIA', 'Q3EGRWJ7K2LMNOPQ');
const github = joined('ghp_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx');
const slack = joined('xoxb-', '123456789012-1234567890123-', 'AbCdEfGhIjKlMnOpQrStUvWx');

describe('the secret rules', () => {
  const secrets: readonly (readonly [what: string, text: string, secret: string, rule: string])[] = [
    ['a key of a cloud', `key ${aws} is used`, aws, 'aws'],
    ['a token of a code host', `export GH=${github}`, github, 'github'],
    ['a token of a chat', `it posts with ${slack}`, slack, 'slack'],
    ['a password in a connection', 'postgres://app:Tr0ub4dor@db.internal/app', 'Tr0ub4dor', 'database-connection-string'],
    [
      'a registry token',
      `//registry.npmjs.org/:_authToken=${joined('npm_', 'AbCd1234EfGh5678IjKl9012MnOp3456QrSt')}`,
      'MnOp3456QrSt',
      'npm',
    ],
    ['a JWT', `sends ${jwt} along`, jwt, 'jwt'],
    ['a bearer header', 'curl -H "Authorization: Bearer a81f.c2d9e7b04411"', 'a81f.c2d9e7b04411', 'authorization'],
    ['a bearer token in prose', 'we send bearer 9f8e7d6c5b4a39281706', '9f8e7d6c5b4a39281706', 'authorization'],
    ['a PEM block', `the key:\n${pem}\nends`, pem, 'private-key'],
    ['a PEM block in JSON', pem.replaceAll('\n', '\\n'), pem.replaceAll('\n', '\\n'), 'private-key'],
    [
      'the head of a PEM block',
      joined('-----BEGIN PRIVATE', ' KEY-----\nMIIEvQIBADANBgkqhkiG9w0B'),
      'MIIEvQIBADANBgkqhkiG9w0B',
      'private-key',
    ],
    ['a password', 'password=hunter2', 'hunter2', 'password'],
    ['a password in YAML', 'db:\n  passwd: s3cr3t.with.dots', 's3cr3t.with.dots', 'password'],
    ['a password in JSON', '{"user":"a","password": "correct horse 9"}', 'correct horse 9', 'password'],
    ['a password in JSON within JSON', '{\\"dbPassword\\":\\"hunter22\\"}', 'hunter22', 'password'],
    ['a password of digits', "pwd: '83920174'", '83920174', 'password'],
    ['a key with a dot inside', 'api_key = live.4f9a8b7c6d5e4f3a', 'live.4f9a8b7c6d5e4f3a', 'secret-assignment'],
    ['a prefixed key with a dot inside', 'uses sk-proj.4f9a8b7c6d5e4f3a2b1c', 'sk-proj.4f9a8b7c6d5e4f3a2b1c', 'api-key'],
    ['a client secret', 'clientSecret: "8f14e45fceea167a"', '8f14e45fceea167a', 'secret-assignment'],
    ['a key in a query', 'GET /x?api_key=4f9a8b7c6d5e', '4f9a8b7c6d5e', 'secret-assignment'],
    ['an assignment of .env', 'STRIPE_KEY=live.51H8x9Yz.abcdef', 'live.51H8x9Yz.abcdef', 'key-assignment'],
    ['an exported token', 'export DEPLOY_TOKEN=7c9e6679f3a14b0c', '7c9e6679f3a14b0c', 'key-assignment'],
  ];
  for (const [what, text, secret, rule] of secrets)
    it(`find and mask ${what}`, async () => {
      assert.deepEqual(await secretIn([{ field: 'statement', text }]), { field: 'statement', rule });
      const masked = await maskSecrets(text);
      assert.ok(!masked.includes(secret), masked);
      for (const piece of secret.split(/[.\s]/).filter((part) => part.length > 5)) assert.ok(!masked.includes(piece), masked);
      assert.match(masked, new RegExp(`\\[secret: ${rule}\\]`));
      assert.equal(await secretIn([{ field: 'statement', text: masked }]), undefined);
    });

  const ordinary: readonly string[] = [
    'No API key in the build',
    'Use `import.meta.env.VITE_API_KEY`, and apiKey: import.meta.env.VITE_API_KEY2 in tests.',
    'Since commit 6b497f2f3749ee02d958b8ae641e6a643b8a01c2 the store is one file.',
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '"integrity": "sha512-pVnoc7wVBVyqLZ0fP9Kyh0fQ1bKzJ0aG5a0bG1c0p9rF6x3Z1JYp0nB9y4pQJt7uH8m2wq6k5L4z3x2c1v0bNA=="',
    'password=<your password>',
    'password=****',
    'API_KEY=${SECRET}, DB_PASSWORD=$DB_PASSWORD and {{ secret }}',
    'const password = process.env.DB_PASSWORD;',
    'secret: secrets.DEPLOY_SECRET',
    'password: string; apiKey: z.string().min(32); secret: Uint8Array',
    'The password: must have 12 characters; passwords are hashed.',
    'password: argon2id, secret: base64',
    'Bearer tokens are checked; Authorization: Bearer <token>',
    'basic authentication-is-not-used-here',
    'api_key=your-api-key-123',
    'api-key: dGVzdC1hcGkta2V...',
    'auth-key=\nedc.callback.endpoint1.auth-code-id=',
    'api-key: model-1_api-key:ref',
    'AWS account_id=754256621582 and the key AKIAIOSFODNN7EXAMPLE',
    'PRIMARY_KEY=customer_0123456789, CACHE_KEY=user_0123456789',
    'secret = vault:kv/data/app1, password: op://vault/item/field1',
    'MAX_TOKENS=4096; token: 1500',
    'The sk-2024-11 branch; task-management-2024-11-30 is done.',
    'Headers of private keys (BEGIN PRIVATE KEY) are refused.',
    'https://github.com/owner/name/blob/6b497f2f3749ee02d958b8ae641e6a643b8a01c2/src/a.ts#L1-L20',
  ];
  for (const text of ordinary)
    it(`leave alone: ${text.slice(0, 70)}`, async () => {
      assert.equal(await secretIn([{ field: 'statement', text }]), undefined);
      assert.equal(await maskSecrets(text), text);
    });

  const directives = [
    '// secretlint-disable',
    '/* secretlint-disable */',
    '<!-- SECRETLINT-DISABLE -->',
    '# secretlint-disable-line',
    'secretlint\u2010disable',
  ];
  for (const directive of directives)
    it(`are not switched off by ${directive}`, async () => {
      for (const text of [`${directive}\n${aws}`, `${aws} ${directive}`])
        assert.deepEqual(await secretIn([{ field: 'reason', text }]), { field: 'reason', rule: 'aws' });
    });

  it('name the field that holds the secret, and none where there is none', async () => {
    const texts = [
      { field: 'title', text: 'No API key in the build' },
      { field: 'steps.0', text: 'One' },
      { field: 'steps.1', text: `Two: ${github}` },
    ];
    assert.deepEqual(await secretIn(texts), { field: 'steps.1', rule: 'github' });
    assert.equal(await secretIn(texts.slice(0, 2)), undefined);
    assert.equal(await secretIn([]), undefined);
  });

  it('find a block that is spread over the entries of a list', async () => {
    const steps = pem.split('\n').map((text, index) => ({ field: `steps.${index}`, text }));
    assert.deepEqual(await secretIn(steps), { field: 'steps.0', rule: 'private-key' });
  });

  it('mask several at once and keep the words between them', async () => {
    assert.equal(await maskSecrets(`first ${aws}, then ${github}.`), 'first [secret: aws], then [secret: github].');
  });
});
