import {
  CompatError,
  type CompatCore,
  type JsonObject,
  messageRules,
  readChannelName,
  readMessage,
} from '@carillon/compat-core';
import type { CompatConnection } from './connection.js';
import { ACTION, MODE } from './flags.js';
import type { Members } from './presence.js';
import type { Said } from './said.js';
import { type WebhookEvents, dataOf } from '@carillon/webhooks';

const MAX_MESSAGES = 1000;
/** Answers that are remembered of one connection. */
const MAX_RECEIPTS = 1000;
const DENIED = 'operation not permitted with provided capability';

/** What connections send to channels; each frame is answered once. */
export class Publishing {
  constructor(
    private readonly core: CompatCore,
    private readonly members: Members,
    private readonly said: Said,
    private readonly webhooks: WebhookEvents,
  ) {}

  async handle(connection: CompatConnection, frame: JsonObject): Promise<void> {
    const { msgSerial } = frame;
    if (typeof msgSerial !== 'number' || !Number.isSafeInteger(msgSerial) || msgSerial < 0)
      throw new CompatError(40_000, 'msgSerial must be an integer');
    if (msgSerial <= connection.lastSerial) return;
    connection.lastSerial = msgSerial;
    try {
      const serials = await this.#once(connection, frame, msgSerial);
      const res = serials === null ? {} : { res: [{ serials }] };
      this.said.say(connection, { action: ACTION.ack, msgSerial, count: 1, ...res });
    } catch (error) {
      const { body } = error instanceof CompatError ? error : new CompatError(50_003, 'not done, retry');
      this.said.say(connection, { action: ACTION.nack, msgSerial, count: 1, error: body });
    }
  }

  /** What it was answered before it was cut is answered again, and nothing is published twice. */
  async #once(
    connection: CompatConnection,
    frame: JsonObject,
    msgSerial: number,
  ): Promise<readonly string[] | null> {
    const { base, text } = readChannelName(frame['channel']);
    if (frame['action'] === ACTION.presence) {
      await this.members.handle(connection, base, frame['presence']);
      return null;
    }
    if (frame['action'] !== ACTION.message) throw new CompatError(40_000, `${text}: not offered`);
    const known = connection.receipts.get(msgSerial);
    if (known !== undefined) return known;
    const serials = await this.#publish(connection, base, frame, msgSerial);
    connection.receipts.set(msgSerial, serials);
    connection.receipts.delete(msgSerial - MAX_RECEIPTS);
    return serials;
  }

  async #publish(
    connection: CompatConnection,
    base: string,
    { messages: values }: JsonObject,
    msgSerial: number,
  ): Promise<readonly string[]> {
    const { principal, hub } = connection;
    const attachment = connection.attachments.get(base);
    const isModeLess = attachment !== undefined && (attachment.modes & MODE.PUBLISH) === 0;
    if (isModeLess || !principal.capability.allows('publish', base)) throw new CompatError(40_160, DENIED);
    if (!Array.isArray(values) || values.length === 0 || values.length > MAX_MESSAGES)
      throw new CompatError(40_000, 'messages must be a list');
    const rules = messageRules(hub.app);
    const messages = values.map((value) => readMessage(value, principal, rules));
    const channel = this.core.channel(hub.app, base);
    const request = { app: hub.app, channel, messages, connectionId: connection.id };
    const serials = await this.core.publisher.publish({ ...request, base: `${connection.id}:${msgSerial}` });
    if (this.webhooks.wants(hub.app, 'client_event'))
      for (const { name, data, clientId } of messages)
        this.webhooks.emit(hub.app, {
          name: 'client_event',
          channel: base,
          event: name ?? 'message',
          data: dataOf(JSON.stringify(data ?? 'null')),
          socket_id: connection.id,
          ...(clientId === null ? {} : { user_id: clientId }),
        });
    return serials;
  }
}
