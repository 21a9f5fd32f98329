import { createServer } from 'node:net';

/** Why a listener could not be opened, in words an operator can act on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** `EADDRINUSE`, `EACCES` and so on; `UNKNOWN` if the second attempt gave no code. */
  readonly code: string;

  constructor(where: string, code: string) {
    super(`cannot listen on ${where}: ${reasonText(code)}`);
    this.code = code;
  }
}

function reasonText(code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'the address is in use (EADDRINUSE)';
    case 'EACCES':
      return 'not permitted (EACCES); ports below 1024 need the right to bind them';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have the address (EADDRNOTAVAIL)';
    case 'ENOTFOUND':
      return 'the host name does not resolve (ENOTFOUND)';
    default:
      return `the system refused (${code})`;
  }
}

/** The native library only reports a failure; the same attempt through Node returns the code. */
export function whyNot(options: { host: string; port: number } | { path: string }): Promise<string> {
  return new Promise((told) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => told(error.code ?? 'UNKNOWN'));
    probe.listen({ ...options, exclusive: true }, () => probe.close(() => told('UNKNOWN')));
  });
}
