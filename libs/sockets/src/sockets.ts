import { UpgradeLimit, type Hub } from '@carillon/realtime';
import type { SocketOptions } from '@carillon/uws';
import { Entrance } from './entrance/entrance.js';
import { Reception } from './entrance/reception.js';
import type { SocketsParts } from './parts.js';
import { ClientEvents } from './requests/client-event.js';
import { EventAnswers } from './requests/event-answers.js';
import { Signin } from './requests/signin.js';
import { Subscribe } from './requests/subscribe.js';
import { connectRules, heartbeatOptions, socketOptions } from './settings.js';
import { Heartbeats } from './time/heartbeats.js';
import { speechV1 } from './v1/speech.js';
import { ProtocolV2 } from './v2/protocol-v2.js';
import type { SpeechesV2 } from './v2/speeches.js';
import type { Tokens } from './v2/tokens.js';

/** The parts of the edge of protocols 1 and 2, shared by all of its connections. Everything runs on the socket loop. */
export class Sockets {
  readonly options: SocketOptions;
  readonly hub: Hub;
  readonly heartbeats: Heartbeats;
  readonly entrance: Entrance;
  readonly reception: Reception;
  readonly tokens: Tokens;
  readonly speechesV2: SpeechesV2;
  /** Null: new connections are not limited by address. */
  readonly upgradeLimit: UpgradeLimit | null;
  readonly subscribe: Subscribe;
  readonly clientEvents: ClientEvents;
  readonly eventAnswers: EventAnswers;
  readonly signin: Signin;

  constructor(parts: SocketsParts) {
    const { config, hub, rateLimit, metrics } = parts;
    const heartbeats = new Heartbeats(heartbeatOptions(config), hub.outlet);
    const signin = Signin.of(parts);
    const { tokens, speeches: speechesV2 } = new ProtocolV2({ ...parts, signin });
    const way = { ...parts, heartbeats, tokens, speech: speechV1(config) };
    this.options = socketOptions(config);
    this.hub = hub;
    this.heartbeats = heartbeats;
    this.tokens = tokens;
    this.speechesV2 = speechesV2;
    this.upgradeLimit = UpgradeLimit.of(config, rateLimit, metrics);
    this.signin = signin;
    this.subscribe = Subscribe.of(parts, tokens);
    this.clientEvents = ClientEvents.of(parts);
    this.eventAnswers = new EventAnswers(hub.outlet);
    this.entrance = new Entrance({
      ...way,
      speechesV2,
      limit: this.upgradeLimit,
      rules: connectRules(config),
    });
    this.reception = new Reception({ ...way, activityTimeoutSeconds: config.activity_timeout });
    heartbeats.start();
    tokens.ends.start();
  }

  /** Stops every timer. */
  stop(): void {
    this.heartbeats.stop();
    this.tokens.ends.stop();
  }
}
