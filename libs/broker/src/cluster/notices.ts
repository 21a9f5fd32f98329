import { APP_CHANGED } from '@carillon/contracts';
import type { LocalBroker } from '../drivers/local.js';
import type { BrokerOutage } from '../port.js';
import type { Identity } from './identity.js';
import type { MessageSender } from './message-sender.js';

export interface NoticesParts {
  readonly identity: Identity;
  readonly post: MessageSender;
  /** Broker that holds the listener of this process. */
  readonly own: LocalBroker;
  readonly outage: Omit<BrokerOutage, 'nodeId'>;
}

/** Notifies the listener of this process of outages and membership changes. */
export class Notices {
  #isOutOfReach = false;

  constructor(private readonly parts: NoticesParts) {}

  outOfReach(sinceMs: number): void {
    if (this.#isOutOfReach) return;
    this.#isOutOfReach = true;
    const { own, identity, outage } = this.parts;
    const { nodeId } = identity;
    own.notify((listener) => listener.outOfReach?.(sinceMs, { ...outage, nodeId }));
  }

  /** Also when the broker was never out of reach as a whole: some channels may have been. */
  inReachAgain(): void {
    this.#isOutOfReach = false;
    this.parts.own.notify((listener) => listener.inReachAgain?.());
  }

  appChanged(appId: string): void {
    this.parts.own.notify((listener) => listener.appChanged?.(appId));
  }

  tellAppChanged(appId: string): Promise<void> {
    const { post, identity } = this.parts;
    return post.send(APP_CHANGED, { app_id: appId, node_id: identity.nodeId }, [post.names.control]);
  }
}
