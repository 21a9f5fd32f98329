// Paths, bodies, status codes and error bodies as the server's HTTP API has them.
import { polled } from './poll.js';

/** @import { Store, Stream, Topic, Partition } from './store.js' */
/** @import { Tokens } from './tokens.js' */

/** @typedef {{ store: Store, tokens: Tokens }} Context */
/** @typedef {{ method: string, url: URL, authorization: string, text: string }} Request */
/** @typedef {{ status: number, body?: unknown }} Answer */
/** @typedef {{ context: Context, request: Request, parts: string[] }} Call */

const USER = 'iggy';
const PASSWORD = 'iggy';
const LONGEST_NAME = 255;
const MAX_PAYLOAD_BYTES = 64_000_000;

export class Failure extends Error {
  /** @param {number} status @param {number} id @param {string} code @param {string} reason @param {string | null} field */
  constructor(status, id, code, reason, field = null) {
    super(reason);
    this.status = status;
    this.id = id;
    this.code = code;
    this.field = field;
  }
}

const notFound = () => new Failure(404, 404, 'not_found', 'Resource not found');

/** @param {Context} context @param {Request} request @returns {Answer} */
export function route(context, request) {
  const parts = request.url.pathname.split('/').slice(1).map(decodeURIComponent);
  const [first = '', second = ''] = parts;
  if (first === 'ping') return { status: 200, body: 'pong' };
  const call = { context, request, parts };
  if (first === 'users' && request.method === 'POST') return second === 'login' ? login(call) : refresh(call);
  const token = /^Bearer (.+)$/.exec(request.authorization)?.[1] ?? '';
  if (!context.tokens.isValid(token)) throw new Failure(401, 40, 'unauthenticated', 'Unauthenticated');
  if (first !== 'streams') throw notFound();
  return streams(call);
}

/** @param {Call} call @returns {any} */
function bodyOf({ request }) {
  try {
    return JSON.parse(request.text);
  } catch (error) {
    throw new Failure(400, 3, 'invalid_command', String(error));
  }
}

/** @param {Call} call @returns {Answer} */
function login(call) {
  const { username, password } = bodyOf(call);
  if (username !== USER || password !== PASSWORD)
    throw new Failure(400, 42, 'invalid_credentials', 'Invalid credentials');
  return { status: 200, body: call.context.tokens.issue() };
}

/** @param {Call} call @returns {Answer} */
function refresh(call) {
  const { context, parts } = call;
  if (parts[1] !== 'refresh-token') throw notFound();
  if (!context.tokens.isValid(String(bodyOf(call).token)))
    throw new Failure(401, 40, 'unauthenticated', 'Unauthenticated');
  return { status: 200, body: context.tokens.issue() };
}

/** @param {string} name @param {string} code */
function checkName(name, code) {
  if (name === '' || Buffer.byteLength(name) > LONGEST_NAME)
    throw new Failure(400, 1013, code, `Invalid name`, 'name');
}

/** @param {Call} call @returns {Answer} */
function streams(call) {
  const { context, request, parts } = call;
  const [, id, kind] = parts;
  if (id === undefined) {
    if (request.method !== 'POST') return { status: 200, body: context.store.streams.map(streamBody) };
    const { name } = bodyOf(call);
    checkName(name, 'invalid_stream_name');
    if (context.store.stream(name) !== undefined)
      throw new Failure(400, 1012, 'stream_name_already_exists', `Stream ${name} already exists.`, 'name');
    context.store.change({ do: 'stream', name });
    return { status: 200, body: streamBody(/** @type {Stream} */ (context.store.stream(name))) };
  }
  const stream = context.store.stream(id);
  if (stream === undefined) throw notFound();
  if (kind === undefined) return { status: 200, body: streamBody(stream) };
  if (kind !== 'topics') throw notFound();
  return topics(call, stream);
}

/** @param {Stream} stream */
const streamBody = ({ id, name, topics: all }) => ({
  id,
  name,
  topics_count: all.length,
  topics: all.map(topicBody),
});

/** @param {Topic} topic */
const topicBody = ({ id, name, partitions }) => ({
  id,
  name,
  partitions_count: partitions.length,
  messages_count: partitions.reduce((sum, { messages }) => sum + messages.length, 0),
  partitions: partitions.map(({ messages }, index) => ({
    id: index,
    current_offset: Math.max(0, messages.length - 1),
    messages_count: messages.length,
  })),
});

/** @param {Call} call @param {Stream} stream @returns {Answer} */
function topics(call, stream) {
  const { context, request, parts } = call;
  const [, , , id, kind] = parts;
  if (id === undefined) {
    if (request.method !== 'POST') return { status: 200, body: stream.topics.map(topicBody) };
    const { name, partitions_count: partitions } = bodyOf(call);
    checkName(name, 'invalid_topic_name');
    if (!Number.isInteger(partitions) || partitions < 1 || partitions > 1000)
      throw new Failure(400, 2011, 'too_many_partitions', 'Too many partitions');
    if (context.store.topic(stream, name) !== undefined)
      throw new Failure(400, 2013, 'topic_name_already_exists', `Topic ${name} already exists.`, 'name');
    context.store.change({ do: 'topic', stream: stream.name, name, partitions });
    return { status: 200, body: topicBody(/** @type {Topic} */ (context.store.topic(stream, name))) };
  }
  const topic = context.store.topic(stream, id);
  if (topic === undefined) throw notFound();
  if (kind === undefined) return { status: 200, body: topicBody(topic) };
  if (kind === 'messages')
    return request.method === 'POST' ? send(call, stream, topic) : poll(call, stream, topic);
  if (kind === 'consumer-offsets') return offsets(call, stream, topic);
  throw notFound();
}

/** @param {Topic} topic @param {number} id @returns {Partition} */
function partitionOf(topic, id) {
  const partition = topic.partitions[id];
  if (partition === undefined)
    throw new Failure(404, 3007, 'partition_not_found', `Partition ${id} was not found.`, 'partition_id');
  return partition;
}

/** @param {Call} call @param {Stream} stream @param {Topic} topic @returns {Answer} */
function send(call, stream, topic) {
  const { partitioning, messages } = bodyOf(call);
  const value = Buffer.from(String(partitioning?.value ?? ''), 'base64');
  if (partitioning?.kind !== 'partition_id' || value.length !== 4)
    throw new Failure(400, 3, 'invalid_command', 'Invalid command');
  const partition = value.readUInt32LE(0);
  partitionOf(topic, partition);
  if (!Array.isArray(messages) || messages.length === 0)
    throw new Failure(400, 4009, 'invalid_messages_count', 'Invalid messages count');
  const payloads = messages.map(({ payload }) => {
    const bytes = Buffer.from(String(payload), 'base64').length;
    if (bytes === 0) throw new Failure(400, 4017, 'empty_message_payload', 'Empty message payload');
    if (bytes > MAX_PAYLOAD_BYTES)
      throw new Failure(400, 4012, 'too_big_message_payload', 'Too big message payload');
    return String(payload);
  });
  const { store } = call.context;
  store.change({
    do: 'send',
    stream: stream.name,
    topic: topic.name,
    partition,
    timestamp: store.now(),
    payloads,
  });
  return { status: 201, body: { confirmations: [] } };
}

/** @param {Call} call @param {Stream} stream @param {Topic} topic @returns {Answer} */
function poll(call, stream, topic) {
  const query = call.request.url.searchParams;
  const consumer = query.get('consumer_id');
  if (consumer === null || consumer === '')
    throw new Failure(400, 3, 'invalid_command', 'missing field consumer_id');
  const id = Number(query.get('partition_id') ?? 0);
  const { messages } = partitionOf(topic, id);
  const key = `${consumer}/${id}`;
  const found = polled(messages, {
    kind: query.get('kind') ?? 'offset',
    value: Number(query.get('value') ?? 0),
    count: Number(query.get('count') ?? 10),
    stored: topic.offsets.get(key) ?? null,
  });
  const last = found.at(-1);
  if (query.get('auto_commit') === 'true' && last !== undefined) {
    call.context.store.change({
      do: 'offset',
      stream: stream.name,
      topic: topic.name,
      key,
      offset: last.offset,
    });
  }
  const body = {
    partition_id: id,
    current_offset: Math.max(0, messages.length - 1),
    count: found.length,
    messages: found.map(({ offset, timestamp, id: message, payload }) => ({
      header: {
        checksum: 0,
        id: message,
        offset,
        timestamp,
        origin_timestamp: timestamp,
        user_headers_length: 0,
        payload_length: Buffer.from(payload, 'base64').length,
      },
      payload,
      user_headers: null,
    })),
  };
  return { status: 200, body };
}

/** @param {Call} call @param {Stream} stream @param {Topic} topic @returns {Answer} */
function offsets(call, stream, topic) {
  const { context, request } = call;
  if (request.method === 'PUT') {
    const { consumer_id: consumer, partition_id: id = 0, offset } = bodyOf(call);
    const { messages } = partitionOf(topic, id);
    if (!Number.isInteger(offset) || offset >= messages.length)
      throw new Failure(400, 4100, 'invalid_offset', `Invalid offset: ${offset}`, 'offset');
    const key = `${consumer}/${id}`;
    context.store.change({ do: 'offset', stream: stream.name, topic: topic.name, key, offset });
    return { status: 204 };
  }
  if (request.method !== 'GET') throw notFound();
  const id = Number(request.url.searchParams.get('partition_id') ?? 0);
  const stored = topic.offsets.get(`${request.url.searchParams.get('consumer_id')}/${id}`);
  if (stored === undefined) throw notFound();
  const { messages } = partitionOf(topic, id);
  return {
    status: 200,
    body: {
      partition_id: id,
      current_offset: Math.max(0, messages.length - 1),
      stored_offset: stored,
    },
  };
}
