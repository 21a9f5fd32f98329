import { defined, queryOf } from '../requests/names.js';
import { pathOf } from '../requests/transport.js';
import type { Call } from '../options.js';
import type { Annotation, AnnotationInput, Message, MessageChange, Mutation } from '../types.js';
import { type Caller, callOf } from './caller.js';
import { firstPage, type Page } from './page.js';

export interface VersionsOptions extends Call {
  readonly limit?: number;
  readonly direction?: 'newest_first' | 'oldest_first';
}

export interface AnnotationsOptions extends Call {
  readonly type?: string;
  /** Exclusive. */
  readonly fromSerial?: string;
  readonly limit?: number;
}

/** A message of a channel whose messages have versions. */
export class MessageHandle {
  readonly #path: string;

  constructor(
    private readonly caller: Caller,
    channel: string,
    readonly serial: string,
  ) {
    this.#path = pathOf('channels', channel, 'messages', serial);
  }

  /** The latest version. */
  async get(options: Call = {}): Promise<Message> {
    return (await this.caller.read<{ item: Message }>(this.#path, {}, options)).item;
  }

  versions({ limit, direction, ...call }: VersionsOptions = {}): Promise<Page<Message>> {
    return firstPage((cursor) =>
      this.caller.read(`${this.#path}/versions`, queryOf({ limit, direction, cursor }), call),
    );
  }

  update(change: MessageChange): Promise<Mutation> {
    return this.#change('update', change, change);
  }

  /** Appends text to the data. */
  append(
    data: string,
    options: Omit<MessageChange, 'clearFields' | 'data' | 'name'> = {},
  ): Promise<Mutation> {
    return this.#change('append', { ...options, data }, options);
  }

  delete(change: MessageChange = {}): Promise<Mutation> {
    return this.#change('delete', change, change);
  }

  annotate({ type, name, clientId, socketId, count, data, encoding, ...call }: AnnotationInput): Promise<{
    annotationSerial: string;
  }> {
    const body = defined({ type, name, clientId, socketId, count, data, encoding });
    return this.caller.call({
      ...callOf(call),
      method: 'POST',
      path: `${this.#path}/annotations`,
      body,
      idempotent: false,
    });
  }

  annotations({ type, fromSerial, limit, ...call }: AnnotationsOptions = {}): Promise<Page<Annotation>> {
    return firstPage((cursor) => {
      const query = queryOf({ type, from_serial: cursor ?? fromSerial, limit });
      return this.caller.read(`${this.#path}/annotations`, query, call);
    });
  }

  deleteAnnotation(
    annotationSerial: string,
    options: Call = {},
  ): Promise<{ annotationSerial: string; deletedAnnotationSerial: string }> {
    const path = `${this.#path}/annotations${pathOf(annotationSerial)}`;
    return this.caller.call({ ...callOf(options), method: 'DELETE', path, idempotent: true });
  }

  #change(action: 'append' | 'delete' | 'update', change: MessageChange, call: Call): Promise<Mutation> {
    const { name, data, extras, clearFields, clientId, socketId, description, metadata, opId } = change;
    const body = defined({
      name,
      data,
      extras,
      clear_fields: clearFields,
      client_id: clientId,
      socket_id: socketId,
      description,
      metadata,
      op_id: opId ?? this.caller.nextKey(),
    });
    const path = `${this.#path}/${action}`;
    return this.caller.call({ ...callOf(call), method: 'POST', path, body, idempotent: true });
  }
}
