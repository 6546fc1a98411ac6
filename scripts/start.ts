/**
 * `npm start`: builds Stet, queues the sample as an agent would, and opens it in an editor. With `--tour` it does the main job by
 * itself and shows each step.
 *
 *   npm start -- [--tour [--records FOLDER] [--limit 50]]
 */
import { cp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveEditor } from '../test/editor/harness';
import { tour } from '../test/tour/tour';
import { openDesktop } from './editor/desktop';
import { findEditor } from './editor/find-editor';
import { makePackage } from './package';
import { asMain, inProject } from './project';
import { propose, sampleProposals, targetIn } from './proposals';

asMain(import.meta.url, async () => {
  const { values } = parseArgs({ options: { tour: { type: 'boolean' }, records: { type: 'string' }, limit: { type: 'string' } } });
  const limit = values.limit === undefined ? 50 : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1) throw new Error('--limit takes a whole number of records, 1 or more.');
  if (values.tour === true) process.exitCode = (await tour({ records: values.records, limit })) ? 0 : 1;
  else if (values.records !== undefined) throw new Error('--records goes with --tour.');
  else await start();
});

async function start(): Promise<void> {
  const vsix = await makePackage();
  // Kept between starts, so that what was decided is there the next time, and apart from the person's own editor.
  const home = join(tmpdir(), `stet-start-${process.getuid?.() ?? 'user'}`);
  const folder = join(home, 'tidewater');
  await mkdir(home, { recursive: true });
  await cp(inProject('sample/service'), folder, { recursive: true });

  const found = await findEditor();
  const userDataDir = join(home, found.kind === 'desktop' ? 'desktop' : 'u');
  const target = targetIn(userDataDir, folder);
  const queued = await propose(await sampleProposals(), target);
  console.log(`${queued.length} decisions of an invented service wait for review in ${folder}.`);

  if (found.kind === 'desktop') {
    const editor = await openDesktop(found, { folder, vsix: [vsix], userDataDir, extensionsDir: join(home, 'x') });
    console.log(`VS Code ${found.version} opens with a profile of its own. Look at Stet in the activity bar, and press Review Pending.`);
    await new Promise((resolve) => editor.once('exit', resolve));
    return;
  }
  const editor = await serveEditor({ folder, vsix: [vsix], home });
  console.log(`${found.because}\nOpen ${editor.url}\nLook at Stet in the activity bar, and press Review Pending. Ctrl+C ends it.`);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await editor.close();
}
