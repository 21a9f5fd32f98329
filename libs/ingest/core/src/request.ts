import type { JsonBody, JsonObject } from '@carillon/api-operations';
import type { IngestEvent } from '@carillon/ingest-source';

/** Members of a request that the event itself gives, as text and as values. */
interface Member {
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
}

const member = (name: string, value: string): Member => ({ name, text: JSON.stringify(value), value });

/** Body of a publish. Data that is JSON keeps its text, and so the digits of its numbers. */
export function publishBody(event: IngestEvent): JsonBody {
  const members = [member('name', event.name ?? ''), member('channel', event.channel ?? '')];
  return withOptions([...members, ...dataOf(event)], event.optionsText, { message_id: event.id });
}

/** Body of a mutation. The data of an update is the object of its changes. */
export function mutationBody(event: IngestEvent): JsonBody {
  const keys = { op_id: event.id };
  if (event.op !== 'update') return withOptions(dataOf(event), event.optionsText, keys);
  const changes = parsed(event.data ?? '{}');
  const both = joined(event.data ?? '{}', event.optionsText);
  return complete(both, { ...changes, ...parsed(event.optionsText) }, keys);
}

/** Body of a push, which is published once per `publishId`. */
export function pushBody(event: IngestEvent): JsonObject {
  const body = parsed(event.data ?? '{}');
  return Object.hasOwn(body, 'publishId') ? body : { ...body, publishId: event.id };
}

function dataOf({ data, isJson }: IngestEvent): Member[] {
  if (data === null) return [];
  return [isJson ? { name: 'data', text: data, value: JSON.parse(data) as unknown } : member('data', data)];
}

function withOptions(
  members: readonly Member[],
  optionsText: string,
  keys: Readonly<Record<string, string>>,
): JsonBody {
  const text = `{${members.map(({ name, text: value }) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const object = Object.fromEntries(members.map(({ name, value }) => [name, value]));
  return complete(joined(text, optionsText), { ...object, ...parsed(optionsText) }, keys);
}

/** Adds the keys that the event does not name itself. */
function complete(text: string, object: JsonObject, keys: Readonly<Record<string, string>>): JsonBody {
  const missing = Object.fromEntries(
    Object.entries(keys).filter(([name]) => object[name] === undefined || object[name] === null),
  );
  return { text: joined(text, JSON.stringify(missing)), object: { ...object, ...missing } };
}

/** One object text of two. */
function joined(first: string, second: string): string {
  const [head, tail] = [first.trim().slice(1, -1).trim(), second.trim().slice(1, -1).trim()];
  return `{${head}${head !== '' && tail !== '' ? ',' : ''}${tail}}`;
}

function parsed(text: string): JsonObject {
  return text === '{}' ? {} : (JSON.parse(text) as JsonObject);
}
