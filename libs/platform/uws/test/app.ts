import 'reflect-metadata';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type AdapterOptions,
  NativeWebSocketAdapter,
  type ServerOptions,
  UwsHttpAdapter,
  UwsModule,
  UwsServer,
} from '../src/index.js';

/** A Nest application on a free port of 127.0.0.1. */
export interface TestApp {
  readonly app: INestApplication;
  readonly adapter: UwsHttpAdapter;
  readonly server: UwsServer;
  readonly port: number;
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly metadata?: ModuleMetadata;
  readonly adapter?: AdapterOptions;
  readonly server?: ServerOptions;
  /** Runs before Nest initialises. */
  readonly prepare?: (app: INestApplication) => void;
  /** A root module instead of one made of `metadata`. */
  readonly root?: new () => object;
  /** Absent: a free one. */
  readonly port?: number;
}

function rootOf(metadata: ModuleMetadata): new () => object {
  class Root {}
  Module({ ...metadata, imports: [UwsModule, ...(metadata.imports ?? [])] })(Root);
  return Root;
}

export async function startApp(options: TestAppOptions): Promise<TestApp> {
  const server = new UwsServer(options.server);
  const adapter = new UwsHttpAdapter(server, options.adapter);
  const root = options.root ?? rootOf(options.metadata ?? {});
  const app = await NestFactory.create(root, adapter, { logger: false, abortOnError: false });
  app.useWebSocketAdapter(new NativeWebSocketAdapter());
  options.prepare?.(app);
  await app.listen(options.port ?? 0, '127.0.0.1');
  const { address } = server;
  if (address?.kind !== 'tcp') throw new Error('not listening');
  return { app, adapter, server, port: address.port, close: () => app.close() };
}

/** A server with an adapter and no Nest, listening on a free port of 127.0.0.1. */
export async function startBare(
  options: AdapterOptions = {},
): Promise<{ adapter: UwsHttpAdapter; server: UwsServer; port: number }> {
  const server = new UwsServer();
  const adapter = new UwsHttpAdapter(server, options);
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { adapter, server, port: address.kind === 'tcp' ? address.port : 0 };
}
