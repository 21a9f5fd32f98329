import { randomUUID } from 'node:crypto';
import { checkHeaders, checkIdentity, endsStream, type HeaderLimits } from '@carillon/history-ai';
import { ServiceError } from '@carillon/errors';
import type { Mutation } from '@carillon/history-messages';
import type { ExtrasRules } from '@carillon/protocol';
import { uuidV7 } from '@carillon/history-publish';
import type { Caller } from '../caller.js';
import { describe } from '../describe/description.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { always, count, object, oneOf, text } from '../describe/shape.js';
import { isJsonObject, type JsonBody } from '../json/json-body.js';
import type { Work } from '../operation.js';
import { checkEventName } from '../publish/event-name.js';
import { actorOf } from './actor.js';
import { deliverable } from './deliverable.js';
import {
  APPEND,
  checkSize,
  DELETE,
  isNothing,
  readReplacement,
  readSaid,
  type Said,
  UPDATE,
} from './mutation-fields.js';
import { committed, livingChannel, type MessageParts, readSerial, requireHistory } from './parts.js';

const RESULT = object({
  channel: text('As asked.'),
  message_serial: text('As asked.'),
  action: oneOf(['update', 'delete', 'append'], 'What was done.'),
  accepted: always(true, 'It is done.'),
  version_serial: text('Of the new version; of the first one where the operation was repeated.'),
  history_serial: count('Place of the message in the history; never changes.'),
  delivery_serial: count('Place of the version in the order of delivery.'),
  status: oneOf(['applied', 'duplicate'], '`duplicate`: the `op_id` was carried out before.'),
});

const COMMON = {
  area: 'messages',
  rate: 'backend',
  subjects: ['channel', 'message_serial'],
  result: RESULT,
  errors: [
    'feature_disabled',
    'mutable_not_permitted',
    'not_found',
    'conflict',
    'payload_too_large',
    'backpressure',
    'ai_invalid_transport_header',
    'ai_header_too_large',
    'ai_client_id_spoof',
    'ai_event_not_permitted',
  ],
} as const;

export const UPDATE_MESSAGE = describe({
  ...COMMON,
  errors: [...COMMON.errors, 'limit_exceeded'],
  summary: 'Change a message',
  description: 'Fields that are given replace the old ones whole; the others stay. Stores a new version.',
  body: fieldsSchema(UPDATE),
});
export const DELETE_MESSAGE = describe({
  ...COMMON,
  summary: 'Delete a message softly',
  description: 'Stores a version that says so. What is not replaced or cleared stays readable.',
  body: fieldsSchema(DELETE),
  mayLackBody: true,
});
export const APPEND_MESSAGE = describe({
  ...COMMON,
  summary: 'Append to a message',
  description: 'Adds text to the data of a message, which must be a string or absent.',
  body: fieldsSchema(APPEND, [APPEND.data]),
});

type Kind = Mutation['op'];

/** Reads a change of one kind. */
function readMutation(kind: Kind, body: JsonBody, maxBytes: number): Said & { readonly data?: string } {
  if (kind !== 'append') {
    const said = readReplacement(body, maxBytes, kind === 'update');
    if (kind === 'update' && isNothing(said))
      throw new ServiceError('invalid_input', { text: 'an update must say what to change' });
    return said;
  }
  const data = APPEND.data.of(body.object);
  if (data === undefined) throw new ServiceError('invalid_input', { text: 'data must be a string' });
  const said = readSaid(body);
  if (data === '' && !endsStream(said.extras ?? null))
    throw new ServiceError('invalid_input', { text: 'data must not be empty' });
  checkSize(data, maxBytes);
  return { ...said, data };
}

export interface MutationParts extends MessageParts {
  readonly headers: HeaderLimits;
  /** Delivered members of `extras`. */
  readonly extras: ExtrasRules;
}

/** Changes a message as one kind of operation does. */
export const mutateMessage =
  (kind: Kind, parts: MutationParts): Work<typeof UPDATE_MESSAGE> =>
  async (caller, { channel: name, message_serial, body }) => {
    const living = livingChannel(caller, 'publish', name, parts);
    requireHistory(living);
    const serial = readSerial(message_serial, 'message_serial');
    const said = readMutation(kind, body, caller.app.limits.maxEventPayloadBytes);
    if (said.name !== undefined) checkEventName(caller.app, said.name);
    const channel = living.channel.name;
    const asked = { socketId: UPDATE.socketId.of(body.object), clientId: said.client_id };
    const deed = {
      channel,
      rights: ['publish'],
      grant: `message-${kind}`,
      refusal: 'mutable_not_permitted',
    } as const;
    const actor = await actorOf(caller, asked, deed, parts.sockets);
    const isServer = actor.socket_id === undefined && caller.actsAs === undefined;
    checkAi(said.extras, isServer ? null : (actor.client_id ?? ''), parts, channel);
    const result = await committed(living.commits, {
      ...said,
      // A member replaced by nothing is removed.
      ...(said.extras === undefined
        ? {}
        : { extras: deliverable(caller, said.extras, parts.extras) ?? '{}' }),
      op: kind,
      pub_id: uuidV7(),
      app_id: caller.app.id,
      channel,
      message_id: randomUUID(),
      message_serial: serial,
      actor,
      ...(caller.connectionId === undefined ? {} : { except_socket: caller.connectionId }),
      policy: living.policy,
    } as Mutation);
    const version = result.version_serial ?? '';
    if (result.status === 'applied') tell(parts, caller, { channel, serial, version, kind });
    return {
      value: {
        channel,
        message_serial: serial,
        action: kind,
        accepted: true,
        version_serial: version,
        history_serial: result.history_serial ?? 0,
        delivery_serial: result.delivery_serial ?? 0,
        status: result.status,
      },
    };
  };

/** Headers of AI transport are the same on a change as on a publish. `clientId`: of a connection; null: a server. */
function checkAi(
  extras: string | undefined,
  clientId: string | null,
  { ai, headers }: MutationParts,
  channel: string,
): void {
  const parsed: unknown = extras === undefined ? null : JSON.parse(extras);
  if (!isJsonObject(parsed) || !Object.hasOwn(parsed, 'ai')) return;
  if (!ai.has(channel)) throw new ServiceError('ai_event_not_permitted');
  const refusal =
    checkHeaders(parsed['ai'], headers) ?? (clientId === null ? null : checkIdentity(parsed['ai'], clientId));
  if (refusal !== null) throw new ServiceError(refusal.code, { text: refusal.text });
}

function tell(
  { webhooks }: MessageParts,
  { app }: Caller,
  { channel, serial, version, kind }: { channel: string; serial: string; version: string; kind: Kind },
): void {
  if (!webhooks.wants(app, 'message_version_created')) return;
  webhooks.emit(app, {
    name: 'message_version_created',
    channel,
    message_serial: serial,
    version_serial: version,
    action: `message.${kind}`,
  });
}
