/** One memory in full, and the buttons that decide on it. */
import type { PageDecision, PageMemory, Pointer, Position, ToPage } from '../src/editor/page-messages';
import { button, element, words } from './elements';
import type { Say, Sheet } from './page';

/**
 * How long the buttons wait after a memory is drawn. A press or a key that was meant for what was there before, or a page that something
 * else has brought to the front, must not decide.
 */
const settleMs = 600;

export function memorySheet({ token, memory, position, asks }: Extract<ToPage, { type: 'memory' }>, say: Say): Sheet {
  const title = element('h1', { tabindex: '-1' }, words(memory.title));
  const place = element('span', { class: 'position muted' }, positionText(position));
  const overTitle = element(
    'div',
    { class: 'over-title' },
    element('span', { class: 'label' }, memory.stateName),
    element('span', { class: 'muted' }, memory.kind),
    place,
  );
  const content = element('article', {}, overTitle, title, ...body(memory, token, say));
  const decisions = decisionBar(memory, token, say, asks);
  return {
    content,
    actions: decisions.bar,
    start: decisions.start ?? title,
    showPosition: (now) => {
      place.textContent = positionText(now);
    },
    release: () => {
      for (const one of decisions.bar?.querySelectorAll('button') ?? []) one.disabled = false;
    },
  };
}

const positionText = (position: Position | undefined) => (position === undefined ? '' : `${String(position.at)} of ${String(position.of)}`);

function body(memory: PageMemory, token: string, say: Say): HTMLElement[] {
  const follow = (list: 'appliesTo' | 'restsOn') => (index: number) => {
    say({ type: 'follow', token, list, index });
  };
  return [
    ...notices(memory),
    ...(memory.appliesWhen === undefined ? [] : [element('p', { class: 'condition' }, 'Applies when: ', words(memory.appliesWhen))]),
    ...(memory.statement === undefined ? [] : [element('div', { class: 'statement' }, words(memory.statement))]),
    ...section('Steps', memory.steps, (steps) => element('ol', {}, ...steps.map((step) => element('li', {}, words(step))))),
    ...section('Why', memory.rationale && [memory.rationale], ([rationale]) => element('p', {}, rationale && words(rationale))),
    ...section('Also considered', memory.alternatives, (list) => element('ul', {}, ...list.map((one) => element('li', {}, words(one))))),
    ...section('As a claim', memory.claim && [memory.claim], ([claim]) =>
      element('p', {}, ...(claim === undefined ? [] : [words(claim.subject), ' · ', words(claim.predicate), ' · ', words(claim.object)])),
    ),
    ...section('Applies to', memory.appliesTo, (list) => pointers(list, follow('appliesTo'))),
    ...section('Rests on', memory.restsOn, (list) => pointers(list, follow('restsOn'))),
    ...section('Meant to replace', memory.replaces, (list) => element('ul', {}, ...list.map((one) => element('li', {}, words(one))))),
    ...section('Tags', memory.tags, (tags) => element('p', {}, ...tags.flatMap((tag, index) => [index > 0 && ', ', words(tag)]))),
    ...section('About it', memory.facts, (facts) =>
      element('dl', { class: 'facts' }, ...facts.flatMap(({ name, value }) => [element('dt', {}, name), element('dd', {}, words(value))])),
    ),
    ...section('History', memory.history, (entries) =>
      element(
        'ol',
        { class: 'history' },
        ...entries.map(({ what, by, at, reason }) =>
          element('li', {}, `${what} by `, words(by), `, ${at}`, reason && element('span', { class: 'reason' }, 'Reason: ', words(reason))),
        ),
      ),
    ),
  ];
}

function notices({ tampering, hiddenCharacters }: PageMemory): HTMLElement[] {
  return [
    ...(tampering === undefined
      ? []
      : [
          element(
            'p',
            { class: 'notice error' },
            element('strong', {}, 'Changed by something other than Stet: '),
            `${tampering} Agents are not given it, and it cannot be approved.`,
          ),
        ]),
    ...(hiddenCharacters === 0
      ? []
      : [
          element(
            'p',
            { class: 'notice' },
            `${hiddenCharacters === 1 ? 'One character' : `${String(hiddenCharacters)} characters`} in it cannot be seen in other programs. Here they are shown by their code.`,
          ),
        ]),
  ];
}

/** A heading with what belongs under it; nothing when there is nothing. */
function section<T>(title: string, list: readonly T[] | undefined, draw: (list: readonly T[]) => HTMLElement): HTMLElement[] {
  return list === undefined || list.length === 0 ? [] : [element('h2', {}, title), draw(list)];
}

function pointers(list: readonly Pointer[], follow: (index: number) => void): HTMLElement {
  return element(
    'ul',
    { class: 'pointers' },
    ...list.map(({ text, opens }, index) => {
      if (!opens) return element('li', {}, words(text));
      const link = button('', 'link', () => {
        follow(index);
      });
      link.append(words(text));
      return element('li', {}, link);
    }),
  );
}

const labels: Readonly<Record<PageDecision, string>> = { approve: 'Approve', reject: 'Reject', retire: 'Retire' };

const questions = {
  reject: { label: 'Why was it never right?', hint: 'Kept in its history, signed with your key.' },
  retire: { label: 'Why does it no longer hold?', hint: 'Kept in its history, signed with your key.' },
} as const;

function decisionBar(
  memory: PageMemory,
  token: string,
  say: Say,
  asks: 'reject' | 'retire' | undefined,
): { bar: HTMLElement | undefined; start: HTMLElement | undefined } {
  const bar = element('div', {});
  const pending = memory.state === 'pending';
  if (memory.decisions.length === 0 && !pending) return { bar: undefined, start: undefined };
  const settledAt = performance.now() + settleMs;

  const decide = (decision: PageDecision, reason?: string) => {
    for (const one of bar.querySelectorAll('button')) one.disabled = true;
    say({ type: 'decide', token, decision, ...(reason !== undefined && { reason }) });
  };
  const waitUntilSettled = (deciding: HTMLButtonElement) => {
    deciding.disabled = true;
    setTimeout(() => (deciding.disabled = false), Math.max(0, settledAt - performance.now()));
    return deciding;
  };

  const showChoices = (focus?: PageDecision): HTMLElement | undefined => {
    const choices = memory.decisions.map((decision) => {
      if (decision === 'approve')
        return waitUntilSettled(
          button(labels.approve, 'primary', () => {
            decide('approve');
          }),
        );
      const choice = button(`${labels[decision]}…`, 'secondary', () => {
        askFor(decision).focus();
      });
      choice.dataset['decision'] = decision;
      return choice;
    });
    const skip = button('Skip', 'secondary', () => {
      say({ type: 'skip', token });
    });
    bar.replaceChildren(element('div', { class: 'actions' }, ...choices, pending && skip));
    return choices.find((choice) => choice.dataset['decision'] === focus);
  };

  const askFor = (decision: 'reject' | 'retire'): HTMLElement => {
    const { label, hint } = questions[decision];
    const reason = element('textarea', { id: 'reason', rows: '2', maxlength: '1000', 'aria-describedby': 'reason-hint' });
    const act = waitUntilSettled(
      button(labels[decision], 'primary', () => {
        if (reason.value.trim() === '') {
          reason.setAttribute('aria-invalid', 'true');
          problem.textContent = 'Say why, in a few words.';
          reason.focus();
        } else {
          decide(decision, reason.value);
        }
      }),
    );
    const problem = element('span', { class: 'problem', role: 'alert' });
    const back = () => showChoices(decision)?.focus();
    const form = element(
      'div',
      { class: 'reason' },
      element('label', { for: 'reason' }, label),
      element('span', { class: 'hint', id: 'reason-hint' }, hint),
      reason,
      problem,
      element('div', { class: 'actions' }, act, button('Cancel', 'secondary', back)),
    );
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') back();
    });
    bar.replaceChildren(form);
    return reason;
  };

  if (asks === undefined) showChoices();
  return { bar, start: asks === undefined ? undefined : askFor(asks) };
}
