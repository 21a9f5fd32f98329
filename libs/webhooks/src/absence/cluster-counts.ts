import type { Fabric } from '@carillon/fabric';

/** Channels asked about at once. */
const BATCH = 1000;
/** Questions that wait for an answer. Beyond, nobody can tell. */
const MAX_WAITING = 100_000;

/** Subscribers of a channel outside this process; `isComplete` is false when some process did not answer. */
export interface OtherSubscribers {
  readonly others: number;
  readonly isComplete: boolean;
}

type Answer = (others: OtherSubscribers | null) => void;

export interface ClusterCountParts {
  readonly fabric: Pick<Fabric, 'ask'>;
  /** Subscribers in this process. */
  readonly here: (appId: string, channel: string) => number;
}

/** Counts subscribers over all processes: one question for everything that is asked in one turn of the loop. */
export class ClusterCounts {
  #asked = new Map<string, Map<string, Answer[]>>();
  #waiting = 0;

  constructor(
    private readonly parts: ClusterCountParts,
    private readonly maxWaiting: number = MAX_WAITING,
  ) {}

  /** Null: nobody can tell. Never rejects. */
  others(appId: string, channel: string): Promise<OtherSubscribers | null> {
    if (this.#waiting >= this.maxWaiting) return Promise.resolve(null);
    this.#waiting += 1;
    return new Promise((answer) => {
      if (this.#asked.size === 0) setImmediate(() => this.#ask());
      const ofApp = this.#asked.get(appId) ?? new Map<string, Answer[]>();
      this.#asked.set(appId, ofApp);
      const answers = ofApp.get(channel);
      if (answers === undefined) ofApp.set(channel, [answer]);
      else answers.push(answer);
    });
  }

  #ask(): void {
    const asked = this.#asked;
    this.#asked = new Map();
    for (const [appId, ofApp] of asked) {
      const questions = [...ofApp];
      for (let first = 0; first < questions.length; first += BATCH) {
        void this.#askApp(appId, questions.slice(first, first + BATCH));
      }
    }
  }

  async #askApp(appId: string, questions: readonly (readonly [string, readonly Answer[]])[]): Promise<void> {
    const { fabric, here } = this.parts;
    const channels = questions.map(([channel]) => channel);
    const { answer, complete } = await fabric.ask('batch_channel_sockets_count', appId, { channels });
    for (const [channel, answers] of questions) {
      const others = Math.max(0, (answer.get(channel) ?? 0) - here(appId, channel));
      this.#waiting -= answers.length;
      for (const tell of answers) tell({ others, isComplete: complete });
    }
  }
}
