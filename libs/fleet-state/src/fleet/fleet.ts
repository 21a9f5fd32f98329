import type { FleetBus } from '@carillon/broker';
import type { Metrics } from '@carillon/runtime';
import type { Channels } from '@carillon/channels';
import type { LastEvents } from '@carillon/history-publish';
import { NodeTable } from '../nodes/node-table.js';
import { FleetSeries } from '../nodes/series.js';
import { Tails } from '../tail/tails.js';
import { ChannelFactsReader } from './channel-facts.js';
import { FleetState } from './fleet-state.js';

export interface FleetParts {
  readonly bus: FleetBus;
  readonly channels: Channels;
  /** Whether channels of Ably clients, whose names follow other rules, exist. */
  readonly takesForeignNames: boolean;
  readonly lastEvents: Pick<LastEvents, 'read'>;
  readonly metrics: Pick<Metrics, 'counter' | 'gauge'>;
  readonly settings: () => {
    readonly fleet_timeout_ms: number;
    readonly tail: { readonly max_per_principal: number; readonly max_per_node: number };
  };
}

/** The fleet as a process that serves the management API sees it. */
export class Fleet {
  readonly state: FleetState;
  readonly tails: Tails;
  readonly nodes: NodeTable;
  readonly series: FleetSeries;
  readonly channelFacts: ChannelFactsReader;

  constructor({ bus, channels, takesForeignNames, lastEvents, metrics, settings }: FleetParts) {
    this.channelFacts = new ChannelFactsReader(channels, lastEvents, takesForeignNames);
    this.nodes = new NodeTable(bus);
    this.series = new FleetSeries(bus, this.nodes, metrics);
    this.state = new FleetState(bus, metrics);
    this.tails = new Tails({
      bus,
      metrics,
      limits: () => settings().tail,
      startWithinMs: () => settings().fleet_timeout_ms,
    });
  }

  stop(): void {
    this.tails.stop();
    this.nodes.stop();
  }
}
