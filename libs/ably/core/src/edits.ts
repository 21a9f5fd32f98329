import { jsonBody, type Operations } from '@carillon/api-operations';
import type { Principal } from './authentication.js';
import { callerOf, mayDo, NOT_GRANTED, type Via } from './caller.js';
import { CompatError } from './compat-error.js';
import type { Edit } from './message/read-edit.js';
import { fromLatest } from './message/item.js';
import { beginsWithNothing, connectionBeside, toNative, type WireMessage } from './message/native.js';
import { orRefused } from './refusal.js';

/** The message to change, and the principal of the change. */
export interface EditRequest {
  readonly principal: Principal;
  /** The channel without its qualifier. */
  readonly base: string;
  readonly serial: string;
  readonly edit: Edit;
  /** Makes the change idempotent; null: every request is applied. */
  readonly operationId: string | null;
  /** The requesting connection; null: a server. */
  readonly connectionId: string | null;
  readonly via: Via;
}

interface Current extends Pick<WireMessage, 'encoding' | 'extras' | 'name'> {
  /** Null: it was made without. */
  readonly data: string | null;
  /** The publishing connection as stored. */
  readonly connection: string | null;
}

const OPERATION = { update: 'updateMessage', delete: 'deleteMessage', append: 'appendMessage' } as const;

/** Changes mutable messages, for REST and realtime. */
export class Edits {
  constructor(
    private readonly operations: Pick<Operations, 'readMessage' | (typeof OPERATION)[Edit['action']]>,
  ) {}

  /**
   * Makes the change. Returns the serial of the new version.
   *
   * @throws CompatError, or rejects with it.
   */
  async apply(request: EditRequest): Promise<string> {
    const { principal, base, serial, edit, connectionId, via } = request;
    if (!['any', 'own'].some((whose) => mayDo(principal, `message-${edit.action}-${whose}`, base)))
      throw new CompatError(40_160, NOT_GRANTED);
    const body = jsonBody({ ...(await this.#content(request)), ...saidOf(request) });
    // The right to change messages does not require the right to publish.
    const caller = {
      ...callerOf(principal, via, ['publish']),
      ...(connectionId === null ? {} : { connectionId }),
    };
    const input = { channel: base, message_serial: serial, body };
    const { value } = await orRefused(this.operations[OPERATION[edit.action]].perform(caller, input));
    return value.version_serial;
  }

  /**
   * Builds the changed fields in the native form. Fields without a native counterpart are in extras, which are
   * replaced as a whole and derived from the current message. With concurrent changes the last write wins.
   */
  async #content(request: EditRequest): Promise<object> {
    const { edit } = request;
    const { action, name, data, encoding, extras } = edit;
    if (action === 'append' && encoding === null && extras === null) return { data };
    if (name === null && data === null && extras === null) return {};
    const now = await this.#current(request);
    if (action === 'append' && encoding !== null && encoding !== (now.encoding ?? null))
      throw new CompatError(40_000, 'what is appended must have the encoding of the message');
    const keepsData = data === null || action === 'append';
    const content = {
      name: name ?? now.name ?? null,
      data: keepsData ? now.data : data,
      encoding: keepsData ? (now.encoding ?? null) : encoding,
      extras: extras ?? now.extras ?? null,
    };
    const native = toNative(content, now.connection);
    return {
      ...(name === null || action !== 'update' ? {} : { name: native.event }),
      ...(data === null ? {} : { data }),
      extras: native.extrasText === null ? {} : (JSON.parse(native.extrasText) as object),
    };
  }

  async #current({ principal, base, serial, via }: EditRequest): Promise<Current> {
    const caller = { ...callerOf(principal, via, ['history']), isCounted: true as const };
    const input = { channel: base, message_serial: serial };
    const { value } = await orRefused(this.operations.readMessage.perform(caller, input));
    const { name, encoding, data, extras } = fromLatest(value.item, null, 0) ?? {};
    const connection = connectionBeside(value.item);
    return { name, encoding, extras, connection, data: beginsWithNothing(value.item) ? null : (data ?? '') };
  }
}

function saidOf({ edit, operationId }: EditRequest): object {
  const { clientId, description, metadata } = edit;
  return {
    ...(clientId === null ? {} : { client_id: clientId }),
    ...(description === null ? {} : { description }),
    ...(metadata === null ? {} : { metadata }),
    ...(operationId === null ? {} : { op_id: operationId }),
  };
}
