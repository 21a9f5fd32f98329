import type { HttpRequest } from '@carillon/uws';

const SECURE = '__Host-service_manage';
const PLAIN = 'service_manage';

/** How the cookie of a request is named: browsers treat the `__Host-` prefix differently over plain HTTP. */
export interface Transport {
  readonly isSecure: boolean;
  readonly isLoopback: boolean;
}

const cookieName = ({ isSecure }: Transport): string => (isSecure ? SECURE : PLAIN);
const attributes = ({ isSecure }: Transport): string =>
  `Path=/; ${isSecure ? 'Secure; ' : ''}HttpOnly; SameSite=Strict`;

export const sessionCookie = (id: string, transport: Transport): string =>
  `${cookieName(transport)}=${id}; ${attributes(transport)}`;

export const removedCookie = (transport: Transport): string =>
  `${cookieName(transport)}=; ${attributes(transport)}; Max-Age=0`;

/** Returns the session id that a request sent; null without one. A repeated cookie counts as none. */
export function sessionIdOf(request: Pick<HttpRequest, 'headers'>, transport: Transport): string | null {
  const prefix = `${cookieName(transport)}=`;
  const found = (request.headers['cookie'] ?? '')
    .split(/[;,]/)
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  return found.length === 1 ? (found[0]?.slice(prefix.length) ?? null) : null;
}
