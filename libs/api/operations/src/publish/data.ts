import { ServiceError } from '@carillon/errors';
import { compactJson, rawMember } from '@carillon/protocol';
import type { JsonBody } from '../json/json-body.js';
import { EVENT } from './event-fields.js';

const NULL_TEXT = '"null"';

/** The payload as JSON text of the string that is delivered, marked if it was published as JSON of another type. */
interface EventData {
  readonly dataText: string;
  readonly isJsonText?: true;
}

/**
 * Reads the payload of an event. A string stays as it was written; anything else becomes the string of its compact
 * text, digits of numbers included.
 *
 * @throws ServiceError `payload_too_large` when the delivered string has more than `maxBytes` bytes in UTF-8.
 */
export function readData({ text, object }: JsonBody, maxBytes: number): EventData {
  const value = EVENT.data.of(object);
  if (value === undefined) return { dataText: NULL_TEXT };
  const raw = rawMember(text, EVENT.data.name) ?? 'null';
  if (typeof value === 'string') {
    checkSize(value, maxBytes);
    return { dataText: raw };
  }
  const compact = compactJson(raw);
  checkSize(compact, maxBytes);
  return { dataText: JSON.stringify(compact), isJsonText: true };
}

function checkSize(delivered: string, maxBytes: number): void {
  if (maxBytes === Infinity) return;
  const bytes = Buffer.byteLength(delivered);
  if (bytes <= maxBytes) return;
  throw new ServiceError('payload_too_large', {
    text: `event data of ${bytes} bytes given, at most ${maxBytes} allowed`,
  });
}
