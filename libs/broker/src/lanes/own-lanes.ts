import type { FanOutRecordBody } from '@carillon/contracts';
import type { Heard, LaneAddress, LaneBroker, LaneHandler } from './port.js';
import { addressKey } from './address-key.js';

/** Calls inside a process have no size limit. */
const ANY_SIZE = Number.MAX_SAFE_INTEGER;

const SILENT: Heard = { kind: 'silent' };
const NO_RESPONDER: Heard = { kind: 'no_responder' };

/** Lanes of a single-process installation: requests are function calls, and announcements have no receivers. */
export class OwnLanes implements LaneBroker {
  readonly maxBytes = ANY_SIZE;
  readonly #handlers = new Map<string, LaneHandler>();

  constructor(private readonly deliver: (record: FanOutRecordBody) => void) {}

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const handler = this.#handlers.get(addressKey(address));
    if (handler === undefined) return NO_RESPONDER;
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<Heard>((resolve) => {
      timer = setTimeout(() => resolve(SILENT), budgetMs);
    });
    const answered = handler(text).then(
      (reply): Heard | Promise<Heard> => (reply === null ? silence : { kind: 'reply', text: reply }),
      () => silence,
    );
    const heard = await Promise.race([answered, silence]);
    clearTimeout(timer);
    return heard;
  }

  async serve(address: LaneAddress, handler: LaneHandler): Promise<void> {
    this.#handlers.set(addressKey(address), handler);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    this.#handlers.delete(addressKey(address));
  }

  async announce(): Promise<void> {}

  async hear(): Promise<void> {}

  async handOver(record: FanOutRecordBody): Promise<void> {
    this.deliver(record);
  }

  /** Stops serving all addresses. */
  close(): void {
    this.#handlers.clear();
  }
}
