const slow = 1000 / 24; // ms a frame
const enough = 30; // frames in a row that are judged by their mean

/** Watches how long frames take while each of them is drawn, and asks for less to draw where they are slow. */
export class Pace {
  private last = 0;
  private count = 0;
  private sum = 0;
  private more = true;

  constructor(private readonly drawLess: () => boolean) {}

  frame(drawn: boolean): void {
    const now = performance.now();
    const took = now - this.last;
    this.last = now;
    if (!drawn || took > 1000)
      this.count = this.sum = 0; // it rested, or the page was hidden
    else if (this.more) {
      this.sum += took;
      if (++this.count < enough) return;
      if (this.sum / this.count > slow) this.more = this.drawLess();
      this.count = this.sum = 0;
    }
  }
}
