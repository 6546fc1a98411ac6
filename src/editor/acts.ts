/** What a person can do to a memory on its page: each act with its button, its form, and the act that the form says. */
import type { Bounds, Nearby, PersonAct, Reviewed, SeenMemory } from '../engine';
import type { Offered, Values } from './deciding';
import type { FormField } from './page-messages';
import { shown, shownLine } from './shown-text';

/** A memory that was chosen in a form, by its number there. */
export type Chosen = (number: string) => SeenMemory | undefined;

/** The acts on one memory, the likeliest first. */
export function actsOn(memory: Reviewed, nearby: Nearby | undefined, chosen: Chosen): Offered[] {
  const { id, seen } = memory;
  if (seen === undefined) return [];
  const context: ActContext = { memory, nearby, chosen, about: { id, seen }, bounds: memory.memory?.bounds ?? { scope: memory.scope } };
  const ranked = firstIn[memory.state] ?? [];
  const rank = (act: PersonAct['act']) => (ranked.includes(act) ? ranked.indexOf(act) : ranked.length);
  return [
    ...[...memory.acts].sort((a, b) => rank(a) - rank(b)).flatMap((act) => offer(act, ranked.includes(act) ? 'first' : 'more', context)),
    ...(memory.tampering === undefined ? answers(context) : []),
  ];
}

/** The acts that have their button in the first row. */
const firstIn: Partial<Readonly<Record<Reviewed['state'], readonly PersonAct['act'][]>>> = {
  pending: ['approve', 'amend', 'reject', 'lapse'],
  expired: ['approve', 'amend', 'reject'],
  active: ['retire', 'reject'],
  contested: ['resolve', 'retire', 'reject'],
  retired: ['restore'],
  superseded: ['restore'],
  rejected: ['lift'],
  forgotten: ['lift'],
};

interface ActContext {
  readonly memory: Reviewed;
  readonly nearby: Nearby | undefined;
  readonly chosen: Chosen;
  readonly about: SeenMemory;
  readonly bounds: Bounds;
}

function offer(act: PersonAct['act'], where: 'first' | 'more', context: ActContext): Offered[] {
  const { memory, nearby, chosen, about, bounds } = context;
  const form = (parts: Omit<FormParts, 'key' | 'where'>): Offered => formed({ key: act, where, ...parts });
  switch (act) {
    case 'approve': {
      const press: Offered = { act: { key: act, opens: 'Approve', where, how: { is: 'press' } }, make: () => ({ act, ...about }) };
      if (nearby?.replaces.some(({ state }) => state === 'active' || state === 'contested') !== true) return [press];
      const later = formed({
        key: 'approveFrom',
        where: 'more',
        opens: 'Approve from a Day On…',
        confirms: 'Approve',
        question: 'From when on does it hold?',
        fields: [
          date('effective', 'Holds from', {
            hint: 'Until then what it replaces goes on standing.',
            required: 'Choose a day.',
            ...after(bounds),
          }),
        ],
        make: (values) => (values['effective'] ? { act, ...about, effective: values['effective'] } : undefined),
      });
      return [press, later];
    }
    case 'amend':
      return [goes(act, 'Edit and Approve…', where)];
    case 'reject': {
      const waits = memory.state === 'pending' || memory.state === 'expired';
      return [
        form({
          opens: 'Reject…',
          confirms: 'Reject',
          question: waits ? 'Never again' : 'It was never right',
          fields: [
            reason(
              'Why do you reject it?',
              'The same is refused from now on, in whatever spelling. Kept in its history, signed with your key.',
            ),
          ],
          make: (values) => ({ act, ...about, reason: values['reason'] ?? '' }),
        }),
      ];
    }
    case 'lapse':
      return [{ act: { key: act, opens: 'Not Now', where, how: { is: 'press' } }, make: () => ({ act, ...about }) }];
    case 'retire':
      return [
        form({
          opens: 'Retire…',
          confirms: 'Retire',
          question: 'It no longer holds',
          fields: [reason('Why does it no longer hold?'), endDate(bounds)],
          make: (values) => ({ act, ...about, reason: values['reason'] ?? '', ...effective(values) }),
        }),
      ];
    case 'supersede':
      return [
        form({
          opens: 'Replace by…',
          confirms: 'Replace',
          question: 'Which memory takes its place?',
          fields: [other('The memory that takes its place', 'Choose the memory that takes its place.'), optionalReason(), endDate(bounds)],
          make: (values) => {
            const by = chosen(values['other'] ?? '');
            return by && { act, ...about, by, ...given(values, 'reason'), ...effective(values) };
          },
        }),
      ];
    case 'limit':
      return [
        form({
          opens: 'Narrow…',
          confirms: 'Narrow',
          question: 'Where and when does it hold?',
          fields: [
            reason('Why does it hold only there or then?'),
            date('validFrom', 'Holds from', { value: dayOf(bounds.validFrom) }),
            date('validTo', 'Holds until', { value: dayOf(bounds.validTo) }),
            {
              is: 'line',
              name: 'folder',
              label: 'Only in the folder',
              hint: 'Optional. Such as src/billing; it can be narrowed, not widened.',
            },
          ],
          make: (values) => ({ act, ...about, bounds: boundsIn(values, bounds), reason: values['reason'] ?? '' }),
        }),
      ];
    case 'contest':
      return [
        form({
          opens: 'Contest…',
          confirms: 'Mark as Contested',
          question: 'Mark as contested',
          fields: [
            reason('What speaks against it?', 'Agents see it as disputed, with this reason where it stands alone.'),
            other('The memory that says otherwise', undefined),
          ],
          make: (values) => {
            const against = chosen(values['other'] ?? '');
            return { act, ...about, reason: values['reason'] ?? '', ...(against !== undefined && { with: against }) };
          },
        }),
      ];
    case 'resolve':
      return [goes(act, 'Resolve…', where)];
    case 'restore': {
      const successors = memory.state === 'superseded' && memory.memory?.others.length !== 0;
      return [
        form({
          opens: 'Restore…',
          confirms: 'Restore',
          question: 'Let it stand again',
          fields: [
            ...(successors
              ? [
                  choice('successor', 'And what took its place?', [
                    ['reverse', 'It is replaced by this one in turn'],
                    ['contest', 'It goes on standing: the two are contested'],
                  ]),
                ]
              : []),
            optionalReason(),
          ],
          make: (values) => ({
            act,
            ...about,
            successor: values['successor'] === 'contest' ? 'contest' : 'reverse',
            ...given(values, 'reason'),
          }),
        }),
      ];
    }
    case 'lift':
      return [
        form({
          opens: 'Allow Again…',
          confirms: 'Allow Again',
          question: 'Let it be proposed again',
          fields: [reason('Why may it be proposed again?', 'It does not stand by this: it can come back as a proposal only.')],
          make: (values) => ({ act, ...about, reason: values['reason'] ?? '' }),
        }),
      ];
    case 'forget':
      return [goes(act, 'Forget…', where)];
    case 'undo':
      return [
        form({ opens: 'Undo…', confirms: 'Undo', question: 'Take back what was done last', fields: [], make: () => ({ act, ...about }) }),
      ];
    case 'accept':
    case 'decline':
    case 'stillRight':
      return []; // they answer questions: see below
  }
}

/** The answers to what is asked about it. */
function answers({ nearby, about, bounds }: ActContext): Offered[] {
  const toChallenges = (nearby?.challenges ?? []).flatMap(({ id, wants }): Offered[] => [
    formed({
      key: `accept ${id}`,
      where: 'beside',
      opens: 'Accept…',
      confirms: 'Accept',
      question: wants === 'retire' ? 'Accept, and retire it' : 'Accept, and mark it as contested',
      fields: [
        { ...optionalReason(), hint: 'Optional. Without one of yours the agent’s is kept.' },
        ...(wants === 'retire' ? [endDate(bounds)] : []),
      ],
      make: (values) => ({ act: 'accept', challenge: id, ...about, ...given(values, 'reason'), ...effective(values) }),
    }),
    formed({
      key: `decline ${id}`,
      where: 'beside',
      opens: 'Decline…',
      confirms: 'Decline',
      question: 'Decline the challenge',
      fields: [reason('Why is it right all the same?', 'The same challenge is answered with this from now on.')],
      make: (values) => ({ act: 'decline', challenge: id, ...about, reason: values['reason'] ?? '' }),
    }),
  ]);
  const drift = nearby?.drift;
  if (drift === undefined) return toChallenges;
  return [
    ...toChallenges,
    formed({
      key: 'stillRight',
      where: 'beside',
      opens: 'Still Right…',
      confirms: 'Still Right',
      question: 'It is right all the same',
      fields: [reason('Why is it still right?', 'You are not asked again until its evidence changes once more.')],
      make: (values) => ({ act: 'stillRight', drift, ...about, reason: values['reason'] ?? '' }),
    }),
  ];
}

/** The outcomes of a contest. The third text is written on the save page. */
export function outcomesOf(members: readonly Reviewed[]): Offered[] {
  const seen = members.flatMap(({ id, seen }) => (seen === undefined ? [] : [{ id, seen }]));
  if (seen.length !== members.length) return [];
  const keeping = members.flatMap(({ title }, index): [string, string][] => [
    [`keep${String(index)}`, `Keep “${shownLine(title)}”: ${members.length > 1 ? 'the rest no longer holds' : 'it stands again'}`],
    ...(members.length > 1 ? [[`right${String(index)}`, `Keep “${shownLine(title)}”: the rest was never right`] as [string, string]] : []),
  ]);
  const dates = members.flatMap(({ title, memory }, index): FormField[] => {
    const when = { field: 'outcome', is: ['all'] };
    const name = shownLine(title);
    return [
      { ...date(`from${String(index)}`, `“${name}” holds from`, { value: dayOf(memory?.bounds.validFrom) }), when },
      { ...date(`to${String(index)}`, `“${name}” holds until`, { value: dayOf(memory?.bounds.validTo) }), when },
    ];
  });
  return [
    formed({
      key: 'resolve',
      where: 'first',
      opens: 'Resolve…',
      confirms: 'Resolve',
      question: 'How does it end?',
      fields: [
        choice('outcome', 'What holds?', [
          ...keeping,
          ['all', members.length > 1 ? 'All of them hold' : 'It holds as it is'],
          ['none', 'None of them holds any longer'],
          ['never', 'None of them was ever right'],
        ]),
        ...(members.length > 1 ? dates : []),
        reason('Why?'),
      ],
      make: (values) => {
        const outcome = outcomeIn(values, members);
        return outcome && { act: 'resolve', members: seen, outcome, reason: values['reason'] ?? '', surface: 'contest page' };
      },
    }),
    goes('third', 'Write Another Text…', 'first'),
  ];
}

function outcomeIn(values: Values, members: readonly Reviewed[]): Extract<PersonAct, { act: 'resolve' }>['outcome'] | undefined {
  const outcome = values['outcome'] ?? '';
  const { is, index } = /^(?<is>[a-z]+)(?<index>\d*)$/.exec(outcome)?.groups ?? {};
  switch (is) {
    case 'keep':
    case 'right': {
      const kept = members[Number(index)];
      return kept && { is: 'keep', id: kept.id, neverRight: is === 'right' };
    }
    case 'all': {
      const narrowed = members.flatMap(({ id, memory, scope }, at): [string, Bounds][] => {
        const bounds = memory?.bounds ?? { scope };
        const wanted = boundsIn({ validFrom: values[`from${String(at)}`] ?? '', validTo: values[`to${String(at)}`] ?? '' }, bounds);
        return wanted.validFrom === bounds.validFrom && wanted.validTo === bounds.validTo ? [] : [[id, wanted]];
      });
      return { is: 'all', ...(narrowed.length > 0 && { bounds: Object.fromEntries(narrowed) }) };
    }
    case 'none':
    case 'never':
      return { is: 'none', neverRight: is === 'never' };
    default:
      return undefined;
  }
}

interface FormParts {
  readonly key: string;
  readonly where: Offered['act']['where'];
  readonly opens: string;
  readonly confirms: string;
  readonly question: string;
  readonly fields: readonly FormField[];
  readonly make: Offered['make'];
}

const formed = ({ key, where, opens, confirms, question, fields, make }: FormParts): Offered => ({
  act: { key, opens, where, how: { is: 'form', question, confirms, fields } },
  make,
});

const goes = (key: string, opens: string, where: 'first' | 'more'): Offered => ({
  act: { key, opens, where, how: { is: 'goes' } },
  make: () => undefined,
});

const reason = (label: string, hint = 'Kept in its history, signed with your key.'): FormField => ({
  is: 'reason',
  name: 'reason',
  label,
  hint,
  required: 'Say why, in a few words.',
});
const optionalReason = (): FormField => ({ is: 'reason', name: 'reason', label: 'Reason', hint: 'Optional. Kept in its history, signed with your key.' }); // prettier-ignore

const other = (label: string, required: string | undefined): FormField => ({
  is: 'other',
  name: 'other',
  label,
  hint: required === undefined ? 'Optional. Type a few of its words.' : 'Type a few of its words.',
  ...(required !== undefined && { required }),
});

const choice = (name: string, label: string, options: readonly (readonly [value: string, name: string])[]): FormField => ({
  is: 'choice',
  name,
  label,
  value: options[0]?.[0] ?? '',
  options: options.map(([value, text]) => ({ value, name: shown(text) })),
});

function date(
  name: string,
  label: string,
  parts: { hint?: string; required?: string; min?: string | undefined; value?: string | undefined } = {},
): FormField {
  const { min, value, ...rest } = parts;
  return { is: 'date', name, label, max: '2199-12-31', ...(min !== undefined && { min }), ...(value !== undefined && { value }), ...rest };
}

const endDate = (bounds: Bounds): FormField =>
  date('effective', 'From when on?', {
    hint: 'Optional: from now on, unless you name a day. Until a later day it goes on standing.',
    ...after(bounds),
  });

/** Only days after it began to hold. */
function after({ validFrom }: Bounds): { min?: string } {
  if (validFrom === undefined) return {};
  return { min: new Date(new Date(validFrom).getTime() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10) };
}

const dayOf = (iso: string | undefined) => iso?.slice(0, 10);

const effective = (values: Values) => given(values, 'effective');

const given = <Name extends string>(values: Values, name: Name): Partial<Record<Name, string>> => {
  const value = values[name] ?? '';
  return (value === '' ? {} : { [name]: value }) as Partial<Record<Name, string>>;
};

/** The bounds that a form says; a day that was not changed keeps the instant behind it. */
function boundsIn(values: Values, before: Bounds): Bounds {
  const instant = (name: 'validFrom' | 'validTo') => {
    const value = values[name] ?? '';
    if (value === '') return {};
    return { [name]: value === dayOf(before[name]) ? before[name] : `${value}T00:00:00.000Z` };
  };
  const folder = (values['folder'] ?? '')
    .trim()
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '');
  return { scope: folder === '' ? before.scope : `path:${folder}/`, ...instant('validFrom'), ...instant('validTo') };
}
