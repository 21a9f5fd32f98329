import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Broker, type Driver } from '../broker/broker.js';
import { Node } from './node.js';

const GATEWAYS = ['gateway-1', 'gateway-2', 'gateway-3'];
const APIS = ['api-1', 'api-2'];

/** An installation: three gateways, two api nodes, their broker and their store. */
export class Fleet {
  private constructor(
    readonly broker: Broker,
    readonly gateways: readonly Node[],
    readonly apis: readonly Node[],
  ) {}

  static async start(driver: Driver): Promise<Fleet> {
    const broker = await Broker.start(driver);
    const make = (role: 'gateway' | 'api', names: readonly string[]): Promise<Node[]> =>
      Promise.all(names.map((name) => Node.create(role, name, broker)));
    const fleet = new Fleet(broker, await make('gateway', GATEWAYS), await make('api', APIS));
    try {
      // Two by two: as many as there are cores on a small machine, so that none is late for the others' sake.
      for (let index = 0; index < fleet.nodes.length; index += 2) {
        await Promise.all(fleet.nodes.slice(index, index + 2).map((node) => node.start()));
      }
    } catch (error) {
      await fleet.release();
      throw error;
    }
    return fleet;
  }

  get nodes(): readonly Node[] {
    return [...this.gateways, ...this.apis];
  }

  /** One file a node, of the process that runs now. */
  writeLogs(folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const { name, log } of this.nodes) writeFileSync(join(folder, `${name}.log`), log);
  }

  async release(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.release()));
    await this.broker.release();
  }
}
