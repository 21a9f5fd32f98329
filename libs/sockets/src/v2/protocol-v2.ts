import { Revocations } from '@carillon/api-operations';
import { WireNames } from '@carillon/protocol';
import type { SocketsParts } from '../parts.js';
import type { Signin } from '../requests/signin.js';
import { AppCodecs } from './app-codec.js';
import { ChannelHistories } from './channel-history.js';
import { DeltaRequests } from './delta/delta-requests.js';
import { Deltas } from './delta/deltas.js';
import { PresenceUpdates } from './presence-updates.js';
import { RequestsV2 } from './requests-v2.js';
import { SpeechesV2 } from './speeches.js';
import { Summaries } from './summaries.js';
import { Tags } from './tags.js';
import { Tokens } from './tokens.js';

/** Dependencies of {@link ProtocolV2}. */
export interface ProtocolV2Parts extends Pick<
  SocketsParts,
  'apps' | 'cache' | 'config' | 'historyReader' | 'hub' | 'metrics' | 'presence'
> {
  readonly signin: Pick<Signin, 'comeOnline'>;
}

/** The components that only protocol 2 has: tokens, codecs and the handlers of its requests. */
export class ProtocolV2 {
  readonly tokens: Tokens;
  readonly speeches: SpeechesV2;

  constructor(parts: ProtocolV2Parts) {
    const { apps, config, cache, signin } = parts;
    const { outlet, identities, leaving, patterns, onTrouble } = parts.hub;
    const names = new WireNames(config.protocol.vendor_prefix);
    const revocations = new Revocations(cache);
    const tokens = new Tokens({
      apps,
      names,
      revocations,
      outlet,
      identities,
      leaving,
      patterns,
      signin,
      onTrouble,
    });
    this.tokens = tokens;
    const tags = new Tags(config.tag_filtering.enable_tags, parts.hub);
    this.speeches = new SpeechesV2(config, names, requestsOf(parts, tokens, tags), new AppCodecs(tags));
  }
}

function requestsOf(parts: ProtocolV2Parts, tokens: Tokens, tags: Tags): RequestsV2 {
  const { config, hub, presence, historyReader: reader } = parts;
  const { channels, outlet, resumes, streamReads: reads, onTrouble } = hub;
  const { max_page_size: maxPageSize } = config.history;
  const { update_rate_limit_per_member_per_second: maxPerSecond } = config.presence;
  const maxFrameBytes = config.websocket_max_payload_kb * 1024;
  return new RequestsV2({
    channels,
    outlet,
    resumes,
    tokens,
    histories: new ChannelHistories({ channels, outlet, reader, maxPageSize, tags, onTrouble }),
    deltas: new DeltaRequests({ deltas: new Deltas(parts), outlet, onTrouble }),
    summaries: new Summaries({ reads, outlet, share: hub.replayShare, maxFrameBytes, onTrouble }),
    presenceUpdates: new PresenceUpdates({ presence, outlet, maxPerSecond, onTrouble }),
  });
}
