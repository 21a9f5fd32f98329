import {
  jsonBody,
  ReceivedBody,
  type AnyInput,
  type Description,
  type JsonBody,
} from '@carillon/api-operations';
import type { HttpRequest } from '@carillon/uws';

export const KEY_HEADER = 'X-Idempotency-Key';

/** Path segments and their input names. */
const SEGMENTS = {
  channel: 'channelName',
  user_id: 'userId',
  message_serial: 'messageSerial',
  annotation_serial: 'annotationSerial',
} as const;

/**
 * Returns the input of an operation from a request and its query, by lower-cased name. The body is read when the operation wants it.
 *
 * @throws ServiceError `invalid_input` when a segment of the path is not valid UTF-8.
 */
export function inputOfRequest(
  operation: Description,
  request: HttpRequest,
  query: ReadonlyMap<string, string>,
): AnyInput {
  const input: Record<string, string | JsonBody | undefined> = {};
  for (const subject of operation.subjects) input[subject] = request.params[SEGMENTS[subject]] ?? '';
  for (const { name } of operation.options) input[name] = query.get(name.toLowerCase());
  if (operation.takesRequestKey) input['requestKey'] = request.header(KEY_HEADER.toLowerCase());
  if (operation.body !== undefined) input['body'] = bodyOf(operation, request.rawBody);
  return input;
}

function bodyOf({ mayLackBody }: Description, bytes: Uint8Array | undefined): JsonBody {
  const isEmpty = bytes === undefined || bytes.length === 0;
  return isEmpty && mayLackBody === true ? jsonBody({}) : new ReceivedBody(bytes);
}
