import { methodOf, missingOf } from '@carillon/history-annotations';
import { ServiceError } from '@carillon/errors';
import { compactJson, rawMember } from '@carillon/protocol';
import { uuidV7 } from '@carillon/history-publish';
import type { Caller, Right } from '../caller.js';
import { describe } from '../describe/description.js';
import { anyField, integerField, textField } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { aliasOption, integerOption, textOption } from '../describe/option.js';
import { anything, count, flag, listOf, object, orNull, text } from '../describe/shape.js';
import type { JsonObject } from '../json/json-body.js';
import type { Work } from '../operation.js';
import { actorOf, mayDo } from './actor.js';
import { checkSize } from './mutation-fields.js';
import {
  committed,
  livingChannel,
  type LivingChannel,
  type MessageParts,
  readLimit,
  readSerial,
  requireHistory,
} from './parts.js';

const CLIENT = { minBytes: 1, maxBytes: 128 } as const;
const FIELDS = {
  type: textField(
    'type',
    '`<namespace>:<method>.v1`; the method is total, flag, distinct, unique or multiple.',
  ),
  name: textField('name', 'Needed by distinct, unique and multiple.', { maxBytes: 256 }),
  clientId: textField('clientId', 'Who annotates; needed by flag, distinct and unique.', CLIENT),
  client_id: textField('client_id', 'The same as `clientId`, which wins.', CLIENT),
  socketId: textField('socketId', 'The connection to act as, with its rights.'),
  socket_id: textField('socket_id', 'The same as `socketId`, which wins.'),
  count: integerField('count', 'What multiple adds; 1 when absent.', 1),
  data: anyField('data', 'Any JSON; kept with the annotation.'),
  encoding: textField('encoding', 'How the data is to be read.', { maxBytes: 256 }),
};

const COMMON = {
  area: 'annotations',
  errors: ['feature_disabled', 'forbidden', 'not_found', 'payload_too_large', 'backpressure'],
} as const;

export const ANNOTATE_MESSAGE = describe({
  ...COMMON,
  summary: 'Annotate a message',
  description: 'Every call is a new annotation; what all of its type come to is told to subscribers.',
  rate: 'backend',
  subjects: ['channel', 'message_serial'],
  body: fieldsSchema(FIELDS, [FIELDS.type]),
  result: object({ annotationSerial: text('Serial of the annotation.') }),
});

export const annotateMessage =
  (parts: MessageParts): Work<typeof ANNOTATE_MESSAGE> =>
  async (caller, { channel: name, message_serial, body }) => {
    const living = annotatedChannel(caller, 'annotation-publish', name, parts);
    requireHistory(living);
    const serial = readSerial(message_serial, 'message_serial');
    const given = readAnnotation(body.object);
    const raw = FIELDS.data.of(body.object) === undefined ? null : rawMember(body.text, 'data');
    const data = raw === null ? undefined : compactJson(raw);
    if (data !== undefined) checkSize(data, caller.app.limits.maxEventPayloadBytes);
    const channel = living.channel.name;
    const deed = {
      channel,
      rights: ['publish', 'annotation-publish'],
      checks: 'token',
      grant: null,
      refusal: 'forbidden',
    } as const;
    const asked = { socketId: socketOf(body.object), clientId: given.client_id };
    const { grant: _all, ...actor } = await actorOf(caller, asked, deed, parts.sockets);
    const clientId = given.client_id ?? actor.client_id;
    const missing = lackOf({ type: given.type, name: given.name ?? null, clientId: clientId ?? null });
    if (missing !== null)
      throw new ServiceError('invalid_input', { text: `${missing} is needed for this type` });
    const result = await committed(living.commits, {
      op: 'annotate',
      ...base(caller, living, serial, parts),
      ...limitsOf(parts),
      ...given,
      ...(clientId === undefined ? {} : { client_id: clientId }),
      ...(data === undefined ? {} : { data }),
      actor,
    });
    const annotationSerial = result.annotation_serial ?? '';
    if (result.status === 'applied' && parts.webhooks.wants(caller.app, 'annotation_created'))
      parts.webhooks.emit(caller.app, {
        name: 'annotation_created',
        channel,
        message_serial: serial,
        annotation_serial: annotationSerial,
        annotation_type: given.type,
      });
    return { value: { annotationSerial } };
  };

export const DELETE_ANNOTATION = describe({
  ...COMMON,
  summary: 'Take an annotation back',
  description: 'Taking it back again changes nothing and is answered as the first time.',
  rate: 'backend',
  subjects: ['channel', 'message_serial', 'annotation_serial'],
  options: [
    textOption('socket_id', 'The connection to act as, with its rights.'),
    aliasOption('socketId', 'The same as `socket_id`, which wins.'),
  ],
  result: object({
    annotationSerial: text('Serial of what takes it back.'),
    deletedAnnotationSerial: text('As asked.'),
  }),
});

export const deleteAnnotation =
  (parts: MessageParts): Work<typeof DELETE_ANNOTATION> =>
  async (caller, { channel: name, message_serial, annotation_serial, socket_id, socketId }) => {
    const right = mayDo(caller, 'annotation-delete-any', name)
      ? 'annotation-delete-any'
      : 'annotation-delete-own';
    const living = annotatedChannel(caller, right, name, parts);
    const serial = readSerial(message_serial, 'message_serial');
    const target = readSerial(annotation_serial, 'annotation_serial');
    const channel = living.channel.name;
    const deed = { channel, rights: [], grant: 'annotation-delete', refusal: 'forbidden' } as const;
    const asked = { socketId: socket_id ?? socketId, clientId: undefined };
    const actor = await actorOf(caller, asked, deed, parts.sockets);
    if (actor.socket_id !== undefined && actor.client_id === undefined) throw new ServiceError('forbidden');
    const result = await committed(living.commits, {
      op: 'unannotate',
      ...base(caller, living, serial, parts),
      annotation_serial: target,
      actor,
    });
    const annotationSerial = result.annotation_serial ?? '';
    if (result.status === 'applied' && parts.webhooks.wants(caller.app, 'annotation_deleted'))
      parts.webhooks.emit(caller.app, {
        name: 'annotation_deleted',
        channel,
        message_serial: serial,
        annotation_serial: annotationSerial,
        annotation_type: typeOf(result.extra),
        deleted_annotation_serial: target,
      });
    return { value: { annotationSerial, deletedAnnotationSerial: target } };
  };

export const LIST_ANNOTATIONS = describe({
  area: 'annotations',
  summary: 'Annotations of a message',
  description:
    'What was annotated and what was taken back, oldest first. Of a message that there is not, none.',
  rate: 'read',
  subjects: ['channel', 'message_serial'],
  options: [
    textOption('type', 'Only those of this type.'),
    integerOption('limit', 'At least 1; the largest page when absent or larger.'),
    textOption('from_serial', 'The annotation serial to begin behind: `nextCursor` of the page before.'),
    textOption('socket_id', 'The connection to act as, with its rights.'),
    aliasOption('socketId', 'The same as `socket_id`, which wins.'),
  ],
  result: object({
    channel: text('As asked.'),
    messageSerial: text('As asked.'),
    limit: count('As asked, and at most `versioned_messages.max_page_size`.'),
    hasMore: flag('At least one more follows.'),
    nextCursor: orNull(text('What to ask the next page with.')),
    items: listOf(
      anything(
        '`action`, `id`, `serial`, `messageSerial`, `type`, `name`, `clientId`, `count`, `data`, `encoding`, `timestamp`.',
      ),
      'Oldest first.',
    ),
  }),
  errors: ['feature_disabled', 'forbidden'],
});

export const listAnnotations =
  (parts: MessageParts): Work<typeof LIST_ANNOTATIONS> =>
  async (
    caller,
    { channel: name, message_serial, type, limit: length, from_serial, socket_id, socketId },
  ) => {
    const living = annotatedChannel(caller, 'annotation-subscribe', name, parts);
    requireHistory(living);
    const serial = readSerial(message_serial, 'message_serial');
    if (type !== undefined && methodOf(type) === null) throw wrongType();
    const limit = readLimit(length, parts.config.versioned_messages.max_page_size);
    const after = from_serial === undefined ? null : readSerial(from_serial, 'from_serial');
    const channel = living.channel.name;
    const deed = {
      channel,
      rights: ['subscribe', 'annotation-subscribe'],
      checks: 'always',
      grant: null,
      refusal: 'forbidden',
    } as const;
    await actorOf(caller, { socketId: socket_id ?? socketId, clientId: undefined }, deed, parts.sockets);
    const { items, hasMore, last } = await living.reader.annotations(
      { appId: caller.app.id, channel, messageSerial: serial },
      { limit, type: type ?? null, after },
    );
    return {
      value: {
        channel,
        messageSerial: serial,
        limit,
        hasMore,
        nextCursor: hasMore ? last : null,
        items,
      },
    };
  };

/** The channel, on which messages may be annotated. */
function annotatedChannel(caller: Caller, right: Right, name: string, parts: MessageParts): LivingChannel {
  const living = livingChannel(caller, right, name, parts);
  if (!parts.config.annotations.enabled)
    throw new ServiceError('feature_disabled', { text: 'messages are not annotated here' });
  if (living.channel.policy.annotationsEnabled) return living;
  throw new ServiceError('forbidden', { text: 'annotations are not enabled for this channel' });
}

function readAnnotation(object: JsonObject) {
  const type = FIELDS.type.of(object);
  if (type === undefined || methodOf(type) === null) throw wrongType();
  const name = FIELDS.name.of(object);
  const clientId = FIELDS.clientId.of(object) ?? FIELDS.client_id.of(object);
  const amount = FIELDS.count.of(object);
  const encoding = FIELDS.encoding.of(object);
  return {
    type,
    ...(name === undefined ? {} : { name }),
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(amount === undefined ? {} : { count: amount }),
    ...(encoding === undefined ? {} : { encoding }),
  };
}

/**
 * Returns the missing member of an annotation of this type; null: complete.
 * @throws ServiceError `invalid_input` for an invalid type
 */
export function lackOf({
  type,
  ...given
}: {
  readonly type: string;
  readonly name: string | null;
  readonly clientId: string | null;
}): 'clientId' | 'name' | null {
  const method = methodOf(type);
  if (method === null) throw wrongType();
  return missingOf(method, given);
}

const socketOf = (object: JsonObject): string | undefined =>
  FIELDS.socketId.of(object) ?? FIELDS.socket_id.of(object);

const wrongType = (): ServiceError =>
  new ServiceError('invalid_input', {
    text: 'type must be <namespace>:<method>.v1 with method total, flag, distinct, unique or multiple',
  });

/** Frame size limit of apps without their own. */
const KIB = 1024;

const base = (
  caller: Caller,
  { channel, policy }: LivingChannel,
  message_serial: string,
  { config }: MessageParts,
) => ({
  pub_id: uuidV7(),
  app_id: caller.app.id,
  channel: channel.name,
  message_serial,
  policy,
  max_frame_bytes: Number.isSafeInteger(caller.app.limits.maxEventPayloadBytes)
    ? caller.app.limits.maxEventPayloadBytes
    : config.websocket_max_payload_kb * KIB,
});

/** Limits of a message's annotations as carried by the record; 0 in the configuration means none. */
function limitsOf({ config: { annotations } }: MessageParts) {
  const { max_names_per_type: names, max_types_per_message: types } = annotations;
  return { ...(names === 0 ? {} : { max_names: names }), ...(types === 0 ? {} : { max_types: types }) };
}

function typeOf(extra: unknown): string {
  const has = typeof extra === 'object' && extra !== null && 'annotation_type' in extra;
  return has && typeof extra.annotation_type === 'string' ? extra.annotation_type : '';
}
