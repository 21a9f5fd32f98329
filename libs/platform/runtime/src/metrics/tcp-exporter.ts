import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Logger } from '../logging/logger.js';
import type { MetricSample, Metrics } from './metrics.js';

const INTERVAL_MS = 1000;
const MAX_CLIENTS = 16;

/** The `metrics.tcp_exporter` section. */
export interface TcpExporterOptions {
  readonly host: string;
  readonly port: number;
  /** Samples held for a client that reads too slowly; further ones are dropped. */
  readonly buffer_size: number;
}

interface Client {
  readonly socket: Socket;
  readonly waiting: string[];
  /** Last values sent to the client by series; dropped samples are not included and are sent again. */
  readonly sent: Map<string, number>;
}

/**
 * Streams samples to its clients: every second the changed ones, one JSON object per line
 * `{"timestamp","name","type","labels","value"}`. At most 16 clients; a slow one loses samples, without buffering.
 * Failing to listen is only a warning.
 */
export class TcpExporter {
  readonly #clients = new Set<Client>();
  #server: Server | null = null;
  #timer: NodeJS.Timeout | null = null;
  #running = false;

  constructor(
    private readonly options: TcpExporterOptions,
    private readonly metrics: Metrics,
    private readonly log: Logger,
  ) {}

  async start(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    server.maxConnections = MAX_CLIENTS;
    const { host, port } = this.options;
    await new Promise<void>((done) => {
      server.on('error', (error) => {
        this.log.warn('metrics exporter failed', { error, port });
        done();
      });
      server.listen({ host, port }, done);
    });
    this.#server = server;
    this.#timer = setInterval(() => void this.#tick(), INTERVAL_MS).unref();
  }

  /** The port that is listened on; null while none is. */
  get port(): number | null {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? null;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const { socket } of this.#clients) socket.destroy();
    const server = this.#server;
    this.#server = null;
    if (server?.listening === true) await new Promise<void>((closed) => server.close(() => closed()));
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, waiting: [], sent: new Map() };
    this.#clients.add(client);
    socket.on('drain', () => pump(client));
    // Input is discarded; a broken connection ends in 'close'.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#clients.delete(client));
    socket.resume();
  }

  async #tick(): Promise<void> {
    if (this.#running || this.#clients.size === 0) return;
    this.#running = true;
    try {
      const samples = await this.metrics.samples();
      for (const client of this.#clients) this.#send(client, samples);
    } catch (error) {
      this.log.warn('metrics exporter could not collect', { error });
    } finally {
      this.#running = false;
    }
  }

  #send(client: Client, samples: readonly MetricSample[]): void {
    const timestamp = Date.now();
    let dropped = 0;
    for (const sample of samples) {
      const series = `${sample.name}${JSON.stringify(sample.labels)}`;
      if (client.sent.get(series) === sample.value) continue;
      if (client.waiting.length >= this.options.buffer_size) {
        dropped += 1;
        continue;
      }
      client.sent.set(series, sample.value);
      client.waiting.push(`${JSON.stringify({ timestamp, ...sample })}\n`);
      pump(client);
    }
    if (dropped > 0) this.log.warn('metrics exporter client is slow, samples dropped', { dropped });
  }
}

function pump({ socket, waiting }: Client): void {
  while (waiting.length > 0 && !socket.writableNeedDrain && socket.writable) {
    socket.write(waiting.shift() ?? '');
  }
}
