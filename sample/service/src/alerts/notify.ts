export interface Subscriber {
  readonly address: string;
  readonly below: number;
}

/** Whom to warn of a low water. A subscriber is warned once a day, in the evening before. */
export function toWarn(lowest: number, subscribers: readonly Subscriber[], warnedToday: ReadonlySet<string>): Subscriber[] {
  return subscribers.filter((subscriber) => lowest < subscriber.below && !warnedToday.has(subscriber.address));
}
