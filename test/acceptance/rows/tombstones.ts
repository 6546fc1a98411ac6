/** What a person rejected stays out, whoever says it again, in whatever letters, and however long ago it was. */
import type { Matrix } from '../matrix';
import { runJobsLater } from '../doors/jobs';
import { holding, lacking, readings, type Subject } from '../doors/agents';
import { rowCounts } from '../../mcp/support/sql-shell';
import { canary, World } from '../world';

export async function tombstoneRows(matrix: Matrix): Promise<void> {
  const world = await World.make();
  try {
    await matrix.ask('tombstone.laundering_sequence', 'M', async ({ control, must }) => {
      const { value, claim, neighbour } = await rejectedValue(world);
      const copyScope = 'path:packages/a/';
      // A copy that waited before, in a narrower scope, is laundered no less.
      const other = `Ropes of ${canary()} are tarred.`;
      const old = await world.propose({ statement: other, scope: copyScope });
      await world.reject((await world.propose({ statement: other, scope: 'workspace' })).id);
      await world.stand({ statement: `Successor of ${claim.subject}.`, claim: { ...claim, object: 'the second' } });
      for (const client of ['second-agent', 'third-agent']) {
        must(`${client} cannot propose it again`, (await world.refusal({ statement: value }, client)) === 'rejected_before');
        must(
          `nor its claim in other words`,
          (await world.refusal({ statement: `In other words, ${canary()}.`, claim }, client)) === 'rejected_before',
        );
      }
      const approved = await world.refused(world.decide({ act: 'approve', ...(await world.seen(old.id)) }));
      must(`an old copy cannot be approved (${approved})`, approved === 'rejected_before');
      const draft = { kind: 'decision', title: 'By hand', statement: value };
      const saved = await world.refused(world.person.save(draft, 'save page', world.key));
      must(`nor saved by hand (${saved})`, saved === 'rejected_before');
      control(
        'a neighbour that was never rejected is recalled',
        lacking(await readings(await world.server(), neighbour), neighbour.token).length === 0,
      );
    });

    for (const column of ['M', 'J'] as const)
      await matrix.ask('tombstone.survives_ttl_and_prune', column, async ({ control, must, none }) => {
        const { value, neighbour } = await rejectedValue(world);
        const waiting = await world.propose({ statement: `Waits with it: ${canary()}.` });
        none('jobs that could not be run', await runJobsLater(world, 400));
        await world.endServers();
        await world.engine.close();
        await world.sql((shell) => shell.run('VACUUM'));
        await world.reopen();
        must('refused after a year of housekeeping', (await world.refusal({ statement: value })) === 'rejected_before');
        must(
          'refused to another client',
          (await world.refusal({ statement: `  ${value.toUpperCase()}  ` }, 'second-agent')) === 'rejected_before',
        );
        must('the year did pass', (await world.memory(waiting.id)).state === 'expired');
        control(
          'a sibling of the same age is recalled',
          lacking(await readings(await world.server(), neighbour), neighbour.token).length === 0,
        );
      });

    await matrix.ask('tombstone.key_normalization_attack', 'M', async ({ control, must }) => {
      const token = canary();
      const value = `Use node 1.2 with paypal café ${token}`;
      await world.reject((await world.propose({ statement: value })).id);
      for (const [how, spelling] of Object.entries(lookAlikes(value)))
        must(`refused as ${how}`, ['rejected_before', 'hidden_characters'].includes(await world.refusal({ statement: spelling })));
      for (const [how, spelling] of Object.entries(lookAlikes(value)).filter(
        ([, text]) => !/[\p{Cf}\u{FE0F}\u{E0000}-\u{E01EF}]/u.test(text),
      ))
        must(`refused as rejected, as ${how}`, (await world.refusal({ statement: spelling })) === 'rejected_before');
      must('a version of other digits is another value', (await world.refusal({ statement: value.replace('1.2', '12') })) === 'accepted');
      const distinct = [
        '日本語で書く',
        '日本语で書く',
        'пишем по-русски',
        '한국어로 쓴다',
        'נכתב בעברית',
        '🚀 first',
        '🚁 first',
        'x > 1',
        'x < 1',
      ];
      for (const one of distinct) await world.reject((await world.propose({ statement: `${one} ${token}` })).id);
      for (const one of ['日本語で描く', 'пишем по-болгарски', '한국어로 읽는다', 'נכתב בערבית', '🚂 first', 'x = 1'])
        must(`${one} is a value of its own`, (await world.refusal({ statement: `${one} ${token}` })) === 'accepted');
      const paraphrase = await world.propose({ statement: `${value} always` });
      control(
        'a paraphrase waits, and is said to resemble a rejection',
        paraphrase.state === 'pending' && paraphrase.resembles.some(({ state }) => state === 'rejected'),
      );
    });

    await matrix.ask('tombstone.reextraction_stays_inactive', 'M', async ({ control, must, none }) => {
      const { value, token } = await rejectedValue(world);
      const source = { evidence: [{ kind: 'file' as const, path: 'docs/first.md', startLine: 1, endLine: 3 }] };
      must(
        'read again from its source it is refused',
        (await world.refusal({ statement: value, ...source }, 'onboarding')) === 'rejected_before',
      );
      must(
        'with another title too',
        (await world.refusal({ title: 'Found in docs', statement: `**${value}**`, ...source }, 'onboarding')) === 'rejected_before',
      );
      const companion = await world.propose({ statement: `Beside it: ${canary()}.`, ...source }, 'onboarding');
      control('another claim of the same source waits', companion.state === 'pending');
      const rows = await world.person.list({ states: ['pending', 'active', 'contested'], limit: 1_000, offset: 0 });
      none(
        'rows that carry it',
        rows.filter(({ memory }) => memory?.content.statement.includes(token) === true).map(({ id }) => id),
      );
    });

    for (const column of ['M', 'B'] as const)
      await matrix.ask('tombstone.no_second_memory_unit', column, async ({ control, must }) => {
        const { value, neighbour } = await rejectedValue(world);
        const count = async () => (await world.sql((shell) => rowCounts(shell)))['memories'];
        const before = await count();
        const refusals = (await world.refusals()).length;
        for (const client of ['second-agent', 'third-agent']) await world.refusal({ statement: value, commandId: canary() }, client);
        must('no row was made', (await count()) === before);
        const after = await world.refusals();
        must('both were refused by an event', after.length === refusals + 2);
        must(
          'the tombstone was consulted, no key collided',
          after.slice(0, 2).every((detail) => detail.includes('rejected_before')),
        );
        control('what is around it is recalled', lacking(await readings(await world.server(), neighbour), neighbour.token).length === 0);
        const nothing = await readings(await world.server(), { ...neighbour, id: crypto.randomUUID(), token: canary() });
        must('and the readings tell them apart', holding(nothing, value).length === 0);
      });
  } finally {
    await world.close();
  }
}

interface Rejected {
  readonly value: string;
  readonly token: string;
  readonly claim: { readonly subject: string; readonly predicate: string; readonly object: string };
  readonly neighbour: Subject;
}

/** A value that a person rejected, and a neighbour of it that they let stand. */
async function rejectedValue(world: World): Promise<Rejected> {
  const [token, other] = [canary(), canary()];
  const claim = { subject: `rope of ${token}`, predicate: 'is', object: 'the first' };
  const value = `Ropes of ${token} are cut short.`;
  const id = await world.stand({
    title: `Beside ${other}`,
    statement: `Ropes of ${other} are cut long.`,
    anchors: [{ file: 'src/mail/post.ts' }],
  });
  await world.reject((await world.propose({ statement: value, claim })).id);
  return { value, token, claim, neighbour: { id, token: other, topic: 'ropes', path: 'src/mail/post.ts' } };
}

/** The same value in other letters. */
function lookAlikes(value: string): Record<string, string> {
  const swap = (from: string, to: string) => value.replaceAll(from, to);
  const fullwidth = value.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
  return {
    'decomposed letters': value.normalize('NFD'),
    'full-width letters': fullwidth,
    'Cyrillic letters': swap('a', '\u0430').replaceAll('e', '\u0435'),
    'Greek letters': swap('o', '\u03bf'),
    'capital letters': value.toUpperCase(),
    'no-break spaces': swap(' ', '\u00a0'),
    'several spaces': swap(' ', '   '),
    'a closing full stop': `${value}.`,
    'a closing exclamation mark': `${value}!`,
    Markdown: `**${value}**`,
    'zero-width joiners': swap('node', 'no\u200dde'),
    'zero-width spaces': swap('node', 'no\u200bde'),
    'bidirectional controls': `\u202e${value}\u202c`,
    'variation selectors': swap('node', 'no\ufe0fde'),
    'tag characters': `${value}\u{e0041}\u{e007f}`,
    'soft hyphens': swap('node', 'no\u00adde'),
  };
}
