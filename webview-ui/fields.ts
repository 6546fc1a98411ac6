/** The fields of an act's form. */
import type { FormField, FromPage, ToPage } from '../src/editor/page-messages';
import { element, words } from './elements';

/** A form's fields as they stand in the page. */
export interface Fields {
  readonly parts: readonly HTMLElement[];
  /** What takes the focus. */
  readonly first: HTMLElement | undefined;
  readonly values: () => Record<string, string>;
  /** Marks what is missing. @returns the first field to correct. */
  readonly missing: () => HTMLElement | undefined;
  /** Shows what a search has found. */
  readonly showFound: (message: Found) => void;
}

export type Found = Extract<ToPage, { type: 'found' }>;
type Find = (query: Pick<Extract<FromPage, { type: 'find' }>, 'asked' | 'query'>) => void;

interface Made {
  readonly field: FormField;
  readonly place: HTMLElement;
  readonly focus: HTMLElement;
  readonly value: () => string;
  readonly showFound?: (message: Found) => void;
}

/**
 * @param kept what stood in the form before the page was drawn anew.
 * @param changed called with the name of the field that was changed.
 */
export function fieldsFor(
  fields: readonly FormField[],
  kept: Readonly<Record<string, string>>,
  find: Find,
  changed: (name: string) => void,
): Fields {
  const made = fields.map((field): Made => {
    const one = makeField(field, kept[field.name], find, () => {
      hideUnneeded();
      clearProblem(one);
      changed(field.name);
    });
    return one;
  });
  const isShown = ({ field: { when } }: Made): boolean =>
    when === undefined || when.is.includes(made.find(({ field }) => field.name === when.field)?.value() ?? '');
  const hideUnneeded = () => {
    for (const one of made) one.place.hidden = !isShown(one);
  };
  hideUnneeded();
  return {
    parts: made.map(({ place }) => place),
    first: made[0]?.focus,
    values: () => Object.fromEntries(made.filter(isShown).map(({ field, value }) => [field.name, value()])),
    missing: () => {
      let first: HTMLElement | undefined;
      for (const one of made.filter(isShown)) {
        if (one.field.required === undefined || one.value().trim() !== '') continue;
        setProblem(one, one.field.required);
        first ??= one.focus;
      }
      return first;
    },
    showFound: (message) => {
      for (const one of made) one.showFound?.(message);
    },
  };
}

function makeField(field: FormField, kept: string | undefined, find: Find, changed: () => void): Made {
  switch (field.is) {
    case 'reason': {
      const control = element('textarea', { rows: '2', maxlength: '1000' });
      return simple(field, control, kept, changed);
    }
    case 'line':
      return simple(field, element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: '1000' }), kept, changed);
    case 'date':
      return simple(field, element('input', { type: 'date', min: field.min, max: field.max }), kept ?? field.value, changed);
    case 'choice':
      return choiceField(field, kept ?? field.value, changed);
    case 'other':
      return otherField(field, find, changed);
  }
}

function simple(field: FormField, control: HTMLInputElement | HTMLTextAreaElement, value: string | undefined, changed: () => void): Made {
  const id = `act-${field.name}`;
  control.id = id;
  control.value = value ?? '';
  describe(control, field);
  control.addEventListener('input', changed);
  const place = element('div', { class: 'field' }, element('label', { for: id }, field.label), hintOf(field), control, problemOf(field));
  return { field, place, focus: control, value: () => control.value };
}

function choiceField(field: Extract<FormField, { is: 'choice' }>, chosen: string, changed: () => void): Made {
  const group = radioGroup(field.name, field.options, chosen, changed);
  const place = element('fieldset', { class: 'field' }, element('legend', {}, field.label), hintOf(field), group.list, problemOf(field));
  return {
    field,
    place,
    get focus() {
      return group.checked() ?? place;
    },
    value: () => group.checked()?.value ?? '',
  };
}

/** A search with what it has found below, to choose from. */
function otherField(field: Extract<FormField, { is: 'other' }>, find: Find, changed: () => void): Made {
  const id = `act-${field.name}`;
  const search = element('input', { type: 'search', id, autocomplete: 'off', 'aria-controls': `${id}-found` });
  describe(search, field);
  const said = element('span', { class: 'hint', role: 'status' });
  const list = element('div', { id: `${id}-found`, class: 'found', role: 'radiogroup', 'aria-label': 'Found' });
  let asked = 0;
  let timer: number | undefined;
  let chosen = '';
  const look = () => {
    find({ asked: (asked += 1), query: search.value });
  };
  search.addEventListener('input', (event) => {
    event.stopPropagation();
    window.clearTimeout(timer);
    timer = window.setTimeout(look, 200);
  });
  look();
  const place = element(
    'div',
    { class: 'field' },
    element('label', { for: id }, field.label),
    hintOf(field),
    search,
    said,
    list,
    problemOf(field),
  );
  return {
    field,
    place,
    focus: search,
    value: () => chosen,
    showFound: (message) => {
      if (message.asked !== asked) return;
      const options = message.memories.map(({ link, title, detail }) => ({ value: String(link), name: title, detail }));
      if (chosen !== '' && !options.some(({ value }) => value === chosen)) {
        chosen = '';
        changed();
      }
      const group = radioGroup(field.name, options, chosen, () => {
        chosen = group.checked()?.value ?? '';
        changed();
      });
      said.textContent = options.length === 0 ? 'Nothing that stands has these words.' : `${String(options.length)} found.`;
      list.replaceChildren(...group.list.childNodes);
    },
  };
}

interface Option {
  readonly value: string;
  readonly name: Parameters<typeof words>[0];
  readonly detail?: Parameters<typeof words>[0];
}

function radioGroup(name: string, options: readonly Option[], chosen: string, changed: () => void) {
  const radios = options.map(({ value }) => {
    const radio = element('input', { type: 'radio', name: `act-${name}`, value });
    radio.checked = value === chosen;
    radio.addEventListener('change', changed);
    return radio;
  });
  const list = element(
    'div',
    { class: 'choices' },
    ...options.map(({ name, detail }, index) =>
      element(
        'label',
        { class: 'check' },
        radios[index],
        element('span', {}, words(name), detail && element('span', { class: 'hint' }, words(detail))),
      ),
    ),
  );
  return { list, checked: () => radios.find(({ checked }) => checked) };
}

function describe(control: HTMLElement, { name, hint, required }: FormField): void {
  if (hint !== undefined) control.setAttribute('aria-describedby', `act-${name}-hint`);
  if (required !== undefined) control.setAttribute('aria-required', 'true');
  control.setAttribute('aria-errormessage', `act-${name}-problem`);
}

const hintOf = ({ name, hint }: FormField) => hint !== undefined && element('span', { class: 'hint', id: `act-${name}-hint` }, hint);
const problemOf = ({ name }: FormField) => element('span', { class: 'problem', role: 'alert', id: `act-${name}-problem` });

function setProblem({ place, focus, field }: Made, text: string): void {
  focus.setAttribute('aria-invalid', String(text !== ''));
  const problem = place.querySelector(`#act-${field.name}-problem`);
  if (problem !== null) problem.textContent = text;
}

function clearProblem(made: Made): void {
  if (made.focus.getAttribute('aria-invalid') === 'true') setProblem(made, '');
}
