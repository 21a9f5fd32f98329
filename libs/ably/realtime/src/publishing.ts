import {
  CompatError,
  type CompatCore,
  type JsonObject,
  type Measurable,
  editOf,
  isEphemeral,
  isObject,
  isShared,
  messageRules,
  type NewMessage,
  NOT_GRANTED,
  readAnnotation,
  readEdit,
  readMessage,
  readOwnChannelName,
  refusalOf,
} from '@carillon/ably-core';
import { type Outlet, rulesOf } from '@carillon/realtime';
import type { CompatConnection } from './connection.js';
import type { Counted } from './counted.js';
import { ACTION, MODE } from './flags.js';
import type { Members } from './presence.js';
import type { Receipts } from './receipts.js';
import type { FrameWriter } from './frame-writer.js';
import { type WebhookEvents, dataOf } from '@carillon/webhooks';

const MAX_MESSAGES = 1000;

/** The result of a frame. */
interface Done {
  /** The serials of its messages; empty for members and annotations. */
  readonly serials: readonly string[];
  /** Settles when it is counted, and known everywhere; null: that it is already. */
  readonly settled: Promise<void> | null;
}

/** The published messages with their serials. */
interface Published {
  readonly serials: readonly string[];
  readonly said: readonly Measurable[];
}

interface Asked {
  readonly base: string;
  /** The channel name as the client sent it. */
  readonly text: string;
  readonly frame: JsonObject;
  readonly msgSerial: number;
}

/** Publishes the frames that connections send to channels; each frame is acknowledged once. */
export class Publishing {
  constructor(
    private readonly core: CompatCore,
    private readonly members: Members,
    private readonly said: FrameWriter,
    private readonly webhooks: WebhookEvents,
    private readonly outlet: Outlet,
    private readonly counted: Counted,
    private readonly receipts: Receipts,
  ) {}

  async handle(connection: CompatConnection, frame: JsonObject): Promise<void> {
    const { msgSerial } = frame;
    if (typeof msgSerial !== 'number' || !Number.isSafeInteger(msgSerial) || msgSerial < 0)
      throw new CompatError(40_000, 'msgSerial must be an integer');
    if (msgSerial <= connection.lastSerial) return;
    connection.lastSerial = msgSerial;
    const answer = (action: number, more: object, settled: Promise<void> | null = null): void =>
      connection.answers.add(settled, () =>
        this.said.say(connection, { action, msgSerial, count: 1, ...more }),
      );
    try {
      this.#count(connection, frame);
      const { serials, settled } = await this.#once(connection, frame, msgSerial);
      answer(ACTION.ack, serials.length === 0 ? {} : { res: [{ serials }] }, settled);
    } catch (error) {
      const told = refusalOf(error);
      const refusal = told instanceof CompatError ? told : new CompatError(50_003, 'not done, retry');
      this.counted.refused(refusal);
      this.#tapRefused(connection, frame, refusal);
      answer(ACTION.nack, { error: refusal.body });
    }
  }

  #tapRefused(
    connection: CompatConnection,
    { channel }: JsonObject,
    { code, message: reason }: CompatError,
  ): void {
    const { tap } = connection.hub;
    const base = typeof channel === 'string' ? channel : null;
    if (tap !== null) tap.refused(connection, { code, reason, channel: base, isSubscribe: false });
  }

  /** @throws CompatError 42911 when it sends more than the app lets it. */
  #count(connection: CompatConnection, { messages, presence, annotations }: JsonObject): void {
    const rule = rulesOf(connection.hub.app).clientEvents;
    if (rule === null) return;
    const values = messages ?? presence ?? annotations;
    const count = Array.isArray(values) ? values.length : 1;
    const isWithin = connection.windows.clientEvent(rule, performance.now(), count);
    connection.hub.meters.limit('client_events', isWithin);
    if (isWithin) return;
    if (rule.terminates) this.outlet.close(connection, 'closed_by_rate_limit');
    throw new CompatError(42_911, 'the rate limit is exceeded');
  }

  /** Acknowledges a frame again that was already acknowledged before the disconnect, without publishing it twice. */
  async #once(connection: CompatConnection, frame: JsonObject, msgSerial: number): Promise<Done> {
    const { base, text } = readOwnChannelName(frame['channel']);
    // By then the acknowledgements of the previous node are available.
    if (connection.mayRepeat && connection.comingBack !== null) await connection.comingBack;
    const known = await this.receipts.find(connection, msgSerial);
    if (known !== undefined) {
      this.core.counters.add('duplicate_suppression');
      return { serials: known, settled: null };
    }
    const { serials, said } = await this.#done(connection, { base, text, frame, msgSerial });
    const shared = this.receipts.note(connection, msgSerial, serials);
    const counted = said.length === 0 ? null : this.counted.published(connection, said);
    return { serials, settled: shared === null ? counted : bothOf(shared, counted) };
  }

  async #done(connection: CompatConnection, asked: Asked): Promise<Published> {
    const { action, messages, annotations, presence } = asked.frame;
    if (action === ACTION.presence) {
      await this.members.handle(connection, asked, presence);
      return { serials: [], said: [] };
    }
    if (action === ACTION.annotation)
      return this.#annotate(connection, asked, listOf(annotations, 'annotations'));
    if (action !== ACTION.message) throw new CompatError(40_000, `${asked.text}: not offered`);
    const values = named(connection, asked.frame, listOf(messages, 'messages'));
    const edits = values.filter(isEdit);
    if (edits.length === 0) return this.#publish(connection, asked, values);
    if (edits.length < values.length)
      throw new CompatError(40_000, 'new messages and changes of others are sent in frames of their own');
    return this.#edit(connection, asked, edits);
  }

  /** Each change is acknowledged with the serial of the new version. */
  async #edit(
    connection: CompatConnection,
    { base, msgSerial }: Asked,
    values: readonly (JsonObject & { readonly serial: string })[],
  ): Promise<Published> {
    const { principal, hub } = connection;
    const rules = this.core.messageRules(hub.app);
    const edits = values.map((value) => readEdit(value, value.serial, principal, rules));
    const serials: string[] = [];
    for (const [index, edit] of edits.entries()) {
      const { serial = '' } = values[index] ?? {};
      const operationId = `${connection.id}:${msgSerial}:${index}`;
      serials.push(
        await this.core.edits.apply({
          principal,
          base,
          serial,
          edit,
          operationId,
          connectionId: connection.id,
          via: 'realtime',
        }),
      );
    }
    return { serials, said: edits };
  }

  async #annotate(
    connection: CompatConnection,
    { base, text, msgSerial }: Asked,
    values: readonly unknown[],
  ): Promise<Published> {
    const { principal, hub } = connection;
    this.#require(connection, text, MODE.ANNOTATION_PUBLISH);
    const rules = messageRules(hub.app);
    const requests = values.map((value, index) => {
      const read = readAnnotation(value, null, principal, rules);
      const annotation = { ...read, id: read.id ?? `${connection.id}:${msgSerial}:${index}` };
      return { principal, base, annotation, via: 'realtime' as const };
    });
    for (const request of requests) this.core.annotations.check(request);
    const serials: string[] = [];
    for (const request of requests) serials.push(await this.core.annotations.apply(request));
    return { serials, said: requests.map(({ annotation }) => annotation) };
  }

  /** Requires the mode of an attachment. Without an attachment, only the capability applies. */
  #require({ attachments }: CompatConnection, text: string, mode: number): void {
    const attachment = attachments.get(text);
    if (attachment !== undefined && (attachment.modes & mode) === 0)
      throw new CompatError(40_160, NOT_GRANTED);
  }

  async #publish(
    connection: CompatConnection,
    { base, text, msgSerial }: Asked,
    values: readonly unknown[],
  ): Promise<Published> {
    const { principal, hub } = connection;
    this.#require(connection, text, MODE.PUBLISH);
    if (!principal.capability.allows('publish', base)) throw new CompatError(40_160, NOT_GRANTED);
    const rules = this.core.messageRules(hub.app);
    const messages = values.map((value) => readMessage(value, principal, rules));
    const channel = this.core.channel(hub.app, base);
    const request = { principal, channel, messages, connectionId: connection.id };
    const { push, publisher } = this.core;
    const pushes = (await push?.judged(hub.appId, messages)) ?? [];
    const { ids, serials, isNew } = await publisher.publish({
      ...request,
      base: `${connection.id}:${msgSerial}`,
    });
    for (const [index, prepared] of pushes.entries())
      await push?.publish(prepared, { appId: hub.appId, channel: base, id: ids[index] ?? '' });
    if (connection.hub.tap !== null) this.#tapAccepted(connection, base, messages, ids);
    this.#tell(
      connection,
      base,
      messages.filter((one, index) => isNew[index] === true && !isEphemeral(one)),
    );
    return { serials, said: messages };
  }

  #tapAccepted(
    connection: CompatConnection,
    channel: string,
    messages: readonly NewMessage[],
    ids: readonly (string | null)[],
  ): void {
    const { tap } = connection.hub;
    for (const [index, { name, data }] of messages.entries())
      tap?.accepted(connection, {
        channel,
        event: name ?? 'message',
        dataText: data === null || data === undefined ? null : JSON.stringify(data),
        messageId: ids[index] ?? null,
      });
  }

  /** Sends `client_event` webhooks for client messages, with the user if the channel has users. */
  #tell({ id, hub }: CompatConnection, channel: string, messages: readonly NewMessage[]): void {
    if (!this.webhooks.wants(hub.app, 'client_event')) return;
    for (const { name, data, clientId } of messages)
      this.webhooks.emit(hub.app, {
        name: 'client_event',
        channel,
        event: name ?? 'message',
        data: dataOf(JSON.stringify(data ?? 'null')),
        socket_id: id,
        ...(clientId === null || !isShared(channel) ? {} : { user_id: clientId }),
      });
  }
}

/**
 * Returns the message ids of a frame: those given, otherwise derived from the frame. The id of another connection is
 * rejected.
 */
function named(
  { id: own }: CompatConnection,
  { id, connectionId }: JsonObject,
  values: readonly unknown[],
): readonly unknown[] {
  const isForeign = (one: unknown): boolean => one !== undefined && one !== null && one !== own;
  if (isForeign(connectionId) || values.some((value) => isObject(value) && isForeign(value['connectionId'])))
    throw new CompatError(40_000, 'connectionId is not that of this connection');
  if (typeof id !== 'string' || id === '') return values;
  return values.map((value, index) =>
    isObject(value) && !isEdit(value) ? { ...value, id: value['id'] ?? `${id}:${index}` } : value,
  );
}

async function bothOf(one: Promise<void>, other: Promise<void> | null): Promise<void> {
  await one;
  await other;
}

function listOf(values: unknown, name: string): readonly unknown[] {
  if (Array.isArray(values) && values.length > 0 && values.length <= MAX_MESSAGES) return values;
  throw new CompatError(40_000, `${name} must be a list`);
}

const isEdit = (value: unknown): value is JsonObject & { readonly serial: string } =>
  isObject(value) && editOf(value['action']) !== null && typeof value['serial'] === 'string';
