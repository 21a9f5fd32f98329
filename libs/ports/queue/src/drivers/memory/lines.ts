import type { Entry } from './entry.js';
import { Fifo } from './fifo.js';

/** Who stands in which line. A job counts how many of its lines it is not the first of; an empty line is forgotten. */
export class Lines {
  readonly #lines = new Map<string, Fifo<Entry>>();

  /** Puts a job at the end of each of its lines. */
  enter(entry: Entry): void {
    for (const name of entry.lines) {
      const line = this.#lines.get(name);
      if (line === undefined) {
        const own = new Fifo<Entry>();
        own.add(entry);
        this.#lines.set(name, own);
      } else {
        line.add(entry);
        entry.linesBlocked++;
      }
    }
  }

  /** Takes a job, which is the first of all its lines, out of them; those whose turn it is now. */
  leave(entry: Entry): Entry[] {
    const next: Entry[] = [];
    for (const name of entry.lines) {
      const line = this.#lines.get(name);
      line?.take();
      const first = line?.first;
      if (first === undefined) this.#lines.delete(name);
      else if (--first.linesBlocked === 0) next.push(first);
    }
    return next;
  }
}
