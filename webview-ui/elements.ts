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

/** A button that only a person's own press sets off, and not a key that is held down. */
export function button(label: string, kind: 'primary' | 'secondary' | 'link', press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: kind }, label);
  made.addEventListener('keydown', (event) => {
    if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
  });
  made.addEventListener('click', (event) => {
    if (event.isTrusted) press();
  });
  return made;
}

/** Somebody's words as they are, with hidden characters to be seen. */
export function words(text: Shown): HTMLElement {
  return element(
    'span',
    { class: 'words', dir: 'auto' },
    ...text.map((piece) => (typeof piece === 'string' ? piece : hiddenCharacter(piece.hidden))),
  );
}

const hiddenCharacter = (code: string) => element('span', { class: 'hidden-character', title: `Hidden character ${code}` }, code);
