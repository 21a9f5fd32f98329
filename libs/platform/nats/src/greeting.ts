import { connect } from 'node:net';

/** The parts of a server's INFO that decide how to connect to it. */
export interface Greeting {
  /** Whether the server requires or offers TLS. */
  readonly isTls: boolean;
}

/** A longer first line is not the greeting of a NATS server. */
const MAX_BYTES = 64 * 1024;

const INFO = /^INFO\s+(\{.*\})\s*$/i;

/**
 * Reads the greeting of a server on a connection of its own, which is closed afterwards. The official client does not
 * close the socket of a server that accepts connections and stays silent, so such a server must be found beforehand.
 *
 * @throws Error with the address if the server cannot be reached, is silent for `timeoutMs` or does not speak NATS
 */
export function greetingOf(host: string, port: number, timeoutMs: number): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
    };
    const fail = (reason: string | Error): void => {
      end();
      reject(reason instanceof Error ? reason : new Error(`${host}:${port} ${reason}`));
    };
    const timer = setTimeout(() => fail(`sent no greeting within ${timeoutMs} ms`), timeoutMs);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('error', fail);
    socket.on('end', () => fail('closed the connection without a greeting'));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const length = text.indexOf('\r\n');
      if (length < 0 && text.length <= MAX_BYTES) return;
      const greeting = length < 0 ? null : parse(text.slice(0, length));
      if (greeting === null) return fail('sent an unexpected response: not a NATS server?');
      end();
      resolve(greeting);
    });
  });
}

function parse(line: string): Greeting | null {
  try {
    const info: unknown = JSON.parse(INFO.exec(line)?.[1] ?? '');
    if (typeof info !== 'object' || info === null) return null;
    const { tls_required: required, tls_available: available } = info as Record<string, unknown>;
    return { isTls: required === true || available === true };
  } catch {
    return null;
  }
}
