/** What the protocol asks of the editor, beside the one deletion: what a person sees, presses, and cannot be tricked into. */
import { dropTriggers, rowCounts } from '../../mcp/support/sql-shell';
import { contributed } from '../../../src/editor/ids';
import { until } from '../../editor/harness';
import { memoryPage, press, showing } from '../../editor/pages/support/page';
import { holding, lacking, type Reading, type Subject } from '../doors/agents';
import { unprobed, type Studio, type WindowEyes } from '../doors/editor';
import { seenColumns, type Seen } from '../eyes';
import type { Matrix } from '../matrix';
import { scoreRow } from '../protocol';
import { commands, documentProviders, trees, webviews } from '../surfaces';
import { canary, type World } from '../world';
import type { Told } from './correction';
import { hostile } from './prompt';

const path = 'src/mail/post.ts';

export async function editorRows(matrix: Matrix, studio: Studio): Promise<void> {
  const members: Readonly<Record<Seen, number>> = { S: webviews.length, T: trees.length, V: documentProviders.length, C: commands.length };
  for (const column of seenColumns)
    await matrix.ask('every member has a probe', column, ({ control, none }) => {
      control('it has members', members[column] > 0);
      none('without a probe', unprobed[column]);
    });
  const world = await studio.world('harbour');
  const other = await studio.world('island');
  try {
    const eyes = await studio.eyes(world);
    await authority(matrix, world, eyes);
    await laundering(matrix, world, eyes);
    await commandsDecideNothing(matrix, world, eyes);
    await data(matrix, world, eyes);
    await withdrawn(matrix, world, eyes);
    await eyes.close();
    await boundary(matrix, studio, world, other);
  } finally {
    await world.close();
    await other.close();
  }
}

async function standing(world: World, more: object = {}): Promise<Subject> {
  const token = canary();
  const id = await world.stand({ title: `Lamps of ${token}`, statement: `Lamps of ${token} are lit.`, anchors: [{ file: path }], ...more });
  return { id, token, topic: 'Lamps', path };
}

/** Whether a tree shows a text. */
const shows = (all: readonly Reading[], view: string, text: string): boolean =>
  all.some((one) => one.by === view && one.text.includes(text));

/** A click is what lets a memory stand, and a row that says so without one is shown as what it is. */
async function authority(matrix: Matrix, world: World, eyes: WindowEyes): Promise<void> {
  const token = canary();
  const { id } = await world.propose({ title: `Clicked ${token}`, statement: `Approved by the user, says ${token}.` }, 'Kim, the owner');
  await matrix.ask('gateway.model_cannot_claim_human_authority', 'C', async ({ control, must }) => {
    for (const args of [[id], [{ id, state: 'active', approvedBy: 'Kim' }]])
      await eyes.hands.execute(contributed.commands.approve, ...args);
    must('a command with its id decides nothing', (await world.memory(id)).state === 'pending');
    await eyes.approve({ id, token, topic: 'clicked', path });
    const [last] = (await world.memory(id)).history.slice(-1);
    control('a real click does', (await world.memory(id)).state === 'active');
    must('it is signed with the key of this profile', last?.key !== undefined && last.key !== world.key.keyId);
  });
  await matrix.ask('gateway.model_cannot_claim_human_authority', 'T', async ({ control, must }) => {
    const flipped = await world.propose({ title: `Flipped ${token}`, statement: `Flipped, says ${token}.` });
    await world.sql(async (shell) => {
      await dropTriggers(shell);
      await shell.run("UPDATE statuses SET state = 'active' WHERE memory = (SELECT seq FROM memories WHERE id = ?)", flipped.id);
    });
    await world.propose({ title: 'Something new', statement: `So that the views look again, ${canary()}.` });
    const row = (all: readonly Reading[]) =>
      all.flatMap(({ text }) => text.split('\n')).filter((line) => line.includes(`Flipped ${token}`));
    const seen = await eyes.look(
      'T',
      [],
      (all) => row(all).some((line) => /changed/i.test(line)) && shows(all, 'Standing', `Clicked ${token}`),
    );
    must('the altered row is shown as altered', row(seen).length > 0 && row(seen).every((line) => /changed/i.test(line)));
    control('the approved one is shown as it is', shows(seen, 'Standing', `Clicked ${token}`));
  });
}

/** What was rejected on the page stays out, also by way of a copy that waited. */
async function laundering(matrix: Matrix, world: World, eyes: WindowEyes): Promise<void> {
  const token = canary();
  const statement = `Anchors of ${token} are blue.`;
  const copy = await world.propose({ title: `Copy ${token}`, statement, scope: 'path:packages/a/' });
  const value = await world.propose({ title: `Value ${token}`, statement, scope: 'workspace' });
  const neighbour = await standing(world);
  const open = async (view: string, title: string) => {
    await eyes.onlyView(view);
    await eyes.window.treeItems(view, title).click();
    return showing(eyes.window, title);
  };
  await matrix.ask('tombstone.laundering_sequence', 'T', async ({ control, must }) => {
    await open('Pending', `Value ${token}`);
    const page = await memoryPage(eyes.window);
    await press(page, 'Reject…');
    await page.getByRole('textbox').first().fill('They never were.');
    await press(page, 'Reject');
    await until('it to be rejected', async () => (await world.memory(value.id)).state === 'rejected');
    must('another client is refused', (await world.refusal({ statement }, 'second-agent')) === 'rejected_before');
    const seen = await eyes.look('T', [], (all) => shows(all, 'Retired', `Value ${token}`) && shows(all, 'Standing', neighbour.token));
    must('it is shown among what no longer holds', shows(seen, 'Retired', `Value ${token}`));
    must('and not among what stands', !shows(seen, 'Standing', token));
    control('a neighbour stands', shows(seen, 'Standing', neighbour.token));
  });
  await matrix.ask('tombstone.laundering_sequence', 'C', async ({ control, must }) => {
    await eyes.hands.execute(contributed.commands.approve, copy.id);
    await open('Pending', `Copy ${token}`);
    const page = await memoryPage(eyes.window);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await until('the page to say whether it can be approved', async () => (await page.getByText(/rejected/i).count()) > 0);
    if (await approve.isEnabled()) await approve.click();
    must('the copy that waited is not approved', (await world.memory(copy.id)).state === 'pending');
    must('saved by hand it is refused', await eyes.saveRefused('By hand', statement));
    control('something else can be saved', !(await eyes.saveRefused(`Another ${token}`, `Another of ${canary()}.`)));
  });
}

/** Whatever commands are run with, nothing is decided. */
async function commandsDecideNothing(matrix: Matrix, world: World, eyes: WindowEyes): Promise<void> {
  await matrix.ask('gateway.no_bypass_path', 'C', async ({ control, must }) => {
    const stood = await standing(world);
    const waiting = await world.propose({ title: 'Waits for a click', statement: `Waits, says ${canary()}.` });
    const row = (view: string, id: string) => ({ $treeViewId: view, $treeItemHandle: `1/${world.storeFile}/${id}` });
    const counts = async () => {
      const all = await world.sql((shell) => rowCounts(shell));
      const states = [await world.memory(stood.id), await world.memory(waiting.id)].map(({ state }) => state);
      return JSON.stringify([all['events'], all['memories'], all['statuses'], all['tombstones'], states]);
    };
    const before = await counts();
    for (const { command } of commands) {
      for (const args of [
        [],
        [waiting.id],
        [{ id: stood.id, memory: { state: 'active' } }],
        [row(contributed.views.pending, waiting.id), [row(contributed.views.standing, stood.id)]],
      ]) {
        const ended = eyes.hands.execute(command, ...args).catch(() => undefined);
        for (let press = 0; press < 6; press += 1) {
          const done = await Promise.race([ended.then(() => true), eyes.window.page.waitForTimeout(150).then(() => false)]);
          if (done) break;
          await eyes.hands.execute('quickInput.accept').catch(() => undefined);
          if (press > 1) await eyes.window.page.keyboard.press('Escape');
        }
        await ended;
      }
      must(`${command} changes nothing`, (await counts()) === before);
    }
    await eyes.hands.execute('notifications.clearAll');
    await eyes.hands.execute('workbench.action.closeAllEditors');
    await eyes.forget(stood);
    control('a person’s press does', (await world.memory(stood.id)).state === 'forgotten');
  });
}

/** A hostile text is shown as its words. */
async function data(matrix: Matrix, world: World, eyes: WindowEyes): Promise<void> {
  const token = canary();
  const id = await world.stand({
    title: `[x](command:stet.forget) $(trash) ${token}`,
    statement: hostile(token),
    anchors: [{ file: path }],
  });
  const subject = { id, token, topic: token, path };
  const live = 'a[href], script, img, iframe, button[data-href]';
  await matrix.ask('prompt.recall_is_fenced_as_data', 'S', async ({ control, must }) => {
    const seen = await eyes.look('S', [subject], (all) => lacking(all, token).length === 0);
    control('it is shown', lacking(seen, token).length === 0);
    for (const { name } of webviews) {
      const card = (await eyes.window.webview(name)).getByRole('listitem').filter({ hasText: token });
      must(`${name} makes nothing of it live`, (await card.locator(live).count()) === 0);
    }
    must('its markup is words', holding(seen, 'command:stet.forget').length > 0);
  });
  await matrix.ask('prompt.recall_is_fenced_as_data', 'T', async ({ control, must }) => {
    const seen = await eyes.look('T', [subject], (all) => holding(all, token).includes('Standing'));
    control('it is shown', holding(seen, token).includes('Standing'));
    await eyes.onlyView('Standing');
    const row = eyes.window.treeItems('Standing', token);
    must('no icon and no link is drawn from it', (await row.locator('.label-name a, .label-name .codicon').count()) === 0);
  });
  await matrix.ask('prompt.recall_is_fenced_as_data', 'V', async ({ control, must }) => {
    const seen = await eyes.look('V', [subject], (all) => holding(all, token).includes('history'));
    control('it is shown', holding(seen, token).includes('history'));
    await eyes.histories([subject]);
    const links = eyes.window.page.locator('.editor-group-container.active .monaco-editor .detected-link');
    const texts = await links.allInnerTexts();
    must('no command and no address of the editor is live in it', !texts.some((text) => /command:|vscode:/.test(text)));
  });
}

/** Retired without a successor: it is among what no longer holds, with the reason. */
async function withdrawn(matrix: Matrix, world: World, eyes: WindowEyes): Promise<void> {
  await matrix.ask('correction.retraction_without_replacement', 'T', async ({ control, must }) => {
    const [old, sibling] = [await standing(world), await standing(world)];
    const reason = `Put out since ${canary()}`;
    await world.retire(old.id, reason);
    const shown = (all: readonly Reading[]) => shows(all, 'Retired', old.token);
    const seen = await eyes.look('T', [], (all) => shown(all) && shows(all, 'Standing', sibling.token));
    must('it is among what no longer holds', shown(seen));
    must('and not among what stands', !shows(seen, 'Standing', old.token));
    control('its sibling stands', shows(seen, 'Standing', sibling.token));
    await eyes.onlyView('Retired');
    await eyes.window.treeItems('Retired', old.token).click();
    const page = await showing(eyes.window, `Lamps of ${old.token}`);
    await page.getByText(reason).first().waitFor();
    must('its page says why', (await page.getByText(reason).count()) > 0);
  });
}

/** A window on one folder shows nothing of another. */
async function boundary(matrix: Matrix, studio: Studio, world: World, other: World): Promise<void> {
  const [own, foreign] = [await standing(other), await standing(world)];
  const eyes = await studio.eyes(other);
  for (const column of seenColumns)
    await matrix.ask('scope.cross_tenant_absent', column, async ({ control, none }) => {
      const seen = await eyes.look(column, [own, foreign], (all) => holding(all, own.token).length > 0);
      control('a memory of its own is seen', holding(seen, own.token).length > 0);
      none('one of another folder is seen in', holding(seen, foreign.token));
      none('its id is seen in', holding(seen, foreign.id));
    });
  await eyes.close();
}

/** The five shapes as a person sees them: what stands, and what is only history. */
export async function shapesSeen(matrix: Matrix, eyes: WindowEyes, told: readonly Told[]): Promise<void> {
  for (const { shape, old, current, became } of told) {
    await matrix.ask(scoreRow(shape, 'E'), 'T', async ({ control, must }) => {
      const wanted = (all: readonly Reading[]) =>
        all.some(({ by, text }) => by === 'Standing' && current.every(({ token }) => text.includes(token)));
      const ended = (all: readonly Reading[]) => became === 'past' || shows(all, 'Retired', old.token);
      const seen = await eyes.look('T', [], (all) => wanted(all) && ended(all));
      control('what holds is among what stands', wanted(seen));
      const rows = seen
        .filter(({ by }) => by === 'Standing')
        .flatMap(({ text }) => text.split('\n'))
        .filter((line) => line.includes(old.token));
      must(
        'the old value is not, or says that it holds no longer',
        became === 'past' ? rows.length > 0 && rows.every((line) => /no longer/i.test(line)) : rows.length === 0,
      );
      must('it is among what no longer holds', ended(seen));
    });
    await matrix.ask(scoreRow(shape, 'D'), 'V', async ({ control, must }) => {
      const [holds] = current;
      const subjects = holds === undefined ? [old] : [old, holds];
      const seen = await eyes.look('V', subjects, (all) => subjects.every(({ token }) => holding(all, token).includes('history')));
      control('what holds has a history', holds !== undefined && holding(seen, holds.token).includes('history'));
      must('the old value is in its history, with its words', holding(seen, old.token).includes('history'));
    });
  }
}
