/** What other extensions and agents can do with Stet's commands: choose what is shown, and no more. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../../../scripts/project';
import { rowCounts, type SqlShell } from '../../mcp/support/sql-shell';
import { until, type Workbench } from '../harness';
import type { Desk } from './support/desk';
import type { Hands } from './support/hands';
import { closeWindow, type Home } from './support/home';
import { office, withOwnKey } from './support/office';
import { idOn, openViews, press, showing } from './support/page';

const manifest = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
};

/** Commands of the workbench with which whatever a command asks could be answered. */
const answers = [
  'workbench.action.acceptSelectedQuickOpenItem',
  'quickInput.accept',
  'list.select',
  'notifications.focusFirstToast',
  'notification.acceptPrimaryAction',
];

describe('a command that is called by another extension', () => {
  let home: Home;
  let desk: Desk;
  let window: Workbench;
  let hands: Hands;
  let shell: SqlShell;
  let waiting: string;
  let waitingToo: string;
  let standing: string;
  before(async () => {
    home = await office();
    desk = home.desk('customs');
    window = await home.window({ folder: desk.folder });
    hands = home.hands(desk.folder);
    await withOwnKey(home, desk, window);
    waitingToo = await desk.propose({ title: 'Letters are opened' });
    waiting = await desk.propose({ title: 'Parcels are opened' });
    standing = await desk.stand({ title: 'Crates are opened' });
    shell = await desk.sql();
    await openViews(window, 'Pending', 'Standing');
    await window.treeItems('Pending', 'Parcels are opened').waitFor();
    await window.treeItems('Standing', 'Crates are opened').waitFor();
  });
  after(() => closeWindow(window));

  const everything = async () => ({
    states: await desk.states(),
    rows: await rowCounts(shell),
    keys: readFileSync(desk.keysFile, 'utf8'),
  });

  /** A row of a tree as VS Code names it to commands, so that they get the tree's own object. */
  const rowOf = (view: string, id: string) => ({ $treeViewId: view, $treeItemHandle: `1/${desk.storeFile}/${id}` });

  /** What a command may be called with, by what it is. */
  const everyArgument = async (): Promise<Record<string, readonly unknown[]>> => {
    const whole: unknown = JSON.parse(JSON.stringify(await desk.memory(waiting)));
    const lookalike = { is: 'memory', key: `${desk.storeFile}/${waiting}`, store: { file: desk.storeFile }, memory: whole };
    return {
      nothing: [],
      'the id of what waits': [waiting],
      'the id of what stands': [standing],
      'the lookalike of a row': [lookalike],
      'an id in an object': [{ id: waiting }],
      'a copy of what the engine holds': [whole],
      'the row of what waits': [rowOf('stet.pending', waiting)],
      'the row of what stands': [rowOf('stet.standing', standing)],
      'the row that has the focus': [{ $treeViewId: 'stet.pending', $focusedTreeItem: true }],
      'a row and a selection of rows': [
        rowOf('stet.pending', waiting),
        [rowOf('stet.pending', waiting), rowOf('stet.pending', waitingToo)],
      ],
    };
  };

  /** Calls it and answers whatever it asks, as far as commands can. A modal question is left to the person, who sends it away. */
  const callAndAnswer = async (command: string, args: readonly unknown[]) => {
    const call = { returned: false };
    const running = hands.execute(command, ...args).finally(() => (call.returned = true));
    const asksModally = async () => (await window.dialog().count()) > 0;
    for (let question = 0; question < 4; question += 1) {
      await until(
        `${command} to return or to ask`,
        async () => call.returned || (await asksModally()) || (await window.pickerLabels()).length > 0,
      );
      if (call.returned) break;
      const modal = await asksModally();
      for (const answer of answers) await hands.execute(answer);
      if (!modal) continue;
      assert.ok(await asksModally(), 'no command has answered the modal question');
      await window.answerDialog('Cancel');
    }
    await hands.execute('workbench.action.closeQuickOpen');
    await running;
  };

  for (const { command } of manifest.contributes.commands)
    it(`changes nothing: ${command}, whatever it is called with and whatever answers its questions`, async () => {
      const earlier = await everything();
      for (const args of Object.values(await everyArgument())) {
        await callAndAnswer(command, args);
        if (args.length > 0) await callAndAnswer('runCommands', [{ commands: [{ command, args }] }]);
      }
      await hands.execute('notifications.clearAll');
      await hands.execute('workbench.action.closeAllEditors');
      assert.deepEqual(await everything(), earlier);
    });

  it('gets the tree’s own row where the row is named, which only chooses what is shown', async () => {
    await hands.execute('runCommands', { commands: [{ command: 'stet.approve', args: [rowOf('stet.pending', waitingToo)] }] });
    await showing(window, 'Letters are opened');
    await hands.execute('runCommands', { commands: [{ command: 'stet.approve', args: [rowOf('stet.pending', waiting)] }] });
    assert.equal(await idOn(await showing(window, 'Parcels are opened')), waiting);
    assert.equal((await desk.memory(waiting)).state, 'pending');
  });

  it('leaves the decision to a person’s press on the page, which a script cannot make', async () => {
    await hands.execute('stet.approve', waiting);
    const page = await showing(window, 'Parcels are opened');
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await until('the button to take presses', () => approve.isEnabled());
    await approve.evaluate((button: { click(): void }) => {
      button.click();
    });

    await press(page, 'Approve');

    await showing(window, 'Letters are opened');
    // Had the script's press counted, the person's would have let the next one stand.
    const { [waiting]: decided, [waitingToo]: next } = await desk.states();
    assert.deepEqual([decided, next], ['active', 'pending']);
  });

  it('is the only way in from outside: no address leads into the extension', () => {
    const extension = readFileSync(join(home.extension(), 'dist/extension.js'), 'utf8');
    assert.ok(extension.includes('registerCommand'));
    assert.ok(!extension.includes('registerUriHandler'));
  });
});
