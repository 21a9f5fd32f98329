import type { App } from '@carillon/app-registry';
import { type Channels, refusalError } from '@carillon/channels';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { isDeeperThan } from '@carillon/protocol';
import { deviceUrlRules } from '@carillon/push-providers';
import type { RequestRules } from '../admission/request.js';
import { invalid, storable } from '../fields.js';
import type { Caller } from '../resources/devices.js';

/** Valid app ids in stored push data. */
const APP_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** Deeper than any provider payload; templates and hashes recurse through all of it. */
const MAX_DEPTH = 64;

/** Input of a push operation, independent of the transport, which has authenticated it for the app. */
export interface PushInput {
  readonly app: App;
  readonly caller: Caller;
  /** Path parameters by name. */
  readonly segments: Readonly<Record<string, string>>;
  /** Undefined: it is not given. */
  readonly option: (name: string) => string | undefined;
  /** Reads the body. Not called for requests without one. @throws ServiceError `invalid_input` */
  readonly body: () => unknown;
  /** Under which a publish may be repeated; a key in the body wins. Absent: none. */
  readonly requestKey?: string;
  readonly quotaOverride: boolean;
  /** The face names channels by rules of its own, and has judged them. Absent: those of the service hold. */
  readonly judgesNames?: true;
  /** Devices are returned with their addresses and metadata. Absent: without. */
  readonly inFull?: true;
}

export interface PushAskParts {
  readonly config: Config;
  readonly channels: Pick<Channels, 'publishTarget'>;
}

/** An input with its authorization and field readers. */
export class PushAsk {
  readonly caller: Caller;
  readonly rules: RequestRules;

  /** @throws ServiceError `forbidden` where the app or the caller may not, `invalid_input` for an app that has no push. */
  constructor(
    private readonly input: PushInput,
    { config, channels }: PushAskParts,
    forDevices: boolean,
  ) {
    const { app, caller } = input;
    if (!app.enabled) throw new ServiceError('forbidden', { text: 'app is disabled' });
    if (!APP_ID.test(app.id)) throw invalid('the app id must have 1 to 128 letters, digits, _ and -');
    if (caller.kind === 'device' && !forDevices) {
      throw new ServiceError('forbidden', { text: 'this needs the capability push-admin' });
    }
    this.caller = caller;
    this.rules = {
      deviceUrls: deviceUrlRules(config),
      reachesChannels: config.compat.enabled,
      maxKeyBytes: config.idempotency.max_key_length,
      checkChannel: (name) => {
        if (input.judgesNames === true) return name;
        const channel = channels.publishTarget(app, name);
        if (!channel.accepted) throw refusalError(channel);
        return channel.name;
      },
    };
  }

  get appId(): string {
    return this.input.app.id;
  }

  get isInFull(): boolean {
    return this.input.inFull === true;
  }

  get quotaOverride(): boolean {
    return this.input.quotaOverride;
  }

  /** Null: none. */
  get requestKey(): string | null {
    const { requestKey: key } = this.input;
    if (key !== undefined && (key === '' || Buffer.byteLength(key) > this.rules.maxKeyBytes)) {
      throw invalid('x-idempotency-key is empty or too long');
    }
    return key ?? null;
  }

  body(): unknown {
    const body = this.input.body();
    if (isDeeperThan(body, MAX_DEPTH)) throw invalid(`the body is nested deeper than ${MAX_DEPTH}`);
    return body;
  }

  segment(name: string): string {
    return storable(name, this.input.segments[name] ?? '');
  }

  /** Undefined: it is not given. */
  parameter(name: string): string | undefined {
    const value = this.input.option(name);
    return value === undefined ? undefined : storable(name, value);
  }

  /** Returns the given ones of these filters; a blank value is invalid. */
  filter<const Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
    const given = names.flatMap((name): [Name, string][] => {
      const value = this.parameter(name);
      if (value !== undefined && value.trim() === '') throw invalid(`${name} must not be empty`);
      return value === undefined ? [] : [[name, value]];
    });
    return Object.fromEntries(given) as Partial<Record<Name, string>>;
  }
}
