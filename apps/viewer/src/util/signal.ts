/** A value whose readers are called when it changes. */
export class Signal<T> {
  private current: T;
  private readonly readers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.current = value;
  }

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    this.notify();
  }

  /** Calls the readers of a value that was changed in place. */
  notify(): void {
    for (const read of this.readers) read(this.current);
  }

  /** Calls read now and at each change, until the function that is returned is called. */
  watch(read: (value: T) => void): () => void {
    read(this.current);
    return this.changed(read);
  }

  /** Calls read at each change from now on. */
  changed(read: (value: T) => void): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }
}
