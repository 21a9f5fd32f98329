import { ServiceError } from '@carillon/errors';
import { type Answer, errorAnswer } from '../http/answer.js';
import { Dispatcher } from '../http/dispatcher.js';
import { PathPrefix } from '../http/path-prefix.js';
import { ListenError } from './listen-error.js';
import { UwsServer } from './uws-server.js';

/** Plain-HTTP listener that redirects to TLS. */
export interface RedirectOptions {
  readonly host: string;
  readonly port: number;
  /** Port of the TLS listener; 443 is left out of the address. */
  readonly httpsPort: number;
  /** False: several processes may listen on the port, as on the main one. */
  readonly exclusive: boolean;
  /** Called when the listener cannot be opened: a warning only, the service continues. */
  readonly onWarning: (text: string) => void;
}

const NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/i;
const SIX = /^\[[0-9a-f:.]+\]$/i;

/** The host of a `Host` header without its port; null when it is not one. */
export function hostWithoutPort(header: string): string | null {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(header) ?? [];
  if (Number(port) > 65_535) return null;
  return NAME.test(host) || SIX.test(host) ? host : null;
}

/** Returns the redirect: 308 to the same path and query over TLS, or 400 without a host. */
function redirectAnswer(host: string | undefined, url: string, httpsPort: number): Answer {
  const name = host === undefined ? null : hostWithoutPort(host);
  if (name === null)
    return errorAnswer(new ServiceError('invalid_input', { text: 'the Host header is not valid' }));
  const port = httpsPort === 443 ? '' : `:${httpsPort}`;
  return { status: 308, headers: { location: `https://${name}${port}${url}` } };
}

/** Opens the redirecting listener; null, with a warning, when its port cannot be had. */
export async function listenForRedirect(options: RedirectOptions): Promise<UwsServer | null> {
  const server = new UwsServer();
  const prefix = new PathPrefix();
  const dispatcher = new Dispatcher({
    bodyLimitBytes: 0,
    bodyRoomBytes: 0,
    trustHops: 0,
    cors: null,
    prefix,
  });
  dispatcher.gate = (request) => redirectAnswer(request.header('host'), request.url, options.httpsPort);
  server.onRequest(dispatcher.accept);
  try {
    const { host, port, exclusive } = options;
    await server.listen({ host, port, exclusive });
    return server;
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    options.onWarning(`HTTP is not redirected to HTTPS: ${error.message}`);
    server.close();
    return null;
  }
}
