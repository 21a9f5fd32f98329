import { HttpLane } from './http-lane.js';

/** Requests waiting for a free connection; one more is skipped and counted, never held. */
const LONGEST_QUEUE = 10_000;

/** Several keep-alive connections and one bounded queue in front of them. */
export class LanePool {
  /** Requests given up because the queue was full. */
  skipped = 0;
  /** @type {{ request: Buffer, onAnswer: import('./http-lane.js').OnAnswer }[]} */
  #queue = [];
  #next = 0;

  /** @param {{ host: string, port: number }} address @param {number} size @param {number} depth */
  constructor(address, size, depth) {
    this.lanes = Array.from({ length: size }, () => new HttpLane(address, depth));
  }

  /** Fails unless the first connection gets a 2xx answer. @param {Buffer} request */
  async probe(request) {
    await this.lanes[0]?.probe(request);
  }

  /** Open loop: sends now or as soon as a connection is free. @param {Buffer} request @param {import('./http-lane.js').OnAnswer} onAnswer */
  offer(request, onAnswer) {
    const lane = this.#freeLane();
    if (lane !== undefined) lane.send(request, onAnswer);
    else if (this.#queue.length < LONGEST_QUEUE) this.#queue.push({ request, onAnswer });
    else this.skipped += 1;
  }

  /** Open loop needs this once: a freed connection takes what waits. */
  drainQueueWhenFree() {
    for (const lane of this.lanes) {
      lane.onFree = () => {
        while (lane.free) {
          const waiting = this.#queue.shift();
          if (waiting === undefined) return;
          lane.send(waiting.request, waiting.onAnswer);
        }
      };
    }
  }

  /** Closed loop: every connection always has as many requests under way as it may. @param {(lane: HttpLane) => boolean} sendNext false ends it */
  keepFull(sendNext) {
    for (const lane of this.lanes) {
      lane.onFree = () => {
        while (lane.free && sendNext(lane));
      };
      lane.onFree();
    }
  }

  close() {
    this.#queue = [];
    for (const lane of this.lanes) {
      lane.onFree = () => {};
      lane.close();
    }
  }

  #freeLane() {
    for (let step = 0; step < this.lanes.length; step += 1) {
      const lane = this.lanes[this.#next];
      this.#next = (this.#next + 1) % this.lanes.length;
      if (lane?.free === true) return lane;
    }
    return undefined;
  }
}
