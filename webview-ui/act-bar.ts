/** The buttons that decide on what is shown, and the form of the act that was chosen. */
import type { Foreseen, PageAct, ToPage } from '../src/editor/page-messages';
import { button, element, words } from './elements';
import { fieldsFor, type Fields, type Found } from './fields';
import { dropForm, keepForm, keptForm } from './kept-form';
import type { Say } from './page';
import { settle, shut } from './settle';

/** What the bar is under: it changes while a form is being filled in. */
export interface Subject {
  readonly id: string;
  readonly token: string;
  readonly acts: readonly PageAct[];
  readonly asks?: string;
  readonly quietly: boolean;
  /** It waits, and can be left for later. */
  readonly waits: boolean;
}

export interface ActBar {
  readonly bar: HTMLElement | undefined;
  readonly start: HTMLElement | undefined;
  /** Whether what is being written still belongs to this showing. */
  readonly canGoOn: (next: Subject) => boolean;
  /** Fits what is being written to the showing that is there now. */
  readonly goOn: () => void;
  /** What was asked for was not done: it can be asked for again. */
  readonly release: () => void;
  /** The button of an act that has its place in the text. */
  readonly opener: (key: string) => HTMLButtonElement | undefined;
  readonly foresee: (message: Extract<ToPage, { type: 'foreseen' }>) => void;
  readonly showFound: (message: Found) => void;
  /** What goes with the form has changed elsewhere on the page. */
  readonly askAgain: () => void;
}

/** An act whose form is open. */
interface Writing {
  readonly key: string;
  readonly fields: Fields;
  readonly confirm: HTMLButtonElement;
  readonly consequences: HTMLElement;
  /** The number of the last question about it. */
  asked: number;
  /** The number of the question that was answered with nothing against it. */
  foreseen: number | undefined;
}

/** How long what is changed in a form rests before it is asked about. */
const askAfterMs = 250;

/**
 * @param now the showing.
 * @param title what takes the focus when there is nothing else.
 * @param also what else on the page goes with the form.
 */
export function actBar(
  now: () => Subject,
  title: () => HTMLElement,
  say: Say,
  also: () => Readonly<Record<string, string>> = () => ({}),
): ActBar {
  const bar = element('div', {});
  const openers = new Map<string, HTMLButtonElement>();
  let writing: Writing | undefined;
  let isWide = false;
  let timer: number | undefined;
  let asked = 0;
  /** A decision is on its way, and what comes next is another showing. */
  let decided = false;
  /** Buttons of acts that cannot be done, which stay shut. */
  let blocked: readonly HTMLButtonElement[] = [];
  const actOf = (key: string) => now().acts.find((act) => act.key === key);
  const isPossible = (key: string) => actOf(key)?.how.is === 'form';
  const buttons = () => [...bar.querySelectorAll('button')];

  const decide = (key: string, asked: number, values: Record<string, string>) => {
    shut(...buttons(), ...openers.values());
    dropForm();
    decided = true;
    say({ type: 'decide', token: now().token, key, asked, values });
  };
  const open = (act: PageAct) => {
    if (act.how.is === 'press') decide(act.key, act.how.foreseen.asked, {});
    else if (act.how.is === 'goes') say({ type: 'go', token: now().token, key: act.key });
    else showForm(act.key)?.focus();
  };
  const openerFor = (act: PageAct): HTMLButtonElement =>
    button(act.opens, act.key === 'approve' ? 'primary' : 'secondary', () => {
      open(actOf(act.key) ?? act);
    });

  /** @param given the act whose form was given up: its button takes the focus, so it does not wait. */
  const showChoices = (given?: string): HTMLElement | undefined => {
    writing = undefined;
    window.clearTimeout(timer);
    const made = (where: PageAct['where']) =>
      now()
        .acts.filter((act) => act.where === where)
        .map((act) => ({ act, press: openerFor(act) }));
    const [first, more] = [made('first'), made('more')];
    const skip = button('Skip', 'secondary', () => {
      shut(...buttons());
      say({ type: 'skip', token: now().token });
    });
    const rest = element('div', { class: 'actions more', id: 'more-acts' }, ...more.map(({ press }) => press));
    isWide ||= more.some(({ act }) => act.key === given);
    rest.hidden = !isWide;
    const toggle = button(
      'More',
      'secondary',
      () => {
        isWide = !isWide;
        rest.hidden = !isWide;
        toggle.setAttribute('aria-expanded', String(isWide));
      },
      { 'aria-expanded': String(isWide), 'aria-controls': 'more-acts' },
    );
    const all = [...first, ...more];
    const back = all.find(({ act }) => act.key === given)?.press ?? (given === undefined ? undefined : openers.get(given));
    blocked = all.filter(({ act }) => act.how.is === 'press' && act.how.foreseen.problem !== undefined).map(({ press }) => press);
    settle(...all.map(({ press }) => press).filter((press) => press !== back && !blocked.includes(press)), skip);
    shut(...blocked);
    bar.replaceChildren(
      ...all.flatMap(({ act }) => (act.how.is === 'press' ? consequencesOf(act.how.foreseen, `${act.opens}: `) : [])),
      element('div', { class: 'actions' }, ...first.map(({ press }) => press), now().waits && skip, more.length > 0 && toggle),
      ...(more.length > 0 ? [rest] : []),
    );
    return back;
  };

  const showForm = (key: string, kept: Readonly<Record<string, string>> = {}): HTMLElement | undefined => {
    const act = actOf(key);
    if (act?.how.is !== 'form') return undefined;
    const { question, confirms } = act.how;
    const consequences = element('div', { class: 'consequences', role: 'status' });
    const fields = fieldsFor(
      act.how.fields,
      kept,
      (query) => {
        say({ type: 'find', token: now().token, ...query });
      },
      (name) => {
        keepForm({ id: now().id, key, values: fields.values() });
        if (name !== 'reason') askSoon();
      },
    );
    const confirm = button(confirms, 'primary', () => {
      const missing = fields.missing();
      if (missing !== undefined) missing.focus();
      else if (mine.foreseen !== undefined) decide(key, mine.foreseen, { ...fields.values(), ...also() });
    });
    const cancel = button('Cancel', 'secondary', () => {
      back();
    });
    const back = () => {
      dropForm();
      (showChoices(key) ?? title()).focus();
    };
    const form = element(
      'div',
      { class: 'form', role: 'group', 'aria-label': question },
      element('h2', {}, question),
      ...fields.parts,
      consequences,
      // Where the likeliest act was there is now Cancel.
      element('div', { class: 'actions' }, cancel, confirm),
    );
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') back();
    });
    bar.replaceChildren(form);
    const mine: Writing = { key, fields, confirm, consequences, asked: 0, foreseen: undefined };
    writing = mine;
    ask();
    return fields.first ?? cancel;
  };

  /** Asks what the act would do with what stands in the form now. Until that is known it takes no press. */
  const ask = () => {
    window.clearTimeout(timer);
    if (writing === undefined) return;
    writing.foreseen = undefined;
    shut(writing.confirm);
    if (!isPossible(writing.key)) {
      sayForeseen(writing.consequences, { asked: 0, lines: [], problem: 'This can no longer be done.' });
      return;
    }
    writing.asked = asked += 1;
    say({ type: 'ask', token: now().token, key: writing.key, asked, values: { ...writing.fields.values(), ...also() } });
  };
  const askSoon = () => {
    if (writing === undefined) return;
    writing.foreseen = undefined;
    shut(writing.confirm);
    window.clearTimeout(timer);
    timer = window.setTimeout(ask, askAfterMs);
  };

  const { asks, id, quietly } = now();
  const kept = keptForm(id);
  // What has been decided needs its form no more; what was decided elsewhere meanwhile leaves it to be read.
  if (kept !== undefined && !isPossible(kept.key) && !quietly) dropForm();
  const goesOn = kept !== undefined && isPossible(kept.key) ? kept : undefined;
  const wanted = asks ?? goesOn?.key;
  for (const act of now().acts) if (act.where === 'beside') openers.set(act.key, openerFor(act));
  settle(...openers.values());
  const start = wanted === undefined ? undefined : showForm(wanted, goesOn?.key === wanted ? goesOn.values : {});
  if (start === undefined) showChoices();
  const isEmpty = start === undefined && now().acts.every(({ where }) => where === 'beside') && !now().waits;

  return {
    bar: isEmpty && openers.size === 0 ? undefined : bar,
    start,
    canGoOn: (next) =>
      writing !== undefined &&
      next.id === now().id &&
      (next.quietly || !decided) &&
      (next.asks ?? writing.key) === writing.key &&
      (next.quietly || next.acts.some(({ key, how }) => key === writing?.key && how.is === 'form')),
    goOn: () => {
      openers.clear();
      for (const act of now().acts) if (act.where === 'beside') openers.set(act.key, openerFor(act));
      for (const one of buttons()) if (one !== writing?.confirm) one.disabled = false;
      ask();
    },
    release: () => {
      decided = false;
      if (writing === undefined) settle(...buttons().filter((one) => !blocked.includes(one)));
      else {
        settle(...buttons().filter((one) => one !== writing?.confirm));
        ask();
      }
      settle(...openers.values());
    },
    opener: (key) => openers.get(key),
    foresee: ({ token, key, foreseen }) => {
      if (writing === undefined || token !== now().token || key !== writing.key || foreseen.asked !== writing.asked) return;
      sayForeseen(writing.consequences, foreseen);
      if (foreseen.problem !== undefined) return;
      writing.foreseen = foreseen.asked;
      settle(writing.confirm);
    },
    showFound: (message) => {
      writing?.fields.showFound(message);
    },
    askAgain: ask,
  };
}

function sayForeseen(place: HTMLElement, foreseen: Foreseen): void {
  place.replaceChildren(...consequencesOf(foreseen));
}

/** What an act would do besides, or why it cannot be done. */
function consequencesOf({ lines, problem }: Foreseen, name = ''): HTMLElement[] {
  return [
    ...lines.map((line) => element('p', { class: 'consequence' }, name, words(line))),
    ...(problem === undefined || problem === '' ? [] : [element('p', { class: 'problem' }, name, problem)]),
  ];
}
