import { AiChannels } from '@carillon/history-ai';
import { Channels, type PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import { describe, expect, it } from 'vitest';
import { AiRules, isAiEvent } from '../src/publish/ai.js';
import { appOf, configOf, SHOP } from './scene.js';

const config = configOf({});
const channels = new Channels(config);
const shop = appOf(SHOP, config);
const ai = new AiChannels({ ...config.ai_transport, enabled: true, channels: [{ prefix: 'ai-' }] });
const rules = new AiRules(ai, { maxTransportValueBytes: 256, maxSteerCodecMessageIdsBytes: 2048 });
/** An event of that name, with that id and those headers. */
const content = (isEvent: boolean, messageId?: string, headers?: unknown) => ({
  isEvent,
  messageId,
  headers,
});

function named(...names: string[]): PublishableChannel[] {
  return names.map((name) => {
    const channel = channels.publishTarget(shop, name);
    if (!channel.accepted) throw new Error(channel.text);
    return channel;
  });
}

/** Status, code and `ai_code` of the refusal; null if accepted. */
function refusal(...about: Parameters<AiRules['check']>): unknown {
  try {
    rules.check(...about);
    return null;
  } catch (error) {
    return error instanceof ServiceError ? [error.status, error.code, error.aiCode] : error;
  }
}

describe('AI content', () => {
  it('is told by its event', () => {
    expect(isAiEvent('ai-output')).toBe(true);
    expect(isAiEvent('ai-else')).toBe(false);
  });

  it('goes to channels with AI transport only', () => {
    const forbidden = [403, 'ai_event_not_permitted', 104003];
    expect(refusal(content(true, undefined), named('ai-a', 'ai-b'))).toBeNull();
    expect(refusal(content(true, undefined), named('ai-a', 'b'))).toEqual(forbidden);
    expect(refusal(content(false, undefined), named('ai-a', 'b'))).toBeNull();
  });

  it('has headers that can be read', () => {
    const transport = { transport: { foo: 'x' } };
    expect(refusal(content(false, undefined, transport), named('ai-a'))).toEqual([
      400,
      'ai_invalid_transport_header',
      104000,
    ]);
    expect(refusal(content(false, undefined, {}), named('b'))).toEqual([
      403,
      'ai_event_not_permitted',
      104003,
    ]);
  });

  it('has message ids of 1 to 64 bytes, as everything on these channels', () => {
    expect(refusal(content(false, 'm'.repeat(64)), named('ai-a'))).toBeNull();
    expect(refusal(content(false, 'm'.repeat(65)), named('ai-a'))).toEqual([
      400,
      'ai_header_too_large',
      104001,
    ]);
    expect(refusal(content(false, ''), named('ai-a'))).toEqual([400, 'ai_invalid_transport_header', 104000]);
    expect(refusal(content(false, 'm'.repeat(65)), named('a'))).toBeNull();
  });
});
