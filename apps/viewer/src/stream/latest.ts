/**
 * Questions of which only the newest matters: one is under way at a time, and what is asked
 * meanwhile replaces what was still waiting, so that a slow server is never flooded.
 */
export class Latest<Q> {
  private waiting: Q | null = null;
  private sent = -1;
  private sentAt = 0;

  constructor(
    private readonly ask: (question: Q, request: number) => boolean,
    private readonly number: () => number,
    private readonly patience = 2000,
  ) {}

  put(question: Q): void {
    this.waiting = question;
    if (this.sent < 0 || performance.now() - this.sentAt > this.patience) this.next();
  }

  /** True if this is the answer that was waited for; then the next question goes out. */
  answered(request: number): boolean {
    if (request !== this.sent) return false;
    this.sent = -1;
    this.next();
    return true;
  }

  get idle(): boolean {
    return this.sent < 0 && this.waiting === null;
  }

  private next(): void {
    const question = this.waiting;
    if (question === null) return;
    this.waiting = null;
    const request = this.number();
    if (!this.ask(question, request)) return;
    this.sent = request;
    this.sentAt = performance.now();
  }
}
