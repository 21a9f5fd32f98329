import {
  callerOf,
  type CompatCore,
  CompatError,
  fromItem,
  fromLatest,
  inFormat,
  isObject,
  orRefused,
  readEdit,
} from '@carillon/ably-core';
import type { HistoryReader } from '@carillon/history-reader';
import type { Operations } from '@carillon/api-operations';
import type { Access, Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import type { Summaries } from './summaries.js';
import { cursorOf, directionOf, limitOf, linkTo, placeOf } from './paging.js';

const EDITING = ['update', 'delete', 'append'].flatMap((what) => [
  `message-${what}-any`,
  `message-${what}-own`,
]);
const KEPT = ['limit', 'direction', 'format'];
const MAX_KEY_BYTES = 64;

/** Operations used by these routes. */
export type MessageOperations = Pick<Operations, 'listVersions' | 'readMessage'>;

/** Reads and changes single messages. */
export class Messages {
  constructor(
    private readonly core: CompatCore,
    private readonly operations: MessageOperations,
    private readonly entry: Entry,
    private readonly maxVersions: number,
    private readonly summaries: Summaries,
    /** Null: this process has no way to the histories of channels. */
    private readonly history: Pick<HistoryReader, 'page'> | null,
  ) {}

  readonly latest = async (ask: Ask): Promise<Reply> => {
    const { access, serial } = await this.#about(ask, ['history']);
    const { value } = await orRefused(
      this.operations.readMessage.perform(callerOf(access.principal, 'rest'), {
        channel: access.name.base,
        message_serial: serial,
      }),
    );
    const shown = fromLatest(value.item, await this.#idOf(access, value.item), 0);
    if (shown === null) throw new CompatError(40_400, 'there is no such message');
    this.entry.outbound(access.principal, [shown]);
    const [told = shown] = await this.summaries.added(access, [shown]);
    return { status: 200, body: inFormat(told, formatOfAnswer(ask)) };
  };

  readonly versions = async (ask: Ask): Promise<Reply> => {
    const { access, serial } = await this.#about(ask, ['history']);
    const { principal, name } = access;
    const direction = directionOf(ask.query['direction'] ?? 'forwards');
    const limit = Math.min(limitOf(ask.query), this.maxVersions);
    const about = ['versions', principal.app.id, name.base, serial, direction];
    const after = placeOf(about, ask.query['cursor']);
    const { value } = await orRefused(
      this.operations.listVersions.perform(callerOf(principal, 'rest'), {
        channel: name.base,
        message_serial: serial,
        limit: String(limit),
        direction,
        ...(after === undefined ? {} : { cursor: after }),
      }),
    );
    const format = formatOfAnswer(ask);
    const id = await this.#idOf(access, value.items[0]);
    const shown = value.items.flatMap((item) => fromItem(item, id, 0) ?? []);
    this.entry.outbound(principal, shown);
    const body = shown.map((one) => inFormat(one, format));
    const next = value.next_cursor;
    const links = {
      first: linkTo(ask, KEPT, null),
      ...(next === undefined ? {} : { next: linkTo(ask, KEPT, cursorOf(about, next)) }),
    };
    return { status: 200, body, links };
  };

  readonly edit = async (ask: Ask): Promise<Reply> => {
    const { access, serial } = await this.#about(ask, EDITING);
    const { principal, name } = access;
    const edit = readEdit(ask.body(), serial, principal, this.core.messageRules(principal.app));
    const versionSerial = await this.core.edits.apply({
      principal,
      base: name.base,
      serial,
      edit,
      operationId: operationId(ask),
      connectionId: null,
      via: 'rest',
    });
    await this.entry.inbound(principal, [edit]);
    return { status: 200, body: { versionSerial } };
  };

  /** Returns the id with which the message was published, from the history; null: no longer stored. */
  async #idOf({ principal, channel }: Access, item: unknown): Promise<string | null> {
    const serial = isObject(item) ? item['history_serial'] : null;
    if (this.history === null || typeof serial !== 'number') return null;
    const bounds = { start_serial: serial, end_serial: serial, start_time_ms: null, end_time_ms: null };
    const query = { limit: 1, direction: 'oldest_first', cursor: null, bounds } as const;
    const page = await orRefused(this.history.page(principal.app.id, channel.name, query));
    return page.items[0]?.message_id ?? null;
  }

  async #about(ask: Ask, operations: readonly string[]): Promise<{ access: Access; serial: string }> {
    const access = await this.entry.channel(ask, operations);
    return { access, serial: ask.request.params['serial'] ?? '' };
  }
}

function operationId({ request }: Ask): string | null {
  const key = request.header('x-idempotency-key');
  if (key === undefined || key === '') return null;
  if (Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new CompatError(40_000, `X-Idempotency-Key must have at most ${MAX_KEY_BYTES} bytes`);
  return key;
}
