import { isLoopback } from './hosts.js';

const FORM = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@:[\]]+)(?::(\d{1,5}))?$/;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443 };

interface Origin {
  readonly scheme: string;
  readonly name: string;
  /** Null: no port given and the scheme has no default. */
  readonly port: number | null;
}

function parseOrigin(text: string): Origin | null {
  const [, scheme, name, port] = FORM.exec(text.toLowerCase()) ?? [];
  if (scheme === undefined || name === undefined) return null;
  return { scheme, name, port: port === undefined ? (DEFAULT_PORTS[scheme] ?? null) : Number(port) };
}

/**
 * Whether a page of this origin may call the endpoint. With an empty list only pages of this machine may. `null`,
 * which any sandboxed page can send, is always refused.
 */
export function isOriginAllowed(header: string, allowed: readonly string[]): boolean {
  const origin = parseOrigin(header);
  if (origin === null) return false;
  if (allowed.length === 0)
    return /^https?$/.test(origin.scheme) && isLoopback({ name: origin.name, port: null });
  return allowed.some((entry) => {
    const one = parseOrigin(entry);
    return one?.scheme === origin.scheme && one.name === origin.name && one.port === origin.port;
  });
}
