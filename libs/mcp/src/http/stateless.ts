import type { Audit } from '../audit/audit.js';
import type { Methods } from '../methods/methods.js';
import { CODES, errorMessage, RpcFailure } from '../rpc/failure.js';
import { type ReceivedMessages, readMessage } from '../rpc/read-message.js';
import { META } from '../rpc/revisions.js';
import { checkEnvelope, clientInfoOf, metaOf } from '../rpc/stateless.js';
import { failureOf, sendFailure, sendJson, sendNothing } from './answers.js';
import type { Exchange } from './exchange.js';

/** Requests of the revision without sessions. */
export class Stateless {
  constructor(
    private readonly parts: {
      readonly methods: Methods;
      readonly audit: Audit;
      readonly meter: { fault(error: unknown): void };
    },
  ) {}

  /** @throws RpcFailure */
  async post(exchange: Exchange, { isArray, items, text }: ReceivedMessages): Promise<void> {
    if (isArray) throw new RpcFailure(400, CODES.invalidRequest, 'a request must stand alone');
    const message = readMessage(items[0]);
    const { response } = exchange;
    if (message.kind !== 'request') return sendNothing(response, 202);
    const { id, method, params } = message;
    const gone = new AbortController();
    response.onAbort = () => gone.abort('cancelled');
    try {
      checkEnvelope(method, params, {
        version: exchange.header('mcp-protocol-version'),
        method: exchange.header('mcp-method'),
        name: exchange.header('mcp-name'),
      });
      const client = clientInfoOf(metaOf(params)[META.clientInfo]);
      const context = exchange.context({ era: 'stateless', session: null, client, signal: gone.signal });
      const result = await this.parts.methods.perform(context, { method, params, text });
      sendJson(response, { jsonrpc: '2.0', id, result });
    } catch (error) {
      const { audit, meter } = this.parts;
      if (!(error instanceof RpcFailure)) meter.fault(error);
      const failure = failureOf(error);
      if (failure.code === CODES.revision)
        audit.rejected('version', exchange.request.ip, exchange.principal.name);
      if (failure.status === 200) sendJson(response, errorMessage(id, failure));
      else sendFailure(response, failure, id);
    }
  }
}
