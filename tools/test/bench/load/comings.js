const CHANGE = /"pusher_internal:member_(added|removed)".*?\\"user_id\\":\\"(c-(\d+)-[\w-]+)\\"/;

/** A user of the bench, whose name says when it was meant to come. @param {number} dueUs @param {string} rest */
export const userOf = (dueUs, rest) => `c-${dueUs}-${rest}`;

/** What one watcher is told of who comes and goes: each once, and in turn. */
export class Comings {
  /** Told rightly. */
  right = 0;
  /** Told twice, or to have gone without having come. */
  wrong = 0;
  /** @type {Set<string>} */
  #here = new Set();

  /**
   * Takes a frame. When it tells of somebody who came: when that was meant to be; else null.
   * @param {string} frame
   */
  take(frame) {
    const [, what, user = '', dueUs] = CHANGE.exec(frame) ?? [];
    if (what === undefined) return null;
    const isNews = what === 'added' ? !this.#here.has(user) : this.#here.delete(user);
    if (what === 'added') this.#here.add(user);
    if (isNews) this.right += 1;
    else this.wrong += 1;
    return isNews && what === 'added' ? Number(dueUs) : null;
  }
}
