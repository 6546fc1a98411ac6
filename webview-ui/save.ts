/** The form on which a person writes a memory. Pressing Save signs it. */
import type { Draft, FromPage } from '../src/editor/page-messages';
import { changesBetween } from '../src/editor/word-diff';
import { button, element, words } from './elements';
import { host } from './host';
import { changesOf } from './memory-text';
import type { Say, Sheet } from './page';
import { settle, shut } from './settle';

type Fields = Extract<FromPage, { type: 'save' }>['fields'];
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function saveSheet(token: string, draft: Draft, say: Say): Sheet {
  const controls = controlsFor(draft);
  const { labels, values: begun } = draft;
  const withLines = element('input', { type: 'checkbox', id: 'with-lines' });
  withLines.checked = true;
  const withReplaces = element('input', { type: 'checkbox', id: 'with-replaces' });
  withReplaces.checked = true;
  const place = element('select', { id: 'place' }, ...draft.places.map((name, index) => element('option', { value: String(index) }, name)));

  const fields: Record<keyof Fields, HTMLElement> = {
    kind: field(labels.kind, controls.kind),
    title: field(labels.title, controls.title, 'One line that says what it is about.'),
    appliesWhen: field(labels.appliesWhen, controls.appliesWhen, 'The situation in which it is to be followed.'),
    statement: field(labels.statement, controls.statement, 'In full: this is what agents read.'),
    steps: field(labels.steps, controls.steps, 'One step on each line, in order.'),
    rationale: field(labels.rationale, controls.rationale, 'Optional.'),
    alternatives: field(labels.alternatives, controls.alternatives, 'Optional. One on each line.'),
    appliesTo: field(
      labels.appliesTo,
      controls.appliesTo,
      'Optional. One on each line: a file, a folder ending in /, a pattern such as src/**/*.sql, or a symbol such as src/a.ts#name.',
    ),
    tags: field(labels.tags, controls.tags, 'Optional, with commas between them.'),
    validFrom: field(labels.validFrom, controls.validFrom, 'Optional.'),
    validTo: field(labels.validTo, controls.validTo, 'Optional.'),
    occurredAt: field(labels.occurredAt, controls.occurredAt, 'Optional.'),
    scope: field(labels.scope, controls.scope),
    subject: field(labels.subject, controls.subject, 'Such as the service or module it is about.'),
    predicate: field(labels.predicate, controls.predicate, 'Such as “uses” or “listens on”.'),
    object: field(labels.object, controls.object, 'The value.'),
    cardinality: field(labels.cardinality, controls.cardinality, 'Where one value is said, another one contests it.'),
    reason: field(labels.reason, controls.reason, 'Kept in the history of what it replaces, signed with your key.'),
  };
  const lines = draft.lines && restsOn(draft.lines, labels.lines, withLines);

  const followKind = () => {
    const guidance = draft.kinds.find(({ value }) => value === controls.kind.value)?.guidance ?? false;
    fields.appliesWhen.hidden = !guidance;
    fields.steps.hidden = controls.kind.value !== 'workflow';
  };
  controls.kind.addEventListener('change', followKind);
  /** What holds in all projects applies to no file of this one. */
  const followScope = () => {
    const everywhere = draft.scopes[Number(place.value || 0)]?.[Number(controls.scope.value || 0)]?.everywhere ?? false;
    fields.appliesTo.hidden = everywhere;
    if (lines !== undefined) lines.hidden = everywhere;
  };
  const offerScopes = () => {
    const scopes = draft.scopes[Number(place.value || 0)] ?? [];
    controls.scope.replaceChildren(...scopes.map(({ name }, index) => element('option', { value: String(index) }, name)));
    fields.scope.hidden = scopes.length < 2;
    followScope();
  };
  place.addEventListener('change', offerScopes);
  controls.scope.addEventListener('change', followScope);
  offerScopes();
  restore(token, controls);
  fields.reason.hidden = !draft.asksReason;
  followKind();
  followScope();

  const save = button(draft.confirms, 'primary', () => {
    const first = problems(controls, fields);
    if (first !== undefined) {
      first.focus();
      return;
    }
    shut(save); // until it is said that it was not saved
    say({
      type: 'save',
      token,
      place: Number(place.value || 0),
      withLines: withLines.checked,
      withReplaces: withReplaces.checked,
      fields: values(controls, fields),
    });
  });
  const heading = element('h1', {}, draft.heading);
  const content = element(
    'div',
    {},
    heading,
    element('p', { class: 'muted' }, draft.intro),
    draft.places.length > 1 && field('Folder', place),
    fields.kind,
    fields.title,
    fields.appliesWhen,
    fields.statement,
    fields.steps,
    fields.reason,
    fields.rationale,
    fields.alternatives,
    lines,
    draft.replaces !== undefined &&
      element(
        'label',
        { class: 'check field', for: 'with-replaces' },
        withReplaces,
        element('span', {}, `${labels.replaces} ${draft.replaces}`),
      ),
    fields.appliesTo,
    fields.scope,
    fields.tags,
    element('div', { class: 'pair' }, fields.validFrom, fields.validTo, fields.occurredAt),
    claimOf(fields, controls),
  );
  const compare = draft.against && comparison(draft.against, controls);
  if (compare !== undefined) content.append(compare.place);
  let empty = isEmpty(controls, begun);
  content.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLElement) clearProblem(target);
    compare?.draw();
    const emptyNow = isEmpty(controls, begun);
    if (emptyNow !== empty) say({ type: 'written', token, empty: (empty = emptyNow) });
    host.setState({ token, values: Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value])) });
  });
  return {
    content,
    actions: element('div', { class: 'actions' }, save),
    start: controls.title,
    showProblem: (part, text) => {
      const [at, place] =
        part === 'lines' ? [withLines, content] : part === 'replaces' ? [withReplaces, content] : [controls[part], fields[part]];
      setProblem(at, place, text);
      at.focus();
    },
    release: () => {
      settle(save);
    },
  };
}

/** Whether a person has written nothing yet that would be lost. */
const isEmpty = (controls: Record<keyof Fields, Control>, begun: Draft['values']) =>
  (Object.keys(controls) as (keyof Fields)[])
    .filter((name) => name !== 'kind' && name !== 'scope')
    .every((name) => controls[name].value.trim() === (begun[name] ?? '').trim());

function controlsFor(draft: Draft): Record<keyof Fields, Control> {
  const { limits } = draft;
  const kind = element('select', {}, ...draft.kinds.map(({ value, name }) => element('option', { value }, name)));
  const cardinality = element(
    'select',
    {},
    ...[
      ['', 'Not said'],
      ['one', 'One value'],
      ['many', 'Many values'],
    ].map(([value, name]) => element('option', { value }, name)),
  );
  const claim = () => element('input', { type: 'text', maxlength: String(limits.claim), autocomplete: 'off' });
  const controls: Record<keyof Fields, Control> = {
    kind,
    title: element('input', { type: 'text', maxlength: String(limits.title), 'aria-required': 'true', autocomplete: 'off' }),
    appliesWhen: element('textarea', { rows: '2', maxlength: String(limits.appliesWhen), 'aria-required': 'true' }),
    statement: element('textarea', { rows: '5', maxlength: String(limits.statement), 'aria-required': 'true' }),
    steps: element('textarea', { rows: '4', 'aria-required': 'true' }),
    rationale: element('textarea', { rows: '3', maxlength: String(limits.rationale) }),
    alternatives: element('textarea', { rows: '2' }),
    appliesTo: element('textarea', { rows: '2', spellcheck: 'false' }),
    scope: element('select', {}),
    tags: element('input', { type: 'text', autocomplete: 'off' }),
    validFrom: element('input', { type: 'date' }),
    validTo: element('input', { type: 'date' }),
    occurredAt: element('input', { type: 'date' }),
    subject: claim(),
    predicate: claim(),
    object: claim(),
    cardinality,
    reason: element('textarea', { rows: '2', maxlength: String(limits.reason), 'aria-required': 'true' }),
  };
  for (const [name, value] of Object.entries(draft.values)) controls[name as keyof Fields].value = value;
  return controls;
}

/** A memory as data: subject, predicate and object, shut away until somebody wants it. */
function claimOf(fields: Record<keyof Fields, HTMLElement>, controls: Record<keyof Fields, Control>): HTMLElement {
  const made = element(
    'details',
    { class: 'field' },
    element('summary', {}, 'As a claim'),
    fields.subject,
    fields.predicate,
    fields.object,
    fields.cardinality,
  );
  made.open = controls.subject.value !== '';
  return made;
}

/** The wording that is edited against the one that was proposed, as it is typed. */
function comparison(against: NonNullable<Draft['against']>, controls: Record<keyof Fields, Control>) {
  const place = element('section', { class: 'field', 'aria-label': 'What you change' });
  const draw = () => {
    const pairs = [
      [against.title, controls.title.value],
      [against.statement, controls.statement.value],
    ] as const;
    const changed = pairs.filter(([before, now]) => before !== now);
    place.replaceChildren(
      element('h2', {}, 'What you change'),
      ...(changed.length === 0 ? [element('p', { class: 'muted' }, 'Nothing yet of its title and of what holds.')] : []),
      ...changed.map(([before, now]) => changesOf(changesBetween(before, now))),
    );
  };
  draw();
  return { place, draw };
}

let fieldCount = 0;

function field(label: string, control: Control, hint?: string): HTMLElement {
  const id = control.id || `field-${String((fieldCount += 1))}`;
  control.id = id;
  if (hint !== undefined) control.setAttribute('aria-describedby', `${id}-hint`);
  control.setAttribute('aria-errormessage', `${id}-problem`);
  return element(
    'div',
    { class: 'field' },
    element('label', { for: id }, label),
    hint !== undefined && element('span', { class: 'hint', id: `${id}-hint` }, hint),
    control,
    element('span', { class: 'problem', role: 'alert', id: `${id}-problem` }),
  );
}

function restsOn({ name, excerpt }: NonNullable<Draft['lines']>, label: string, withLines: HTMLInputElement): HTMLElement {
  return element(
    'div',
    { class: 'field' },
    element('label', { class: 'check', for: 'with-lines' }, withLines, element('span', {}, `${label} ${name}`)),
    element('span', { class: 'problem', role: 'alert', id: 'with-lines-problem' }),
    excerpt && element('pre', { class: 'excerpt', tabindex: '0', 'aria-label': name }, words(excerpt)),
  );
}

/** Marks what is missing. @returns the first field to correct. */
function problems(controls: Record<keyof Fields, Control>, fields: Record<keyof Fields, HTMLElement>): Control | undefined {
  const needed: Partial<Record<keyof Fields, string>> = {
    title: 'Give it a title.',
    appliesWhen: 'Say when it applies.',
    statement: 'Say what holds.',
    steps: 'Name at least one step.',
    reason: 'Say why, in a few words.',
  };
  let first: Control | undefined;
  for (const name of Object.keys(fields) as (keyof Fields)[]) {
    const missing = needed[name] !== undefined && !fields[name].hidden && controls[name].value.trim() === '' ? needed[name] : undefined;
    setProblem(controls[name], fields[name], missing);
    if (missing !== undefined) first ??= controls[name];
  }
  return first;
}

/** @param place what holds the control and the room for what is wrong with it. */
function setProblem(control: HTMLElement, place: HTMLElement, text: string | undefined): void {
  control.setAttribute('aria-invalid', String(text !== undefined));
  const problem = place.querySelector(`#${control.id}-problem`);
  if (problem !== null) problem.textContent = text ?? '';
}

/** What was wrong with a field is being corrected. */
function clearProblem(control: HTMLElement): void {
  const place = control.closest<HTMLElement>('.field');
  if (place !== null && control.getAttribute('aria-invalid') === 'true') setProblem(control, place, undefined);
}

const values = (controls: Record<keyof Fields, Control>, fields: Record<keyof Fields, HTMLElement>): Fields =>
  Object.fromEntries(
    Object.entries(controls).map(([name, control]) => [name, fields[name as keyof Fields].hidden ? '' : control.value]),
  ) as Fields;

/** A page that was hidden is drawn anew; what was typed is still there. */
function restore(token: string, controls: Record<keyof Fields, Control>): void {
  const state = host.getState() as { token?: unknown; values?: Record<string, unknown> } | undefined;
  if (state?.token !== token) return;
  for (const [name, control] of Object.entries(controls)) {
    const value = state.values?.[name];
    if (typeof value === 'string') control.value = value;
  }
}
