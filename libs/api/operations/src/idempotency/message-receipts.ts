import { randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { ServiceError } from '@carillon/errors';
import type { Receipt } from '@carillon/history-publish';
import { pause, type Logger } from '@carillon/runtime';
import { orUnavailable } from '../unavailable.js';
import { Claim } from './claim.js';

const PENDING = 'pending:';
const COMMITTED = 'committed:';
const POLLS = 40;
const POLL_MS = 25;

/** Result of a message with a key. */
export interface Delivered {
  readonly receipt: Receipt;
  /** True: it was delivered earlier, and not again. */
  readonly isDuplicate: boolean;
}

/** Delivers the message of each (channel, key) once, over all processes, and remembers its receipt. */
export class MessageReceipts {
  constructor(
    private readonly cache: Cache,
    private readonly log: Logger,
  ) {}

  /**
   * Returns the receipt under a name, from the work or from an earlier run with the same fingerprint.
   * @throws ServiceError `conflict` if the name belongs to other content, `backpressure` while it is being published,
   * `service_unavailable` if the cache is unreachable; nothing was published then.
   */
  async once(
    name: string,
    fingerprint: string,
    ttlMs: number,
    publish: () => Receipt | Promise<Receipt>,
  ): Promise<Delivered> {
    const found = await orUnavailable(
      'idempotency store unavailable',
      this.#receiptOrClaim(name, fingerprint),
    );
    if (!(found instanceof Claim)) return { receipt: found, isDuplicate: true };
    try {
      const receipt = await publish();
      await found.settle(`${COMMITTED}${fingerprint}:${writeReceipt(receipt)}`, ttlMs);
      return { receipt, isDuplicate: false };
    } catch (error) {
      await found.release();
      throw error;
    }
  }

  async #receiptOrClaim(name: string, fingerprint: string): Promise<Receipt | Claim> {
    const token = `${PENDING}${randomUUID()}`;
    for (let poll = 0; ; poll++) {
      const claim = await Claim.take(this.cache, this.log, name, token);
      if (claim !== null) return claim;
      const value = await this.cache.get(name);
      if (value?.startsWith(COMMITTED) === true) return receiptOf(value, fingerprint);
      if (poll === POLLS) throw new ServiceError('backpressure', { text: 'this message is being published' });
      if (value !== null) await pause(POLL_MS);
    }
  }
}

/** The position follows the id on a line of its own, so that an id alone is read as it is. */
const writeReceipt = ({ messageId, position }: Receipt): string =>
  position === undefined ? messageId : `${messageId}\n${position.streamId} ${position.serial}`;

function readReceipt(text: string): Receipt {
  const { id, streamId, serial } = /^(?<id>[^]*)\n(?<streamId>\S+) (?<serial>\d+)$/.exec(text)?.groups ?? {};
  if (id === undefined || streamId === undefined) return { messageId: text };
  return { messageId: id, position: { streamId, serial: Number(serial) } };
}

function receiptOf(value: string, fingerprint: string): Receipt {
  const rest = value.slice(COMMITTED.length);
  const end = rest.indexOf(':');
  if (rest.slice(0, end) === fingerprint) return readReceipt(rest.slice(end + 1));
  throw new ServiceError('conflict', { text: 'the message key was used with other content on this channel' });
}
