import { Channels } from '@carillon/channels';
import { BROKER } from '@carillon/broker';
import { HUB } from '@carillon/realtime';
import { PRESENCE } from '@carillon/presence';
import { LAST_EVENTS } from '@carillon/history-publish';
import { provider, RUNTIME, token } from '@carillon/runtime';
import { type DynamicModule, Global, Inject, Module } from '@nestjs/common';
import { Fleet } from './fleet/fleet.js';
import { GatewayState } from './gateway/gateway-state.js';
import { NodeState } from './nodes/node-state.js';

/** Token of the `Fleet` of a process that serves the management API. */
export const FLEET = token<Fleet>('fleet');

const NODE_STATE = token<NodeState>('state of the process');
const GATEWAY_STATE = token<GatewayState>('state of the gateway');

const nodeState = (role: string) =>
  provider(NODE_STATE, { ...RUNTIME, broker: BROKER }, ({ broker, config, shutdown, ...parts }) => {
    const state = new NodeState({
      ...parts,
      bus: broker.fleet,
      role,
      reportIntervalMs: config.management.node_report_interval_ms,
    });
    shutdown.onShutdown('drain', 'node report', async () => state.reporter.announce());
    shutdown.onShutdown('leave', 'node report', async () => state.stop());
    return state;
  });

/** Reports this process to the fleet. Needs the module of the broker. */
@Global()
@Module({})
export class NodeStateModule {
  constructor(@Inject(NODE_STATE) _state: NodeState) {}

  /** `role`: name of the app. */
  static of(role: string): DynamicModule {
    return { module: NodeStateModule, providers: [nodeState(role)], exports: [NODE_STATE] };
  }
}

const GATEWAY_PARTS = { ...RUNTIME, broker: BROKER, hub: HUB, node: NODE_STATE, presence: PRESENCE };

/**
 * Answers fleet requests about the sockets of this process. Needs `NodeStateModule` and the modules of the broker, the
 * hub and presence.
 */
@Module({
  providers: [
    provider(GATEWAY_STATE, GATEWAY_PARTS, ({ broker, config, hub, node, presence, shutdown }) => {
      if (config.management.enabled) hub.recordSubscriptionTimes();
      const state = new GatewayState({ bus: broker.fleet, hub, presence, works: node.works });
      shutdown.onShutdown('leave', 'fleet state', async () => state.stop());
      return state;
    }),
  ],
})
export class GatewayStateModule {
  /** Requests the state, so that it is made. */
  constructor(@Inject(GATEWAY_STATE) _state: GatewayState) {}
}

const FLEET_PARTS = { ...RUNTIME, broker: BROKER, lastEvents: LAST_EVENTS };

/** Requests the state of all gateways. Needs the modules of the broker and of publishing. */
@Global()
@Module({
  providers: [
    provider(FLEET, FLEET_PARTS, ({ broker, config, lastEvents, metrics, reloads, shutdown }) => {
      let settings = config.management;
      reloads.onReload('management', ({ management }) => void (settings = management));
      const fleet = new Fleet({
        bus: broker.fleet,
        channels: new Channels(config),
        takesForeignNames: config.compat.enabled,
        lastEvents,
        metrics,
        settings: () => settings,
      });
      // Streams end before the listener closes their connections.
      shutdown.onShutdown('drain', 'tails', async () => fleet.stop());
      return fleet;
    }),
  ],
  exports: [FLEET],
})
export class FleetModule {}
