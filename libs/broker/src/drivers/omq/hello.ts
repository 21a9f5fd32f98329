/** Sent by a publisher when it has received a subscription: messages of that topic are sent from now on. */
export interface Hello {
  /** Session of the publisher. */
  readonly session: string;
  /** Place of the connection among those of the publisher. */
  readonly link: number;
  readonly topic: string;
}

const MAX_BYTES = 4096;

export const encodeHello = (hello: Hello): string => JSON.stringify(hello);

/** Decodes a hello; null if invalid. */
export function decodeHello(bytes: Uint8Array): Hello | null {
  if (bytes.byteLength > MAX_BYTES) return null;
  try {
    const { session, link, topic } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<Hello>;
    if (typeof session !== 'string' || typeof topic !== 'string' || typeof link !== 'number') return null;
    return { session, link, topic };
  } catch {
    return null;
  }
}

const MAX_PUBLISHERS = 1024;

/** Publishers that reach this process, and the subscriptions that each has confirmed. */
export class Confirmations {
  readonly #publishers = new Map<string, Set<string>>();
  #changed: () => void = () => {};

  /** Number of publishers that reach this process. */
  get publishers(): number {
    return this.#publishers.size;
  }

  add({ session, topic }: Hello): void {
    const topics = this.#publishers.get(session) ?? new Set();
    if (!this.#publishers.has(session) && this.#publishers.size >= MAX_PUBLISHERS) return;
    this.#publishers.set(session, topics.add(topic));
    this.#changed();
  }

  /** Drops the confirmations of a topic without subscriptions. */
  forget(topic: string): void {
    for (const topics of this.#publishers.values()) topics.delete(topic);
  }

  /** Resolves when every known publisher has confirmed the topics; one that does not in time is forgotten. */
  async of(topics: readonly string[], withinMs: number): Promise<void> {
    const isMissing = (known: ReadonlySet<string>): boolean => topics.some((topic) => !known.has(topic));
    await this.until(() => ![...this.#publishers.values()].some(isMissing), withinMs);
    for (const [session, known] of this.#publishers) if (isMissing(known)) this.#publishers.delete(session);
  }

  /** Resolves when the condition, which depends on confirmations, is true, or after that time. */
  async until(isSo: () => boolean, withinMs: number): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    while (!isSo() && performance.now() < deadlineMs) {
      await new Promise<void>((resolve) => {
        const before = this.#changed;
        const timer = setTimeout(() => end(), Math.max(1, Math.min(LOOK_MS, deadlineMs - performance.now())));
        const end = (): void => {
          clearTimeout(timer);
          resolve();
        };
        this.#changed = () => {
          before();
          end();
        };
      });
      this.#changed = () => {};
    }
  }
}

/** Conditions that depend on more than confirmations are looked at again after that time. */
const LOOK_MS = 20;
