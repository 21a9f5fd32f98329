/** Media types of an `Accept` header that are allowed, in lower case without parameters. */
function allowedTypes(accept: string): readonly string[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)))
    .map(([type = '']) => type);
}

/** Whether an `Accept` header allows server-sent events; an absent one allows everything. */
export function allowsEvents(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return allowedTypes(accept).some((type) => ['*/*', 'text/*', 'text/event-stream'].includes(type));
}

/** Whether it names a media type itself. */
export const names = (accept: string | undefined, type: string): boolean =>
  allowedTypes(accept ?? '').includes(type);

/** Whether a client that could read an error event prefers an HTTP error status (`Prefer: status`). */
export const prefersStatus = (prefer: string | undefined): boolean =>
  (prefer ?? '').split(',').some((one) => one.trim().toLowerCase() === 'status');

const BEARER = /^Bearer +(\S+) *$/i;

/** The token of an `Authorization` header; null: it has none. */
export const bearerToken = (authorization: string | undefined): string | null =>
  BEARER.exec(authorization ?? '')?.[1] ?? null;
