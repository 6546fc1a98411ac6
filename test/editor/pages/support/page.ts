/** What a person sees and does in Stet's views and on its pages. */
import type { FrameLocator, Locator } from 'playwright-core';
import { until, type Workbench } from '../../harness';
import { appears } from '../../harness/appears';

/** Shows the views. */
export async function openViews(
  window: Workbench,
  ...views: readonly ('Pending' | 'Standing' | 'Contested' | 'Retired' | 'For This File')[]
): Promise<void> {
  await window.openContainer('Stet');
  for (const view of views) await window.expandView(view);
}

/** What the number on Stet's icon says; empty where there is none. */
export async function badge(window: Workbench): Promise<string> {
  const number = window.page.locator('.part.activitybar').getByRole('tab', { name: /^Stet/ }).locator('.badge-content');
  return (await number.count()) === 0 ? '' : number.innerText();
}

export async function badgeSays(window: Workbench, count: number, timeoutMs?: number): Promise<void> {
  let said = '';
  await until(
    () => `the badge to say ${count}; it says "${said}"`,
    async () => (said = await badge(window)) === (count === 0 ? '' : String(count)),
    { ...(timeoutMs !== undefined && { timeoutMs }) },
  );
}

/** The page of a memory. */
export const memoryPage = (window: Workbench): Promise<FrameLocator> => window.webview('Memory');

/** Opens a memory's page from its row, and waits until it is drawn. */
export async function openFromTree(
  window: Workbench,
  view: 'Pending' | 'Standing' | 'Contested' | 'Retired',
  title: string,
): Promise<FrameLocator> {
  await openViews(window, view);
  await window.treeItems(view, title).click();
  return showing(window, title);
}

/** Waits until the page shows the memory with this title. A page that was hidden is drawn anew in another frame. */
export function showing(window: Workbench, title: string): Promise<FrameLocator> {
  return until(`the page to show "${title}"`, async () => {
    const page = await memoryPage(window);
    return (await appears(page.getByRole('heading', { level: 1, name: title, exact: true }), 1_000)) && page;
  });
}

/** The id of the memory that the page shows. */
export const idOn = (page: FrameLocator): Promise<string> => page.locator('dl.facts dt:text-is("Id") + dd').innerText();

/** Presses a button of the page once it takes presses. */
export const press = (page: FrameLocator, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

export async function approveShown(window: Workbench): Promise<void> {
  await press(await memoryPage(window), 'Approve');
}

/** What has the focus inside a page. */
export const focused = (page: FrameLocator): Locator => page.locator(':focus');

/** Presses Tab until the element has the focus. */
export async function tabTo(window: Workbench, element: Locator): Promise<void> {
  const mostSteps = 40;
  for (let step = 0; step < mostSteps; step += 1) {
    if (await hasFocus(element)) return;
    await window.page.keyboard.press('Tab');
  }
  throw new Error(`${mostSteps} presses of Tab did not lead to ${element.toString()}.`);
}

export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((node: { ownerDocument: { activeElement: unknown } }) => node.ownerDocument.activeElement === node);

/** Runs a command from the palette without touching the pointer. */
export async function byKeyboard(window: Workbench, title: string): Promise<void> {
  await until(`the palette to offer "${title}"`, async () => {
    await window.page.keyboard.press('F1');
    await window.quickInput().waitFor();
    await window.page.keyboard.type(title);
    const isFirst = async () => (await window.pickerLabels())[0]?.endsWith(`: ${title}`) === true;
    const offered = await until('it to come first', isFirst, { timeoutMs: 3_000 }).catch(() => false);
    await window.page.keyboard.press(offered ? 'Enter' : 'Escape');
    return offered;
  });
}

/** The labels of the entries that the open box offers, without the line below each. */
export const offered = (window: Workbench): Promise<string[]> =>
  window.page.locator('.quick-input-widget:visible .quick-input-list-rows > :first-child .label-name').allInnerTexts();
