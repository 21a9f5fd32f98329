import { APP_REGISTRY } from '@carillon/app-registry';
import { HUB } from '@carillon/realtime';
import { type PartsOf, provider, RUNTIME, token } from '@carillon/runtime';
import { SOCKETS, SocketsGateway, SocketsModule } from '@carillon/sockets';
import { UwsHttpAdapter } from '@carillon/uws';
import { Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Streams } from './streams.js';

const PARTS = {
  ...RUNTIME,
  host: HttpAdapterHost,
  hub: HUB,
  sockets: SOCKETS,
  gateway: SocketsGateway,
  apps: APP_REGISTRY,
};

/** Token of the HTTP streams of the process; null where they are disabled. */
const STREAMS = token<Streams | null>('streams');

function openStreams({ host, config, logging, shutdown, ...parts }: PartsOf<typeof PARTS>): Streams | null {
  if (!config.http_streams.enabled) return null;
  const adapter: unknown = host.httpAdapter;
  if (!(adapter instanceof UwsHttpAdapter)) throw new Error('HTTP streams need the uws platform');
  const compress = config.websocket.compression !== 'disabled';
  const streams = new Streams({
    ...parts,
    config,
    log: logging.for('service::gateway'),
    publish: (topic, frame) => void adapter.publish(topic, frame, typeof frame !== 'string', compress),
  });
  streams.mount(adapter);
  shutdown.onShutdown('leave', 'HTTP streams', () => streams.stop());
  return streams;
}

/** The routes of HTTP streams, over the sockets of the process. */
@Module({
  imports: [SocketsModule],
  providers: [provider(STREAMS, PARTS, openStreams)],
})
export class StreamsModule {
  /** Requests the streams, so that they are made. */
  constructor(@Inject(STREAMS) _streams: Streams | null) {}
}
