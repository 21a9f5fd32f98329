import type { Json, ManageTopic } from '@carillon/contracts';
import type { NoticeListener } from './port.js';

/** Listeners of notices, by topic. */
export class NoticeListeners {
  readonly #byTopic = new Map<ManageTopic, Set<NoticeListener>>();

  get size(): number {
    return this.#byTopic.size;
  }

  add(topic: ManageTopic, listener: NoticeListener): () => void {
    const listeners = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byTopic.get(topic) === listeners) this.#byTopic.delete(topic);
    };
  }

  deliver(topic: ManageTopic, nodeId: string, body: Json): void {
    for (const listener of this.#byTopic.get(topic) ?? []) listener(nodeId, body);
  }
}
