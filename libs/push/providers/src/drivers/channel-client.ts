import { accepted, rejected, retryable, type SendOutcome } from '../outcome.js';
import {
  type ChannelDelivery,
  ChannelRefused,
  ProviderUnavailable,
  type PushClient,
  type SendRequest,
} from '../port.js';

/** Devices of one app whose address is a channel: each notification is a message there. */
export class ChannelClient implements PushClient {
  readonly provider = 'realtime';
  readonly usage = { connections: 0, streams: 0 };

  constructor(
    private readonly appId: string,
    private readonly channels: ChannelDelivery,
  ) {}

  async send({ target, payload, deliveryKey }: SendRequest): Promise<SendOutcome> {
    if (target.kind !== 'recipient' || target.recipient.transportType !== 'realtime')
      return rejected('invalid_payload', 'caller_payload', 'not a channel');
    const { channel } = target.recipient;
    const id = `push:${deliveryKey}`;
    try {
      await this.channels.deliver({ appId: this.appId, channel, id, text: JSON.stringify(payload) });
      return accepted(id);
    } catch (error) {
      return outcomeOf(error);
    }
  }

  async close(): Promise<void> {}
}

/** Refusals of the publisher are final; temporary failures are retried. */
function outcomeOf(error: unknown): SendOutcome {
  if (error instanceof ProviderUnavailable)
    return rejected('auth_failure', 'credential_auth', 'not available');
  if (error instanceof ChannelRefused) return rejected('invalid_payload', 'caller_payload', 'refused');
  return retryable('unavailable', 'provider_transient', 'not published');
}
