import type { Codec } from '../codec.js';
import type { Audience } from './audience.js';

/** The audiences of one channel; stored without a map while there is one, which is the usual case. */
export type Audiences = Audience | Map<Codec, Audience> | null;

export function audienceOf(audiences: Audiences, codec: Codec): Audience | null {
  if (audiences instanceof Map) return audiences.get(codec) ?? null;
  return audiences?.codec === codec ? audiences : null;
}

/** Returns the audiences with one added whose codec none of them has. */
export function withAudience(audiences: Audiences, audience: Audience): Audiences {
  if (audiences === null) return audience;
  if (audiences instanceof Map) return audiences.set(audience.codec, audience);
  return new Map([audiences, audience].map((one) => [one.codec, one]));
}

/** Returns the audiences with one removed. */
export function withoutAudience(audiences: Audiences, audience: Audience): Audiences {
  if (!(audiences instanceof Map)) return audiences === audience ? null : audiences;
  audiences.delete(audience.codec);
  return audiences;
}

export function allAudiences(audiences: Audiences): Iterable<Audience> {
  if (audiences === null) return [];
  return audiences instanceof Map ? audiences.values() : [audiences];
}
