// The signed HTTP API as it ships, but for the network and the sockets: the modules of an app over a stand-in of the
// native server, and a listener that counts what would be delivered.
import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppRegistryModule } from '@carillon/app-registry';
import { CacheModule } from '@carillon/cache';
import { configure } from '@carillon/config';
import { BROKER, BrokerModule, mergeAnswers } from '@carillon/broker';
import { HttpApiModule } from '@carillon/api-http';
import { OperationsModule } from '@carillon/api-operations';
import { PresenceModule } from '@carillon/presence';
import { PublishingModule } from '@carillon/history-publish';
import { RateLimitModule } from '@carillon/rate-limit';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { UwsHttpAdapter, UwsModule } from '@carillon/uws';
import { NO_WEBHOOKS, WEBHOOK_EVENTS } from '@carillon/webhooks';
import { NestFactory } from '@nestjs/core';
import { SOURCE } from '../restate/hmac.js';
import { NativeRequest, NativeResponse } from './native.js';

/** @typedef {import('./native.js').Asked} Asked */

/**
 * @typedef {object} Answered
 * @property {number} status
 * @property {Map<string, string>} headers
 * @property {string} body
 * @property {number} published events that reached the sockets of the process while it was answered
 */

/** Longer than anything waits, but for what waits for ever. */
const ANSWER_MS = 10_000;
/** Small, so that inputs of an ordinary size reach the limits. */
export const BODY_LIMIT_BYTES = 32 * 1024;

const CONFIGURATION = `
[[app_manager.array.apps]]
id = "${SOURCE.appId}"
key = "${SOURCE.key}"
secret = "${SOURCE.secret}"
enabled = true
[app_manager.array.apps.policy.limits]
max_event_channels_at_once = 8
max_event_batch_size = 8
max_event_payload_in_kb = 4
[[app_manager.array.apps.policy.channels.channel_namespaces]]
name = "chat"
channel_name_pattern = "^chat:[a-z0-9-]+$"
max_channel_name_length = 40
allow_user_limited_channels = true
`;

function configuration() {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-fuzz-'));
  const file = join(folder, 'apps.toml');
  writeFileSync(file, CONFIGURATION);
  try {
    const outcome = configure({
      process: 'server',
      argv: ['--config', file],
      env: { RUST_LOG: 'off', ENVIRONMENT: 'test' },
      cwd: folder,
    });
    if (outcome.kind === 'exit') throw new Error(outcome.stderr);
    return outcome.config;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the adapter needs of a server. */
class ServerStandIn {
  /** @type {(response: NativeResponse, request: NativeRequest) => void} */
  accept = () => {};
  address = null;

  /** @param {(response: NativeResponse, request: NativeRequest) => void} accept */
  onRequest(accept) {
    this.accept = accept;
  }

  close() {}
}

/** The API, one request after the other. */
export class HttpService {
  /** Faults that were answered with 500 or came too late for an answer. @type {unknown[]} */
  faults = [];
  #published = 0;
  #server = new ServerStandIn();
  /** @type {{ close(): Promise<void> } | null} */
  #app = null;
  /** @type {UwsHttpAdapter | null} */
  #adapter = null;

  static async start() {
    const service = new HttpService();
    await service.#start();
    return service;
  }

  async #start() {
    const config = configuration();
    const parts = createParts(config);
    const server = /** @type {import('@carillon/uws').UwsServer} */ (/** @type {unknown} */ (this.#server));
    this.#adapter = new UwsHttpAdapter(server, {
      bodyLimitBytes: BODY_LIMIT_BYTES,
      onFault: (error) => this.faults.push(error.cause ?? error),
    });
    const app = await NestFactory.create(
      {
        module: class {},
        imports: [
          RuntimeModule.forProcess(parts),
          UwsModule,
          AppRegistryModule,
          BrokerModule,
          CacheModule,
          RateLimitModule,
          PresenceModule,
          PublishingModule,
          {
            global: true,
            module: class {},
            providers: [{ provide: WEBHOOK_EVENTS, useValue: NO_WEBHOOKS }],
            exports: [WEBHOOK_EVENTS],
          },
          OperationsModule.of(config),
          HttpApiModule.forMainListener(config),
        ],
      },
      this.#adapter,
      { logger: false },
    );
    await app.init();
    for (const { connect } of parts.startup.dependencies) await connect(AbortSignal.timeout(ANSWER_MS));
    /** @type {import('@carillon/broker').Broker} */
    const broker = app.get(BROKER);
    broker.listen({
      deliver: () => {
        this.#published += 1;
      },
      answer: (kind) => mergeAnswers(kind, []),
    });
    this.#app = app;
  }

  /** Requests begun and not yet answered. */
  get inFlight() {
    return this.#adapter?.inFlight() ?? 0;
  }

  /** Throws when there is no answer, or more than one. @param {Asked} asked @returns {Promise<Answered>} */
  async answer(asked) {
    const before = this.#published;
    const response = new NativeResponse();
    this.#server.accept(response, new NativeRequest(asked));
    response.deliver(asked.body);
    if (response.ends === 0) await within(response.answered);
    if (response.ends !== 1) throw new Error(`answered ${response.ends} times`);
    const { status, headers, body } = response;
    return { status, headers, body, published: this.#published - before };
  }

  async stop() {
    await this.#app?.close();
  }
}

/** @param {Promise<unknown>} answered */
async function within(answered) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('there is no answer')), ANSWER_MS);
  });
  try {
    await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
