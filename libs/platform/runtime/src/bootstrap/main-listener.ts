import type { Config } from '@carillon/config';
import { type Answer, type ListenAddress, listenForRedirect, UwsHttpAdapter, UwsServer } from '@carillon/uws';
import { type GateState, startingAnswer } from '../probes/starting-answer.js';
import type { RuntimeParts } from '../runtime-module.js';
import { pause } from '../time.js';
import { adapterOptions, mainPlace, serverOptions } from './http-options.js';

/** The open main listener of a process. */
export interface MainListener {
  readonly adapter: UwsHttpAdapter;
  /** Lets requests through to the routes; resolves with where it listens. */
  open(): Promise<ListenAddress>;
  /** Stops accepting connections; existing ones continue. */
  leavePort(): void;
  /** Lets `/up` and `/accept-traffic` report the actual state; without `probesWait` they already do. */
  allServe(): void;
}

export interface MainListenerOptions {
  /** Others listen on the port already and answer the probes: this one joins them when it can serve. */
  readonly listensLate: boolean;
  /** Other workers of one supervisor listen on the same ports; else a port that is taken ends the start. */
  readonly sharesPort: boolean;
  /**
   * Siblings that listen on the port may still be starting, and a connection can reach any of them: after `open`, `/up`
   * and `/accept-traffic` remain STARTING until `allServe`.
   */
  readonly probesWait: boolean;
}

const PROBE = /^\/(live|accept-traffic|up(\/[^/]+)?)\/?$/;
const READINESS = /^\/(accept-traffic|up(\/[^/]+)?)\/?$/;
const POLL_MS = 10;

/**
 * Starts listening before any route exists: until `open`, probes are answered and everything else is 503. At the
 * stop, running requests are finished and new ones refused while probes continue.
 */
export async function openMainListener(
  parts: RuntimeParts,
  { listensLate, sharesPort, probesWait }: MainListenerOptions,
): Promise<MainListener> {
  const server = new UwsServer(serverOptions(parts.config));
  const adapter = new UwsHttpAdapter(server, adapterOptions(parts));
  const early = (path: string): Answer => startingAnswer(path, parts);
  adapter.gate = ({ rawPath }) => early(rawPath);
  const siblingsStart = ({ rawPath }: { readonly rawPath: string }): Answer | null =>
    READINESS.test(rawPath) ? startingAnswer(rawPath, stillStarting(parts)) : null;
  const held = parts.metrics.gauge('http_body_bytes').for();
  parts.metrics.onScrape(() => held.set(adapter.bodyBytes()));
  let redirect: UwsServer | null = null;
  const listen = async (): Promise<ListenAddress> => {
    const address = await server.listen(mainPlace(parts.config, sharesPort));
    redirect = await openRedirect(parts, sharesPort);
    return address;
  };
  const listening = listensLate ? null : await listen();
  const { shutdown } = parts;
  shutdown.onShutdown('flush', 'HTTP requests', async ({ signal }) => {
    adapter.gate = ({ rawPath }) => (PROBE.test(rawPath) ? early(rawPath) : null);
    adapter.refuseNew();
    // The probe that is being answered right now counts itself; it never waits for anything.
    while (adapter.inFlight() > 0 && !signal.aborted) await pause(POLL_MS, signal);
  });
  shutdown.onShutdown('disconnect', 'listeners', () => {
    redirect?.close();
    server.close();
  });
  return {
    adapter,
    open: async () => {
      adapter.gate = probesWait ? siblingsStart : null;
      return listening ?? listen();
    },
    allServe: () => {
      // A process that stops has its own gate, or answers the probes with its state.
      if (parts.process.current === 'RUNNING') adapter.gate = null;
    },
    leavePort: () => {
      if (!server.isListening) return;
      redirect?.stopListening();
      server.stopListening();
      parts.logging.for('service::ops').info('leaving the port to the other workers');
    },
  };
}

/** The state of a running process whose siblings are starting: STARTING until it drains. */
function stillStarting({ process, admission }: RuntimeParts): GateState {
  if (process.current !== 'RUNNING') return { process, admission };
  return {
    process: { current: 'STARTING' },
    admission: { state: () => 'STARTING', decision: admission.decision },
  };
}

async function openRedirect({ config, logging }: RuntimeParts, isShared: boolean): Promise<UwsServer | null> {
  const { ssl, host, port } = config;
  if (!ssl.enabled || !ssl.redirect_http || config.unix_socket.enabled) return null;
  const log = logging.for('service::ops');
  return listenForRedirect({
    host,
    port: ssl.http_port,
    httpsPort: port,
    exclusive: !isShared,
    onWarning: (text) => log.warn(text),
  });
}

/** Address for people and logs. */
export function addressText({ ssl }: Config, address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${ssl.enabled ? 'https' : 'http'}://${host}:${address.port}`;
}
