import type { WireNames } from '@carillon/protocol';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { isPositionId } from '../position/position-id.js';
import { EVENT_STREAM } from '../transport/output.js';
import type { StreamRefusal } from './refusal.js';

/** The last event id of a request: of its header, its query, or its JSON body. Empty: none. */
function receivedId(request: HttpRequest): string {
  const header = request.header('last-event-id') ?? '';
  if (header !== '') return header;
  const query = new URLSearchParams(request.rawQuery);
  return query.get('last_event_id') ?? query.get('lastEventId') ?? idInBody(request) ?? '';
}

function idInBody(request: HttpRequest): string | null {
  try {
    const { last_event_id: id } = (request.body ?? {}) as { readonly last_event_id?: unknown };
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

/**
 * Answers with an event stream that ends after one block, since a browser never reconnects after another status. The position
 * that the client sent is repeated, so that it is not forgotten.
 */
export function softRefusal(
  request: HttpRequest,
  response: HttpResponse,
  { error, wsCode }: StreamRefusal,
  retryMs: number,
  names: WireNames,
): void {
  const id = receivedId(request);
  const data = JSON.stringify({
    event: names.toWire('service:retry_later'),
    data: { code: wsCode, reason: error.message, status: error.status, retry_after_ms: retryMs },
  });
  response.setHeader('connection', 'close');
  response.setHeader('cache-control', 'no-cache, no-transform');
  response.setHeader('x-accel-buffering', 'no');
  response.end(
    `retry: ${retryMs}\n${isPositionId(id) ? `id: ${id}\n` : ''}event: retry_later\ndata: ${data}\n\n`,
    EVENT_STREAM,
  );
}
