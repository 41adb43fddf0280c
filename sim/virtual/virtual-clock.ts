/** Time that only moves when something is due: a run of hours takes no time. */

interface Due {
  readonly at: number;
  /** Order of arming: two things due at once happen as they were armed. */
  readonly order: number;
  readonly tell: () => void;
}

export class VirtualClock {
  #now: number;
  #order = 0;
  #due: Due[] = [];

  constructor(start = 0) {
    this.#now = start;
  }

  /** Monotonic ms. */
  now(): number {
    return this.#now;
  }

  /** Wall ms: the same clock from another zero, so that mixing them up shows. */
  wall(): number {
    return 1_796_000_000_000 + this.#now;
  }

  /** Calls back after `ms`; the result cancels. */
  after(ms: number, tell: () => void): () => void {
    const due: Due = { at: this.#now + ms, order: this.#order, tell };
    this.#order += 1;
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  /** Moves to what is due next and tells it; false when nothing is. */
  step(): boolean {
    let next: Due | undefined;
    for (const due of this.#due) {
      if (next === undefined || due.at < next.at || (due.at === next.at && due.order < next.order)) next = due;
    }
    if (next === undefined) return false;
    this.#due.splice(this.#due.indexOf(next), 1);
    this.#now = Math.max(this.#now, next.at);
    next.tell();
    return true;
  }
}
