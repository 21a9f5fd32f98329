import { fileURLToPath } from 'node:url';
import { type SpawnedNode, spawnNode } from '@carillon/testing';
import type { Node } from '../harness/node.js';

const SERVE = new URL('../../../../../../libs/client/javascript/examples/serve.js', import.meta.url);

/** The server of the client's examples, as people start it. */
export class Examples {
  private constructor(
    private readonly process: SpawnedNode,
    readonly url: string,
  ) {}

  static async start(node: Node, vapidPublicKey = ''): Promise<Examples> {
    const { id, key, secret } = node.tenant;
    const process = spawnNode(fileURLToPath(SERVE), [], {
      CARILLON_URL: `http://127.0.0.1:${node.port}`,
      CARILLON_APP_ID: id,
      CARILLON_APP_KEY: key,
      CARILLON_APP_SECRET: secret,
      CARILLON_VAPID_PUBLIC_KEY: vapidPublicKey,
      PORT: '0',
    });
    const [, url = ''] = await process.says(/examples: (http:\S+)/);
    return new Examples(process, url);
  }

  async stop(): Promise<void> {
    await this.process.kill('SIGTERM');
  }
}
