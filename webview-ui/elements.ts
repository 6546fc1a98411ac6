/** Makes elements. Texts go in as text nodes only; there is no way here to put in markup. */
import type { Shown } from '../src/editor/shown-text';

type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | undefined>>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

/**
 * A button that only a person's own press sets off. Enter counts when it is let go, as Space does: what opens next must not be answered
 * by a key that is still held down.
 */
export function button(
  label: string,
  kind: 'primary' | 'secondary' | 'link',
  press: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', class: kind, ...attributes }, label);
  let enterIsDown = false;
  made.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      enterIsDown ||= event.isTrusted && !event.repeat;
    } else if (event.key === ' ' && event.repeat) {
      event.preventDefault();
    }
  });
  made.addEventListener('keyup', (event) => {
    if (event.key !== 'Enter') return;
    const pressed = enterIsDown && event.isTrusted;
    enterIsDown = false;
    if (pressed) press();
  });
  made.addEventListener('blur', () => {
    enterIsDown = false;
  });
  made.addEventListener('click', (event) => {
    if (event.isTrusted) press();
  });
  return made;
}

/** Somebody's words as they are, with hidden characters to be seen, read in their own direction. */
export function words(text: Shown, tag: 'span' | 'p' | 'li' | 'div' | 'h1' | 'h2' = 'span', attributes: Attributes = {}): HTMLElement {
  const pieces = text.map((piece) => (typeof piece === 'string' ? piece : hiddenCharacter(piece.hidden)));
  const made = element(tag, { dir: 'auto', ...attributes }, ...pieces);
  made.classList.add('words');
  return made;
}

const hiddenCharacter = (code: string) => element('span', { class: 'hidden-character', title: `Hidden character ${code}` }, code);
