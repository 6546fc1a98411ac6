/** One memory in full, and the buttons that decide on it. */
import type { PageDecision, PageMemory, Pointer, Position, ToPage } from '../src/editor/page-messages';
import { button, element, words } from './elements';
import { forgetReason, keepReason, keptReason } from './kept-reason';
import type { Say, Sheet } from './page';
import { settle, shut } from './settle';

export type MemoryMessage = Extract<ToPage, { type: 'memory' }>;

export function memorySheet(message: MemoryMessage, say: Say): Sheet {
  let now = message;
  let article = articleOf(message, say);
  const content = element('article', {}, ...article.parts);
  const decisions = decisionBar(
    () => now,
    () => article.title,
    say,
  );
  return {
    content,
    actions: decisions.bar,
    start: decisions.start ?? article.title,
    showCounts: (position, facts) => {
      article.place.textContent = positionText(position);
      article.facts.replaceChildren(...factRows(facts));
    },
    renew: (next) => {
      if (!decisions.canGoOn(next)) return false;
      now = next;
      article = articleOf(next, say);
      content.replaceChildren(...article.parts);
      decisions.goOn();
      return true;
    },
    release: decisions.release,
  };
}

interface Article {
  readonly parts: readonly HTMLElement[];
  readonly title: HTMLElement;
  readonly place: HTMLElement;
  readonly facts: HTMLElement;
}

function articleOf({ token, memory, position }: MemoryMessage, say: Say): Article {
  const title = words(memory.title, 'h1', { tabindex: '-1' });
  const place = element('span', { class: 'position muted' }, positionText(position));
  const facts = element('dl', { class: 'facts' }, ...factRows(memory.facts));
  const overTitle = element(
    'div',
    { class: 'over-title' },
    element('span', { class: 'label' }, memory.stateName),
    element('span', { class: 'muted' }, memory.kind),
    place,
  );
  return { parts: [overTitle, title, ...body(memory, token, facts, say)], title, place, facts };
}

function positionText(position: Position | undefined): string {
  if (position === undefined) return '';
  return position.at === undefined ? `${String(position.of)} waiting` : `${String(position.at)} of ${String(position.of)}`;
}

const factRows = (facts: PageMemory['facts']) =>
  facts.flatMap(({ name, value }) => [element('dt', {}, name), element('dd', {}, words(value))]);

function body(memory: PageMemory, token: string, factList: HTMLElement, say: Say): HTMLElement[] {
  const follow = (list: 'appliesTo' | 'restsOn') => (index: number) => {
    say({ type: 'follow', token, list, index });
  };
  return [
    ...notices(memory),
    ...(memory.appliesWhen === undefined
      ? []
      : [element('p', { class: 'condition', dir: 'auto' }, 'Applies when: ', words(memory.appliesWhen))]),
    ...(memory.statement === undefined ? [] : [words(memory.statement, 'div', { class: 'statement' })]),
    ...section('Steps', memory.steps, (steps) => element('ol', {}, ...steps.map((step) => words(step, 'li')))),
    ...section('Why', memory.rationale && [memory.rationale], ([rationale]) => words(rationale ?? [], 'p')),
    ...section('Also considered', memory.alternatives, (list) => element('ul', {}, ...list.map((one) => words(one, 'li')))),
    ...section('As a claim', memory.claim && [memory.claim], ([claim]) =>
      element('p', {}, ...(claim === undefined ? [] : [words(claim.subject), ' · ', words(claim.predicate), ' · ', words(claim.object)])),
    ),
    ...section('Applies to', memory.appliesTo, (list) => pointers(list, follow('appliesTo'))),
    ...section('Rests on', memory.restsOn, (list) => pointers(list, follow('restsOn'))),
    ...section('Meant to replace', memory.replaces, (list) => element('ul', {}, ...list.map((one) => words(one, 'li')))),
    ...section('Tags', memory.tags, (tags) => element('p', {}, ...tags.flatMap((tag, index) => [index > 0 && ', ', words(tag)]))),
    ...section('About it', memory.facts, () => factList),
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
      if (!opens) return words(text, 'li');
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
  reject: {
    label: 'Why do you reject it?',
    hint: 'Kept in its history, signed with your key.',
    impossible: 'It can no longer be rejected.',
  },
  retire: {
    label: 'Why does it no longer hold?',
    hint: 'Kept in its history, signed with your key.',
    impossible: 'It can no longer be retired.',
  },
} as const;

/** A reason that is being written. */
interface Writing {
  readonly decision: 'reject' | 'retire';
  readonly reason: HTMLTextAreaElement;
  readonly act: HTMLButtonElement;
  readonly problem: HTMLElement;
}

interface DecisionBar {
  readonly bar: HTMLElement | undefined;
  readonly start: HTMLElement | undefined;
  /** Whether this showing is of the same memory, so that the reason that is being written still belongs here. */
  readonly canGoOn: (next: MemoryMessage) => boolean;
  /** Fits what is being written to the showing that is there now. */
  readonly goOn: () => void;
  /** What was asked for was not done: it can be asked for again. */
  readonly release: () => void;
}

/** @param now the showing, which changes under a reason that is being written. */
function decisionBar(now: () => MemoryMessage, title: () => HTMLElement, say: Say): DecisionBar {
  const bar = element('div', {});
  let writing: Writing | undefined;
  const isPossible = (decision: PageDecision) => now().memory.decisions.includes(decision);

  const decide = (decision: PageDecision, reason?: string) => {
    shut(...bar.querySelectorAll('button'));
    say({ type: 'decide', token: now().token, decision, ...(reason !== undefined && { reason }) });
  };

  /** @param given the decision whose reason was given up: its button takes the focus, so it does not wait. */
  const showChoices = (given?: PageDecision): HTMLElement | undefined => {
    writing = undefined;
    const { memory } = now();
    const choices = memory.decisions.map((decision) => ({
      decision,
      press:
        decision === 'approve'
          ? button(labels.approve, 'primary', () => {
              decide('approve');
            })
          : button(`${labels[decision]}…`, 'secondary', () => {
              askFor(decision).focus();
            }),
    }));
    const skip = button('Skip', 'secondary', () => {
      shut(...bar.querySelectorAll('button'));
      say({ type: 'skip', token: now().token });
    });
    const back = choices.find(({ decision }) => decision === given)?.press;
    settle(...choices.map(({ press }) => press).filter((press) => press !== back), skip);
    bar.replaceChildren(element('div', { class: 'actions' }, ...choices.map(({ press }) => press), memory.state === 'pending' && skip));
    return back;
  };

  const askFor = (decision: 'reject' | 'retire', text = ''): HTMLElement => {
    const { label, hint } = questions[decision];
    const { id } = now().memory;
    const reason = element('textarea', { id: 'reason', rows: '2', maxlength: '1000', 'aria-describedby': 'reason-hint' });
    reason.value = text;
    const problem = element('span', { class: 'problem', role: 'alert' });
    const act = button(labels[decision], 'primary', () => {
      if (reason.value.trim() === '') {
        reason.setAttribute('aria-invalid', 'true');
        problem.textContent = 'Say why, in a few words.';
        reason.focus();
      } else {
        decide(decision, reason.value);
      }
    });
    reason.addEventListener('input', () => {
      keepReason({ id, decision, text: reason.value });
      if (!isPossible(decision)) return;
      reason.removeAttribute('aria-invalid');
      problem.textContent = '';
    });
    const back = () => {
      forgetReason();
      (showChoices(decision) ?? title()).focus();
    };
    const form = element(
      'div',
      { class: 'reason' },
      element('label', { for: 'reason' }, label),
      element('span', { class: 'hint', id: 'reason-hint' }, hint),
      reason,
      problem,
      // Where Approve was there is now Cancel.
      element('div', { class: 'actions' }, button('Cancel', 'secondary', back), act),
    );
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') back();
    });
    bar.replaceChildren(form);
    writing = { decision, reason, act, problem };
    fit(writing);
    return reason;
  };

  const fit = ({ decision, act, problem }: Writing) => {
    if (isPossible(decision)) {
      settle(act);
    } else {
      shut(act);
      problem.textContent = questions[decision].impossible;
    }
  };

  const { asks, memory, quietly } = now();
  const kept = keptReason(memory.id);
  // What has been decided needs its reason no more; what was decided elsewhere meanwhile leaves it to be read.
  if (kept !== undefined && !isPossible(kept.decision) && !quietly) forgetReason();
  const goesOn = kept !== undefined && (isPossible(kept.decision) || quietly) ? kept : undefined;
  const asked = asks ?? goesOn?.decision;
  const start = asked === undefined ? undefined : askFor(asked, goesOn?.decision === asked ? goesOn.text : '');
  if (asked === undefined) showChoices();
  const isEmpty = asked === undefined && memory.decisions.length === 0 && memory.state !== 'pending';

  return {
    bar: isEmpty ? undefined : bar,
    start,
    canGoOn: (next) =>
      writing !== undefined &&
      next.memory.id === now().memory.id &&
      (next.asks ?? writing.decision) === writing.decision &&
      (next.quietly || next.memory.decisions.includes(writing.decision)),
    goOn: () => {
      if (writing === undefined) return;
      for (const one of bar.querySelectorAll('button')) one.disabled = false;
      fit(writing);
    },
    release: () => {
      const stays = writing !== undefined && !isPossible(writing.decision) ? writing.act : undefined;
      settle(...[...bar.querySelectorAll('button')].filter((one) => one !== stays));
    },
  };
}
