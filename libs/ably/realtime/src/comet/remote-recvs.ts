import { randomUUID } from 'node:crypto';
import type { CometReply } from '@carillon/realtime';
import type { LazyReceiver } from './receivers.js';

/** Time without a delivery after which an open `recv` ends: the node of its connection may have died. */
const SILENT_MS = 20_000;
/** Unread bytes of a `recv` beyond which it is dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Open `recv` requests of connections of other nodes. */
const MAX_OPEN = 100_000;

interface Open {
  readonly appId: string;
  readonly receiver: LazyReceiver;
  timer: NodeJS.Timeout;
}

/** Open `recv` requests of this node whose connections are on other nodes, by id. */
export class RemoteRecvs {
  readonly #open = new Map<string, Open>();

  /** The id under which deliveries find the receiver; null: there are too many. */
  add(appId: string, receiver: LazyReceiver): string | null {
    if (this.#open.size >= MAX_OPEN) return null;
    const id = randomUUID();
    this.#open.set(id, { appId, receiver, timer: this.#watch(id) });
    return id;
  }

  remove(id: string): void {
    clearTimeout(this.#open.get(id)?.timer);
    this.#open.delete(id);
  }

  /** Status 200: delivered, 410: not. Null: the receiver is not here. */
  deliver(appId: string, id: string, isLast: boolean, body: string | null): CometReply | null {
    const open = this.#open.get(id);
    if (open?.appId !== appId) return null;
    const { receiver } = open;
    const isStuck = receiver.bufferedBytes > MAX_BUFFERED_BYTES;
    const outcome = isStuck ? 'gone' : receiver.open(isLast).deliver(body ?? '[]');
    if (isLast || outcome !== 'delivered') this.remove(id);
    else {
      clearTimeout(open.timer);
      open.timer = this.#watch(id);
    }
    if (isStuck) receiver.abort();
    else if (isLast) receiver.end();
    return { status: outcome === 'delivered' ? 200 : 410, body: null };
  }

  #watch(id: string): NodeJS.Timeout {
    return setTimeout(() => {
      const open = this.#open.get(id);
      this.#open.delete(id);
      open?.receiver.end();
    }, SILENT_MS).unref();
  }
}
