import type { App } from '@carillon/app-registry';
import type { ChannelNamespace } from '@carillon/config';
import { channelPolicy, type ChannelPolicy, type GlobalChannelSettings } from './policy.js';

/** The namespaces of one app with their policies, each resolved once. */
export class ChannelRules {
  readonly namespaces: ReadonlyMap<string, ChannelNamespace>;
  readonly #withoutNamespace: ChannelPolicy;
  readonly #byNamespace: ReadonlyMap<ChannelNamespace, ChannelPolicy>;

  constructor(app: App, globals: GlobalChannelSettings) {
    this.namespaces = app.namespaces;
    this.#withoutNamespace = channelPolicy(app, null, globals);
    this.#byNamespace = new Map(
      [...app.namespaces.values()].map((namespace) => [namespace, channelPolicy(app, namespace, globals)]),
    );
  }

  /** Null outside every namespace. */
  policyOf(namespace: ChannelNamespace | null): ChannelPolicy {
    if (namespace === null) return this.#withoutNamespace;
    return this.#byNamespace.get(namespace) ?? this.#withoutNamespace;
  }
}
