/** Keeps answers until midnight UTC: a forecast for a day does not change within it. */
export class DayCache<T> {
  private day = '';
  private readonly answers = new Map<string, T>();

  get(key: string, today: string, compute: () => T): T {
    if (today !== this.day) {
      this.answers.clear();
      this.day = today;
    }
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const answer = compute();
    this.answers.set(key, answer);
    return answer;
  }
}
