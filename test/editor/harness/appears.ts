import type { Locator } from 'playwright-core';

/** Whether an element is visible now or becomes so in time. */
export const appears = (element: Locator, timeoutMs: number): Promise<boolean> =>
  element.waitFor({ timeout: timeoutMs }).then(
    () => true,
    () => false,
  );
