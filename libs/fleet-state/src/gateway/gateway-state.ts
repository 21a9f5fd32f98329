import type { FleetBus } from '@carillon/broker';
import type { Hub } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import { GatewayTails } from '../tail/gateway-tails.js';
import { TAIL_START } from '../tail/options.js';
import { gatewayWorks, validated, type Work } from './gateway-answers.js';

export interface GatewayStateParts {
  readonly bus: FleetBus;
  readonly hub: Pick<Hub, 'hubs' | 'leaving' | 'outlet'>;
  readonly presence: Pick<Presence, 'memberCounts' | 'members'>;
  /** Works of this process, to which those about its sockets are added. */
  readonly works: Map<string, Work>;
}

/** Answers the fleet requests about the sockets of this process and feeds tails. */
export class GatewayState {
  readonly tails: GatewayTails;

  constructor({ bus, hub, presence, works }: GatewayStateParts) {
    this.tails = new GatewayTails(bus, hub.hubs);
    for (const [type, work] of gatewayWorks({ hub, presence, nodeId: () => bus.nodeId }))
      works.set(type, work);
    works.set(
      'manage_tail_start',
      validated(TAIL_START, (options) => this.tails.start(options)),
    );
  }

  stop(): void {
    this.tails.stop();
  }
}
