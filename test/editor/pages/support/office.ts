/** The one editor of all page tests that need none of their own: each takes a desk and a window in it. */
import type { Workbench } from '../../harness';
import type { Desk } from './desk';
import { Home } from './home';
import { approveShown, openFromTree } from './page';

let opened: Promise<Home> | undefined;

/** Opened at first use, with the key of earlier decisions pinned. */
export function office(): Promise<Home> {
  return (opened ??= openOffice());
}

async function openOffice(): Promise<Home> {
  const home = new Home();
  home.pinKey();
  await home.open({});
  return home;
}

after(async () => {
  await (await opened)?.close();
});

/** Gives the profile a signing key of its own, as its first decision does, unless it has one. */
export async function withOwnKey(home: Home, desk: Desk, window: Workbench): Promise<void> {
  if (home.pinned().length > 1) return;
  await desk.propose({ title: 'The first decision of this profile' });
  await openFromTree(window, 'Pending', 'The first decision of this profile');
  await approveShown(window);
  await window.answerDialog('Make a New Key');
  await window.treeItems('Pending', 'The first decision of this profile').waitFor({ state: 'detached' });
  home.keepTestKey();
}
