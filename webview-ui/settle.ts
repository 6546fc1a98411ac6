/**
 * Buttons that wait before they take a press. What was meant for something that was there before, or for a page that something else has
 * brought to the front, must not decide.
 */
const settleMs = 600;
const waiting = new Set<HTMLButtonElement>();
let timer: number | undefined;

/** Lets these buttons wait until nobody has pressed anything for a while. */
export function settle(...buttons: readonly HTMLButtonElement[]): void {
  for (const one of buttons) {
    one.disabled = true;
    waiting.add(one);
  }
  wait();
}

/** Takes no press from now on, even when its wait is over. */
export function shut(...buttons: readonly HTMLButtonElement[]): void {
  for (const one of buttons) {
    one.disabled = true;
    waiting.delete(one);
  }
}

function wait(): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    for (const one of waiting) one.disabled = false;
    waiting.clear();
  }, settleMs);
}

/** Whether a key could press a button; Tab and what is typed into a field cannot. */
const presses = ({ key, target }: KeyboardEvent) =>
  (key === 'Enter' || key === ' ') && !(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement);

// Somebody who goes on pressing has not seen yet what is there now.
window.addEventListener(
  'pointerdown',
  () => {
    if (waiting.size > 0) wait();
  },
  true,
);
window.addEventListener(
  'keydown',
  (event) => {
    if (waiting.size > 0 && presses(event)) wait();
  },
  true,
);
